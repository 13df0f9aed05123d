// An expression over variables whose types are known: checked before it is stored, with the most it
// can cost, and evaluated under a budget. Evaluating is pure and never throws.

import { type CelNode, type CelProblem, parseSyntax } from "./cel-library.ts"
import { CelRun, CelStop } from "./cel-run.ts"
import { fits, type PlainKind, plain, type Shape, shapeText } from "./cel-shape.ts"
import type { CelScope } from "./cel-step.ts"
import { type CelValue, typeOf } from "./cel-value.ts"
import { checkCel } from "./check-cel.ts"
import type { CheckScope } from "./check-scope.ts"
import { celSourceMax } from "./compile-cel.ts"
import { compileNode } from "./compile-node.ts"

export type TypedVariables = Readonly<Record<string, Shape>>

export type TypedResult =
  | { readonly kind: "value"; readonly value: CelValue; readonly cost: number }
  | {
      readonly kind: "error"
      readonly message: string
      readonly cost: number
      /** The budget of the call did not suffice. */
      readonly exceeded: boolean
    }

export interface TypedExpression {
  readonly source: string
  /** The most it can cost, as estimated from the types. */
  readonly maxCost: number
  /** Whether the variable occurs in it. */
  uses(name: string): boolean
  evaluate(activation: Readonly<Record<string, CelValue>>, budget: number): TypedResult
}

export type TypedCompiled =
  | { readonly kind: "expression"; readonly expression: TypedExpression }
  | { readonly kind: "problem"; readonly problem: CelProblem }

export interface TypedOptions {
  readonly variables: TypedVariables
  readonly gives?: PlainKind
}

const problemAt = (message: string, at: number): TypedCompiled => ({
  kind: "problem",
  problem: { message, at },
})

export function compileTyped(source: string, { variables, gives }: TypedOptions): TypedCompiled {
  if (source.length > celSourceMax) {
    return problemAt(`it is longer than ${celSourceMax} characters`, celSourceMax)
  }
  const node = parseSyntax(source)
  if ("message" in node) {
    return problemAt(`Syntax error: ${node.message}`, node.at)
  }
  let scope: CheckScope | undefined
  for (const [name, shape] of Object.entries(variables)) scope = { name, shape, outer: scope }
  try {
    const { shape, cost } = checkCel(node, scope)
    if (gives !== undefined && !fits(plain(gives), shape, new Map())) {
      return problemAt(`expected type '${gives}' but found '${shapeText(shape)}'`, node.start)
    }
    return { kind: "expression", expression: expressionOf(source, node, cost, gives) }
  } catch (error) {
    if (error instanceof CelStop) return problemAt(error.message, error.at)
    return problemAt(String(error), 0)
  }
}

function expressionOf(
  source: string,
  node: CelNode,
  maxCost: number,
  gives: PlainKind | undefined,
): TypedExpression {
  const step = compileNode(node)
  const names = new Set<string>()
  collectNames(node, names)
  return {
    source,
    maxCost,
    uses: (name) => names.has(name),
    evaluate: (activation, budget) => {
      const run = new CelRun(budget)
      let scope: CelScope | undefined
      for (const [name, value] of Object.entries(activation)) scope = { name, value, outer: scope }
      try {
        const value = step(scope, run)
        if (gives !== undefined && typeOf(value) !== gives) {
          const message = `no such overload: it gave a ${typeOf(value)}, not a ${gives}`
          return { kind: "error", message, cost: budget - run.left, exceeded: false }
        }
        return { kind: "value", value, cost: budget - run.left }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return { kind: "error", message, cost: budget - run.left, exceeded: run.left < 0 }
      }
    },
  }
}

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectNames(item, names)
  } else if (typeof value === "object" && value !== null && "op" in value && "args" in value) {
    if (value.op === "id" && typeof value.args === "string") names.add(value.args)
    else collectNames(value.args, names)
  }
}

/** As cel-go shows a problem: the place, the line, and a mark under it. */
export function compileErrorText({ message, at }: CelProblem, source: string): string {
  const before = source.slice(0, at).split("\n")
  const line = before.length
  const column = before.at(-1)?.length ?? 0
  const shown = source.split("\n")[line - 1] ?? ""
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${shown}\n | ${".".repeat(column)}^`
}
