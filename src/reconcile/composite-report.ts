// What a composite says of itself: the status that its composer made, with conditions as they are
// for every kind. Where the composer does not say Ready, its children do. Pure.

import { isArray, isObject, type JsonObject } from "../base/json.ts"
import type { ConditionInput } from "../object/conditions.ts"
import type { ApiObject } from "../object/object.ts"
import { readInputs } from "./read-conditions.ts"
import type { Report } from "./status.ts"

/** Said by the engine itself. */
const engineConditions: ReadonlySet<string> = new Set(["Ready", "Reconciling", "Stalled", "Held"])

export function compositeReport(
  status: JsonObject,
  wanted: number,
  children: readonly ApiObject[],
): Report {
  const { conditions, ...own } = status
  const given = isArray(conditions) ? conditions.flatMap(readInputs) : []
  const extra = given.filter(({ type }) => !engineConditions.has(type))
  const said = given.find(({ type }) => type === "Ready")
  const stalled = given.find(({ type, status: is }) => type === "Stalled" && is === "True")
  const ready = said ?? readyByChildren(wanted, children)
  const { reason, message } = stalled ?? ready
  const state = stalled !== undefined ? "stuck" : ready.status === "True" ? "ready" : "working"
  return { state, reason, message, own, extra }
}

function readyByChildren(wanted: number, children: readonly ApiObject[]): ConditionInput {
  const ready = children.filter(isReady).length
  const count = `${ready} of ${wanted} ${wanted === 1 ? "child is" : "children are"} ready`
  if (ready >= wanted) return { type: "Ready", status: "True", reason: "Converged", message: count }
  const first = children.find((child) => !isReady(child))
  const why = first === undefined ? "" : `; ${first.kind} ${first.metadata.name}: ${whyNot(first)}`
  const message = `${count}${why}`
  return { type: "Ready", status: "False", reason: "ChildrenNotReady", message }
}

/** As declared now, by its own Ready condition. */
export function isReady(object: ApiObject): boolean {
  const ready = readyCondition(object)
  const { generation = 0 } = object.metadata
  const { observedGeneration = generation } = object.status ?? {}
  return ready?.status === "True" && observedGeneration === generation
}

function whyNot(object: ApiObject): string {
  const message = readyCondition(object)?.message
  return typeof message === "string" ? message : "it has not been looked at yet"
}

function readyCondition({ status }: ApiObject): JsonObject | undefined {
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  return conditions.find(({ type }) => type === "Ready")
}
