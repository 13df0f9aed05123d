// What the plane reports about one object: conditions with Kubernetes' meaning. Computed once, at
// the end of a pass, from one report; an unchanged report is an unchanged status.

import { equalJson, type JsonObject } from "../base/json.ts"
import type { Diagnosis, Failure } from "../contract/diagnosis.ts"
import type { Reason } from "../contract/verdict.ts"
import { type ConditionInput, mergeConditions } from "../object/conditions.ts"
import type { ApiObject } from "../object/object.ts"
import { readConditions } from "./read-conditions.ts"

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
  /** What the target says of itself; empty when it says nothing, and kept when missing. */
  readonly outputs?: JsonObject
  /** Members of the status that the engine knows nothing of; those stored stay when missing. */
  readonly own?: JsonObject
  /** Conditions besides those that follow from the state. */
  readonly extra?: readonly ConditionInput[]
}

export function statusOf(
  object: ApiObject,
  report: Report,
  timestamp: string,
  diagnosis?: Diagnosis,
): JsonObject {
  const before = object.status
  const generation = object.metadata.generation ?? 0
  const conditions = mergeConditions(
    readConditions(before?.conditions),
    conditionsOf(report, generation),
    timestamp,
  )
  return {
    ...(report.own ?? before),
    observedGeneration: generation,
    conditions: conditions.map((condition) => ({ ...condition })),
    ...outputsAfter(report.outputs),
    target: report.target,
    owned: report.owned,
    plan: report.plan,
    diagnosis: diagnosis === undefined ? undefined : { ...diagnosis },
  }
}

function outputsAfter(outputs: JsonObject | undefined): JsonObject {
  if (outputs === undefined) return {}
  return { outputs: Object.keys(outputs).length === 0 ? undefined : outputs }
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
  for (const extra of report.extra ?? []) conditions.push({ ...extra, observedGeneration })
  return conditions
}
