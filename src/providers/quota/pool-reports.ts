// What a pool says of itself and to its workloads: phase, seats, and in one sentence why it runs,
// waits or was evicted. The same facts give the same words, so that a quiet pool writes nothing.

import type { Json, JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { type Eviction, invalidReason, type PoolView, type PoolWorkload } from "./read-pool.ts"
import { type QuotaPlan, type Seat, sizeOf } from "./snapshot.ts"
import { seatsText } from "./workload-children.ts"

export type Told =
  | { readonly phase: "Running"; readonly seats: readonly Seat[] }
  | {
      readonly phase: "Waiting"
      readonly reason: string
      readonly message: string
      readonly reserved?: readonly Seat[] | undefined
      /** When its GPUs were free after an eviction. */
      readonly endedAt?: string
    }
  | {
      readonly phase: "Preempting"
      readonly eviction: Eviction | undefined
      readonly step: string
    }
  | { readonly phase: "Done"; readonly failed?: number }

export interface Said {
  readonly object: ApiObject
  readonly status: JsonObject
}

export function condition(
  type: string,
  isTrue: boolean,
  reason: string,
  message: string,
): JsonObject {
  return { type, status: isTrue ? "True" : "False", reason, message: message.slice(0, 1000) }
}

export function workloadReport(workload: PoolWorkload, told: Told): Said {
  const { object } = workload
  const before = evictionJson(workload.eviction)
  const { refusal } = workload
  switch (told.phase) {
    case "Running": {
      const seats = seatsText(told.seats)
      const ready =
        refusal === undefined
          ? condition("Ready", true, "Running", `runs on ${seats}`)
          : condition("Ready", false, invalidReason, `goes on as before on ${seats}: ${refusal}`)
      return { object, status: { phase: "Running", seats, ...before, conditions: [ready] } }
    }
    case "Waiting":
      return { object, status: waitingStatus(workload, told) }
    case "Preempting": {
      const { reason = "Stopping", message = "its processes were changed by somebody else" } =
        told.eviction ?? {}
      const also = refusal === undefined ? "" : `; ${refusal}`
      const ready = condition("Ready", false, reason, `evicted (${told.step}): ${message}${also}`)
      const eviction = evictionJson(told.eviction)
      const seats = seatsText(workload.processes.seats ?? [])
      return { object, status: { phase: "Preempting", seats, ...eviction, conditions: [ready] } }
    }
    case "Done": {
      const failed = told.failed ?? Number(object.status?.failed ?? 0)
      const message = failed === 0 ? "it ended by itself" : `${failed} of its processes failed`
      const ready = condition("Ready", failed === 0, failed === 0 ? "Done" : "Failed", message)
      return { object, status: { phase: "Done", failed, ...before, conditions: [ready] } }
    }
  }
}

function waitingStatus(
  { eviction, phase }: PoolWorkload,
  { reason, message, reserved, endedAt }: Extract<Told, { readonly phase: "Waiting" }>,
): JsonObject {
  // A process that stopped without being evicted leaves nothing to tell.
  const ended = eviction !== undefined && phase === "Preempting" && endedAt !== undefined
  const last = ended ? { ...eviction, endedAt } : eviction
  const evicted = last === undefined ? "" : `; evicted at ${last.at}: ${last.message}`
  return {
    phase: "Waiting",
    ...(reserved === undefined ? {} : { reserved: seatsText(reserved) }),
    ...evictionJson(last),
    conditions: [condition("Ready", false, reason, `${message}${evicted}`)],
  }
}

function evictionJson(eviction: Eviction | undefined): { readonly eviction?: JsonObject } {
  return eviction === undefined ? {} : { eviction: { ...eviction } }
}

const shown = 20

const neverStarts = ({ facts, phase }: PoolWorkload): boolean =>
  facts === undefined && phase !== "Done"

export function poolStatus({ snapshot, workloads, nodes, tenants }: PoolView, plan: QuotaPlan) {
  const count = (kind: string) =>
    snapshot.workloads.filter(({ state }) => state.kind === kind).length
  const gpus = snapshot.nodes.reduce((sum, node) => sum + node.gpus, 0)
  const held = snapshot.workloads
    .filter(({ state }) => state.kind !== "waiting")
    .reduce((sum, one) => sum + sizeOf(one), 0)
  const { doubts } = plan
  const refused = workloads.filter(({ refusal }) => refusal !== undefined)
  const complaints = [...plan.complaints, ...refused.flatMap(({ refusal }) => refusal ?? [])]
  const words = [...doubts, ...complaints]
  const frozen = doubts.length > 0
  const reason = frozen ? "FactsMissing" : words.length > 0 ? "NotMet" : "Kept"
  const counts = `${held} of ${gpus} GPUs held, ${count("waiting")} workloads wait`
  const message = words.length === 0 ? counts : `${words[0]}; ${counts}`
  const list = (all: readonly string[]): readonly Json[] => all.slice(0, shown)
  const status: JsonObject = {
    ...{ gpus, held, nodes: nodes.length, tenants: tenants.length },
    workloads: workloads.length,
    running: count("running") + plan.admitted.length - plan.victims.length,
    leaving: count("leaving") + plan.victims.length,
    waiting: plan.waiting.length + refused.filter(neverStarts).length,
    ...(frozen ? { doubts: list(doubts) } : {}),
    ...(complaints.length > 0 ? { complaints: list(complaints) } : {}),
    conditions: [
      condition("Ready", words.length === 0, reason, message),
      condition(
        "EvictionsFrozen",
        frozen,
        reason,
        frozen ? `nobody is evicted: ${doubts[0]}` : "every fact that evictions need is known",
      ),
    ],
  }
  return status
}
