// The cheap look at a text before anything is built from it: control characters, anchors, aliases,
// tags, directives, and an upper bound on depth and size, from the lexer's tokens alone. Linear and
// without recursion; a text that passes is safe for the recursive composer.

import { yamlLibrary } from "./yaml-library.ts"

export interface YamlLimits {
  readonly depth: number
  readonly nodes: number
  /** Mistakes after which the text is given up. */
  readonly issues: number
}

export interface Scan {
  readonly lexemes: readonly string[]
}

export interface ScanFinding {
  readonly what: "control" | "depth" | "nodes" | "anchor" | "alias" | "tag" | "directive" | "stray"
  readonly text: string
  readonly offset: number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/**
 * The depth by columns: every nested block node starts further right than its parent, except a
 * sequence under a key, which may share its column. So the real depth is at most twice this.
 */
class DepthBound {
  readonly #columns: number[] = []
  #flow = 0

  open(): number {
    this.#flow++
    return this.#columns.length + this.#flow
  }

  close(): void {
    this.#flow = Math.max(0, this.#flow - 1)
  }

  nodeAt(column: number): number {
    if (this.#flow > 0) return 0
    while ((this.#columns.at(-1) ?? -1) >= column) this.#columns.pop()
    this.#columns.push(column)
    return this.#columns.length
  }

  inFlow(): boolean {
    return this.#flow > 0
  }

  reset(): void {
    this.#columns.length = 0
    this.#flow = 0
  }
}

const refused: Readonly<Record<string, ScanFinding["what"]>> = {
  alias: "alias",
  anchor: "anchor",
  tag: "tag",
  "directive-line": "directive",
}
const indicators = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"])
const openers = new Set(["flow-map-start", "flow-seq-start"])
const closers = new Set(["flow-map-end", "flow-seq-end"])
const separators = new Set(["comma", "doc-start", "doc-end"])
const starters = new Set([...openers, "scalar", "single-quoted-scalar", "double-quoted-scalar"])
const enders = new Set([...closers, "scalar-text", "single-quoted-scalar", "double-quoted-scalar"])
const silent = new Set(["space", "comment", "byte-order-mark"])
const resets = new Set(["doc-mode", "doc-start", "doc-end", "flow-error-end"])

export function scanYaml(text: string, limits: YamlLimits): Scan | ScanFinding {
  const { CST, Lexer } = yamlLibrary()
  const control = controlCharacter.exec(text)
  if (control !== null) return { what: "control", text: control[0], offset: control.index }
  const lexemes: string[] = []
  const depth = new DepthBound()
  let offset = 0
  let lineStart = 0
  let nodeStarts = true
  let scalarNext = false
  let nodes = 0
  let afterNode = false
  let strays = 0
  for (const lexeme of new Lexer().lex(text)) {
    lexemes.push(lexeme)
    const type: string = scalarNext ? "scalar-text" : (CST.tokenType(lexeme) ?? "unknown")
    scalarNext = type === "scalar"
    const finding = refused[type]
    if (finding !== undefined) return { what: finding, text: lexeme, offset }
    let level = 0
    if (nodeStarts && !silent.has(type) && type !== "newline" && !resets.has(type)) {
      level = depth.nodeAt(offset - lineStart)
      nodeStarts = false
    }
    if (openers.has(type)) level = depth.open()
    else if (closers.has(type)) depth.close()
    else if (resets.has(type)) depth.reset()
    if (level > limits.depth * 2) return { what: "depth", text: lexeme, offset }
    // Every value has one of these before it, and at most two; text around it is bounded apart.
    if (indicators.has(type) || openers.has(type) || separators.has(type)) nodes++
    if (nodes > limits.nodes * 2 || lexemes.length > limits.nodes * 8) {
      return { what: "nodes", text: lexeme, offset }
    }
    // Each value without a separator before it costs an error with a stack: a few say enough.
    if (afterNode && starters.has(type) && ++strays > limits.issues) {
      return { what: "stray", text: lexeme, offset }
    }
    if (enders.has(type)) afterNode = true
    else if (!silent.has(type) && (type !== "newline" || !depth.inFlow())) afterNode = false
    if (indicators.has(type) || type === "newline" || resets.has(type)) nodeStarts = true
    if (type !== "scalar" && type !== "doc-mode" && type !== "flow-error-end") {
      offset += lexeme.length
    }
    const newline = lexeme.lastIndexOf("\n")
    if (newline >= 0) lineStart = offset - (lexeme.length - newline - 1)
    if (newline >= 0 && newline === lexeme.length - 1) nodeStarts = true
  }
  return { lexemes }
}
