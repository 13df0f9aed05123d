// A policy's own variables: each is computed when an expression first reads it, once per request,
// and pays from the same budget.

import { MapView } from "../../../schema/cel/cel-map-view.ts"
import { CelStop } from "../../../schema/cel/cel-run.ts"
import type { CelValue } from "../../../schema/cel/cel-value.ts"
import { type Activation, type CostBudget, evaluateWithin } from "../match/admission-cel.ts"
import type { MaybeExpression } from "./policy.ts"

export class LazyVariables extends MapView {
  readonly #expressions: ReadonlyMap<string, MaybeExpression>
  readonly #activation: Activation
  readonly #budget: CostBudget
  readonly #known = new Map<string, CelValue>()

  constructor(
    expressions: readonly (readonly [string, MaybeExpression])[],
    activation: Activation,
    budget: CostBudget,
  ) {
    super()
    this.#expressions = new Map(expressions)
    this.#activation = { ...activation, variables: this }
    this.#budget = budget
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const expression = this.#expressions.get(key)
    if (expression === undefined) return undefined
    const fail = (why: string) => new CelStop(`composited variable "${key}" fails: ${why}`, 0)
    if (typeof expression === "string") throw fail(expression)
    const result = evaluateWithin(expression, this.#activation, this.#budget)
    if (result.kind === "error") throw fail(result.message)
    this.#known.set(key, result.value)
    return result.value
  }

  names(): readonly string[] {
    return [...this.#expressions.keys()]
  }
}
