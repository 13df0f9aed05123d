// What the plane reports about one object: conditions with Kubernetes' meaning. Computed once, at
// the end of a pass, from one report; an unchanged report is an unchanged status.

import { equalJson, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Diagnosis, Failure } from "../contract/diagnosis.ts"
import type { Reason } from "../contract/verdict.ts"
import { type ConditionInput, mergeConditions } from "../object/conditions.ts"
import type { ApiObject, Condition } from "../object/object.ts"

export type ReportState = "ready" | "working" | "held" | "waiting" | "denied" | "retrying" | "stuck"

/** What a diagnosis is made from. */
export interface Because {
  readonly failure?: Failure
  /** What happened, without the hint. */
  readonly fact?: string
  /** Of the verdict, the strictest first. */
  readonly reasons?: readonly Reason[]
  /** Values of other objects that are not there yet. */
  readonly waitsFor?: readonly string[]
  /** The object that has the target. */
  readonly owner?: string
  /** Finalizers of others. */
  readonly finalizers?: readonly string[]
}

export interface Report {
  readonly state: ReportState
  /** CamelCase, for machines. */
  readonly reason: string
  readonly message: string
  readonly target?: string
  readonly owned?: boolean
  readonly plan?: string
  /** Drift that the loop's policy leaves alone. */
  readonly drifted?: string
  readonly because?: Because
}

export function statusOf(
  object: ApiObject,
  report: Report,
  timestamp: string,
  diagnosis?: Diagnosis,
): JsonObject {
  const before = object.status
  const known = Array.isArray(before?.conditions) ? before.conditions : []
  const generation = object.metadata.generation ?? 0
  const conditions = mergeConditions(
    known.flatMap(readCondition),
    conditionsOf(report, generation),
    timestamp,
  )
  return {
    ...before,
    observedGeneration: generation,
    conditions: conditions.map((condition) => ({ ...condition })),
    target: report.target,
    owned: report.owned,
    plan: report.plan,
    diagnosis: diagnosis === undefined ? undefined : { ...diagnosis },
  }
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

export function sameStatus(left: JsonObject | undefined, right: JsonObject): boolean {
  return left !== undefined && equalJson(left, right)
}

function conditionsOf(report: Report, observedGeneration: number): ConditionInput[] {
  const { state, reason, message } = report
  const said = { reason, message, observedGeneration }
  const ready = state === "ready" ? "True" : state === "retrying" ? "Unknown" : "False"
  const conditions: ConditionInput[] = [{ type: "Ready", status: ready, ...said }]
  const add = (type: string) => conditions.push({ type, status: "True", ...said })
  if (state === "working" || state === "waiting" || state === "retrying") add("Reconciling")
  if (state === "stuck") add("Stalled")
  if (state === "held" || state === "denied") add("Held")
  if (report.drifted !== undefined) {
    const drift = { reason: "Drifted", message: report.drifted, observedGeneration }
    conditions.push({ type: "Drifted", status: "True", ...drift })
  }
  return conditions
}
