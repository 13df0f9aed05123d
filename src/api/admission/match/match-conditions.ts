// matchConditions: expressions that must all be true for a webhook or policy to be asked. One that
// is false settles it whatever the others stumble over.

import type { Json } from "../../../base/json.ts"
import { compileErrorText, type TypedExpression } from "../../../schema/cel/compile-typed.ts"
import {
  type Activation,
  compileAdmission,
  conditionsCostMax,
  evaluateWithin,
} from "./admission-cel.ts"
import { objects } from "./match-rule.ts"

export interface MatchConditions {
  readonly count: number
  /** A text: why it can't be told. */
  hold(activation: Activation): boolean | string
}

export function readConditions(value: Json | undefined, params: boolean): MatchConditions {
  const given = objects(value)
  let compiled: readonly (TypedExpression | string)[] | undefined
  return {
    count: given.length,
    hold: (activation) => {
      compiled ??= given.map((one) => compile(String(one.expression ?? ""), params))
      const budget = { left: conditionsCostMax }
      const troubles: string[] = []
      for (const one of compiled) {
        if (typeof one === "string") {
          troubles.push(one)
          continue
        }
        const result = evaluateWithin(one, activation, budget)
        if (result.kind === "error") {
          troubles.push(`expression '${one.source}' resulted in error: ${result.message}`)
        } else if (result.value === false) return false
      }
      return troubles.length === 0 || troubles.join(", ")
    },
  }
}

function compile(source: string, params: boolean): TypedExpression | string {
  const compiled = compileAdmission(source, { params, authorizer: true }, "bool")
  if (compiled.kind === "expression") return compiled.expression
  return `compilation error: ${compileErrorText(compiled.problem, source)}`
}
