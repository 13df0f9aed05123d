// A YAML text from outside as one JSON value, read as Kubernetes reads it, within bounds that hold
// before anything is built. Duplicate keys are named and the last value counts; aliases, tags and
// a second document are refused.

import type { Pair, ParsedNode } from "yaml"
import { composeYaml } from "../../base/compose-yaml.ts"
import { isFault } from "../../base/faults.ts"
import { forbiddenKeys, type Json } from "../../base/json.ts"
import { type ScanFinding, scanYaml } from "../../base/scan-yaml.ts"
import { yamlLibrary } from "../../base/yaml-library.ts"
import { refusedSyntax, yamlTrouble } from "../../base/yaml-trouble.ts"
import { apiFault } from "../faults.ts"
import { type JsonDocument, readJsonDocument } from "../read-json.ts"
import { resolvePlain } from "./resolve-plain.ts"

export const yamlBodyLimits = {
  characters: 3 * 1024 * 1024,
  depth: 64,
  // The library takes about 20 us for each, and nobody else is served meanwhile.
  nodes: 30_000,
  issues: 20,
} as const

const duplicatesMax = 100

export function readYaml(text: string): JsonDocument {
  return readAsJson(text) ?? new YamlReader(text).read()
}

/** Most clients send JSON whatever they call it, and JSON is YAML. */
function readAsJson(text: string): JsonDocument | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return readJsonDocument(text)
  } catch (error) {
    // Flow style of YAML, or wrong in both: the other reader says which.
    if (isFault(error) && error.status === 400) return undefined
    throw error
  }
}

class YamlReader {
  readonly #text: string
  readonly #yaml = yamlLibrary()
  readonly #duplicates = new Set<string>()
  #nodes = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): JsonDocument {
    const { characters } = yamlBodyLimits
    if (this.#text.length > characters) {
      const sizes = { size: this.#text.length, limit: characters }
      throw apiFault("SPT-API-009", { what: "the YAML text", ...sizes })
    }
    const scan = scanYaml(this.#text, yamlBodyLimits)
    if ("what" in scan) this.#refuse(findingText(scan), scan.offset)
    const documents = composeYaml(scan, { schema: "failsafe" })
    for (const document of documents) {
      const [error] = document.errors
      if (error !== undefined) this.#refuse(yamlTrouble(error), error.pos[0])
    }
    // A document of no signs at all is only the line that begins it.
    const filled = documents.flatMap(({ contents }): ParsedNode[] => {
      const root: ParsedNode | null = contents
      return root === null || root.range[0] === root.range[1] ? [] : [root]
    })
    const second = filled[1]
    if (second !== undefined) this.#refuse("a second document", second.range[0])
    return { value: this.#node(filled[0] ?? null, 1, ""), duplicates: [...this.#duplicates] }
  }

  #refuse(why: string, offset: number): never {
    const before = this.#text.slice(0, offset)
    const column = offset - before.lastIndexOf("\n")
    throw apiFault("SPT-API-062", { why, line: before.split("\n").length, column })
  }

  #node(node: ParsedNode | null, depth: number, path: string): Json {
    const { isMap, isScalar, isSeq } = this.#yaml
    if (node === null) return null
    const [offset] = node.range
    if (++this.#nodes > yamlBodyLimits.nodes) this.#refuse("too many values", offset)
    if (isScalar(node)) {
      if (node.type !== "PLAIN") return String(node.value)
      const value = resolvePlain(node.source ?? "")
      if (value === undefined) this.#refuse("a number that can't be kept", offset)
      return value
    }
    if (depth > yamlBodyLimits.depth) {
      this.#refuse(`nesting deeper than ${yamlBodyLimits.depth}`, offset)
    }
    if (isSeq(node)) {
      const items = node.items as ParsedNode[]
      return items.map((item, index) => this.#node(item, depth + 1, `${path}[${index}]`))
    }
    if (!isMap(node)) this.#refuse("an alias", offset)
    const members: Record<string, Json> = {}
    for (const pair of node.items as Pair<ParsedNode, ParsedNode | null>[]) {
      const key = this.#key(pair.key)
      const below = path === "" ? key : `${path}.${key}`
      if (Object.hasOwn(members, key) && this.#duplicates.size < duplicatesMax) {
        this.#duplicates.add(below)
      }
      members[key] = this.#node(pair.value, depth + 1, below)
    }
    return members
  }

  #key(node: ParsedNode): string {
    const [offset] = node.range
    if (!this.#yaml.isScalar(node)) this.#refuse("a key that is no text", offset)
    const plain = node.type === "PLAIN"
    const source = plain ? (node.source ?? "") : String(node.value)
    if (plain && source === "<<") this.#refuse("a merge key", offset)
    const value = plain ? resolvePlain(source) : source
    if (value === undefined || value === null) this.#refuse("a key that is no text", offset)
    const key = String(value)
    if (forbiddenKeys.has(key)) this.#refuse(`the key "${key}" is forbidden`, offset)
    return key
  }
}

function findingText({ what }: ScanFinding): string {
  if (what === "depth") return `nesting deeper than ${yamlBodyLimits.depth}`
  if (what === "nodes") return "too many values"
  if (what === "stray") return "too many values without a separator between them"
  if (what === "control") return "a control character"
  return `${refusedSyntax(what)}, which is not accepted,`
}
