// CEL behind a small port: a text becomes something that can be evaluated, or a problem with its
// place. Evaluating is pure, never throws, never runs long and reaches nothing but its variables.

import { type CelProblem, type CelVariables, parseCel } from "./cel-library.ts"
import { CelRun, CelStop } from "./cel-run.ts"
import type { CelScope } from "./cel-step.ts"
import { type CelValue, typeOf } from "./cel-value.ts"
import { compileNode } from "./compile-node.ts"

export type { CelProblem, CelVariables } from "./cel-library.ts"
export type { CelValue } from "./cel-value.ts"

export const celSourceMax = 10_000
export const celBudget = 1_000_000

export type CelResult =
  | {
      readonly kind: "value"
      readonly value: CelValue
      /** Items for which an outermost `all` failed, else for which an `exists` held; a few. */
      readonly witnesses: readonly unknown[]
      /** Whether the witnesses are items that failed an `all`. */
      readonly failing: boolean
    }
  | { readonly kind: "error"; readonly problem: CelProblem }

export interface CelExpression {
  readonly source: string
  evaluate(activation: Readonly<Record<string, CelValue>>): CelResult
}

export type CelCompiled =
  | { readonly kind: "expression"; readonly expression: CelExpression }
  | { readonly kind: "problem"; readonly problem: CelProblem }

export interface CelOptions {
  readonly variables: CelVariables
  /** The type it must give ("bool"); what is known only when it runs is checked then. */
  readonly type?: "bool"
  readonly budget?: number
}

export function compileCel(source: string, options: CelOptions): CelCompiled {
  const problem = (message: string, at: number): CelCompiled => ({
    kind: "problem",
    problem: { message, at },
  })
  if (source.trim() === "") return problem("it is empty", 0)
  if (source.length > celSourceMax) {
    return problem(`it is longer than ${celSourceMax} characters`, celSourceMax)
  }
  const parsed = parseCel(source, options.variables)
  if ("message" in parsed) return { kind: "problem", problem: parsed }
  const { node, type } = parsed
  if (options.type !== undefined && type !== "dyn" && type !== options.type) {
    return problem(`it gives a ${type}, and a ${options.type} is needed`, 0)
  }
  try {
    const step = compileNode(node)
    return { kind: "expression", expression: { source, evaluate: evaluator(step, options) } }
  } catch (error) {
    if (error instanceof CelStop) return problem(error.message, error.at)
    return problem(String(error), 0)
  }
}

function evaluator(step: ReturnType<typeof compileNode>, { type, budget }: CelOptions) {
  return (activation: Readonly<Record<string, CelValue>>): CelResult => {
    const run = new CelRun(budget ?? celBudget)
    let scope: CelScope | undefined
    for (const [name, value] of Object.entries(activation)) scope = { name, value, outer: scope }
    try {
      const value = step(scope, run)
      if (type === "bool" && typeof value !== "boolean") {
        const message = `it gave a ${typeOf(value)}, and a bool is needed`
        return { kind: "error", problem: { message, at: 0 } }
      }
      const failing = run.failing.length > 0
      return { kind: "value", value, witnesses: failing ? run.failing : run.found, failing }
    } catch (error) {
      const at = error instanceof CelStop ? error.at : 0
      const message = error instanceof Error ? error.message : String(error)
      return { kind: "error", problem: { message, at } }
    }
  }
}

/** "line 2, column 5: no such member: admin". */
export function problemText({ message, at }: CelProblem, source: string): string {
  const before = source.slice(0, at).split("\n")
  const column = (before.at(-1)?.length ?? 0) + 1
  return `line ${before.length}, column ${column}: ${message}`
}
