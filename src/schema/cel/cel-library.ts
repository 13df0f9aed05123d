// The CEL parser, loaded with the first expression: most planes and every short command never read
// one. Only its parser and type check are used; evaluating is ours (compile-node.ts), since the
// library can't bound what an expression costs.

import { createRequire } from "node:module"
import type { ASTNode, Environment } from "@marcbachmann/cel-js"

export type CelNode = ASTNode

type Library = typeof import("@marcbachmann/cel-js")

export interface ParsedCel {
  readonly node: CelNode
  /** What the checker says the expression gives: "bool", "dyn" ... */
  readonly type: string
  /** The library's own evaluator, unbounded: tests hold ours against it, nothing else calls it. */
  evaluate(activation: object): unknown
}

/** Why an expression can't be used, and where in it (offset of the first character). */
export interface CelProblem {
  readonly message: string
  readonly at: number
}

/** "list<dyn>", "map<string, dyn>", "dyn" ... by name. */
export type CelVariables = Readonly<Record<string, string>>

const limits = {
  maxAstNodes: 2000,
  maxDepth: 50,
  maxListElements: 500,
  maxMapEntries: 500,
  maxCallArguments: 8,
}

let library: Library | undefined
let syntax: Environment | undefined

export function parseCel(source: string, variables: CelVariables): ParsedCel | CelProblem {
  library ??= createRequire(import.meta.url)("@marcbachmann/cel-js") as Library
  const environment: Environment = new library.Environment({
    limits,
    homogeneousAggregateLiterals: false,
  })
  try {
    for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type)
    const parsed = environment.parse(source)
    const { valid, type, error } = parsed.check()
    if (!valid) return problemOf(error)
    return { node: parsed.ast, type: type ?? "dyn", evaluate: (activation) => parsed(activation) }
  } catch (error) {
    return problemOf(error)
  }
}

/** Only the syntax; types are judged by check-cel.ts. */
export function parseSyntax(source: string): CelNode | CelProblem {
  library ??= createRequire(import.meta.url)("@marcbachmann/cel-js") as Library
  const options = { limits, homogeneousAggregateLiterals: false, enableOptionalTypes: true }
  syntax ??= new library.Environment(options)
  try {
    return syntax.parse(source).ast
  } catch (error) {
    return problemOf(error)
  }
}

function problemOf(error: unknown): CelProblem {
  if (!(error instanceof Error)) return { message: String(error), at: 0 }
  const range: unknown = Reflect.get(error, "range")
  const summary: unknown = Reflect.get(error, "summary")
  const start = typeof range === "object" && range !== null ? Reflect.get(range, "start") : 0
  const text = typeof summary === "string" ? summary : (error.message.split("\n")[0] ?? "")
  return { message: text, at: typeof start === "number" ? start : 0 }
}
