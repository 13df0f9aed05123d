// Conditions out of JSON: what is stored, and what a composer says. Anything that does not look
// like one is left out.

import { isArray, isObject, type Json } from "../base/json.ts"
import type { ConditionInput } from "../object/conditions.ts"
import type { Condition } from "../object/object.ts"

export function readConditions(value: Json | undefined): Condition[] {
  return isArray(value) ? value.flatMap(readCondition) : []
}

/** A stored condition, or nothing when it does not look like one. */
function readCondition(value: Json): Condition[] {
  if (!isObject(value)) return []
  const { type, status, reason, message, lastTransitionTime } = value
  if (status !== "True" && status !== "False" && status !== "Unknown") return []
  const [kind, why, said, since] = [type, reason, message, lastTransitionTime].map(String)
  if (kind === undefined || why === undefined || said === undefined || since === undefined)
    return []
  return [{ type: kind, status, reason: why, message: said, lastTransitionTime: since }]
}

/** A condition without its time: that is the plane's to say. */
export function readInputs(condition: Json): ConditionInput[] {
  if (!isObject(condition)) return []
  const { type, status, reason, message } = condition
  if (typeof type !== "string" || type === "") return []
  if (status !== "True" && status !== "False" && status !== "Unknown") return []
  const text = (value: Json | undefined, other: string) =>
    typeof value === "string" && value !== "" ? value : other
  return [{ type, status, reason: text(reason, "Composed"), message: text(message, "") }]
}
