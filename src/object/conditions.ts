// Conditions as Kubernetes means them: one typed, timed statement each; the time moves only when
// the status does, so that an unchanged report is an unchanged object.

import type { Condition } from "./object.ts"

export type ConditionInput = Omit<Condition, "lastTransitionTime">

export function mergeConditions(
  before: readonly Condition[],
  now: readonly ConditionInput[],
  timestamp: string,
): Condition[] {
  return now.map((input) => {
    const last = before.find((condition) => condition.type === input.type)
    const unmoved = last !== undefined && last.status === input.status
    return { ...input, lastTransitionTime: unmoved ? last.lastTransitionTime : timestamp }
  })
}

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}
