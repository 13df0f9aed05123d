// In which phase a process is, and when an ended one is started again. Pure: from what its place
// and its probes say. Restarts follow the kubelet: the first at once, then after a time that
// doubles up to a bound, counted anew after a run that lasted.

import { protects } from "../../base/protections.ts"
import type { PlaceFacts } from "../../contract/processes.ts"
import { readNote } from "./order.ts"
import type { ProcessSpec } from "./process-spec.ts"

export type Phase =
  /** Nothing was ordered, or nothing came of the order. */
  | "Unstarted"
  | "Running"
  /** A probe says that it has to be restarted. */
  | "Hung"
  /** Ended by itself, and to be started now. */
  | "Exited"
  /** Ended by itself, and to be started later. */
  | "BackOff"
  /** Ended by itself, and left so. */
  | "Completed"
  | "Failed"
  /** Ended because that was wanted, and what it started is still there. */
  | "Stopping"
  /** Ended because that was wanted. */
  | "Stopped"
  /** The machine was started anew since. */
  | "Lost"

export interface PhaseInput {
  readonly place: PlaceFacts
  readonly spec: Pick<ProcessSpec, "state" | "restart" | "backoff">
  /** It was last wanted stopped. */
  readonly wasStopped: boolean
  readonly bootId: string
  /** Why a probe wants it restarted. */
  readonly hung?: string | undefined
  /** Wall time in milliseconds. */
  readonly now: number
}

export interface PhaseFacts {
  readonly phase: Phase
  /** Of phase BackOff: wall time in milliseconds. */
  readonly restartAt?: number
}

export function phaseOf(input: PhaseInput): PhaseFacts {
  const { place, spec, wasStopped, bootId, hung, now } = input
  if (place.alive) return { phase: hung === undefined ? "Running" : "Hung" }
  if (place.identity === undefined) {
    const settled = spec.state === "Stopped" && (place.run === 0 || place.cancelled === true)
    return { phase: settled ? "Stopped" : "Unstarted" }
  }
  if (wasStopped || spec.state === "Stopped") {
    return { phase: place.stragglers === undefined ? "Stopped" : "Stopping" }
  }
  const { exit, identity } = place
  const good = exit?.code === 0 && place.givenUp !== true
  const left = spec.restart === "Never" || (spec.restart === "OnFailure" && good)
  if (left) return { phase: good ? "Completed" : "Failed" }
  if (identity.bootId !== bootId) return { phase: "Lost" }
  const endedAt = exit?.at ?? place.startedAt ?? now
  const restartAt = endedAt + backoffMs(place, spec)
  // A clock that was set back must not keep it down for longer than the backoff itself.
  const due = restartAt <= now || endedAt > now + clockSlackMs
  return due ? { phase: "Exited" } : { phase: "BackOff", restartAt }
}

const clockSlackMs = 60_000

/** Short runs in a row, this ended one not counted. */
export function failuresOf(place: PlaceFacts, { backoff }: Pick<ProcessSpec, "backoff">): number {
  const { startedAt, exit } = place
  const lasted = startedAt === undefined || exit === undefined ? 0 : exit.at - startedAt
  return lasted >= backoff.resetSeconds * 1000 ? 0 : readNote(place.note).failures
}

export function backoffMs(place: PlaceFacts, spec: Pick<ProcessSpec, "backoff">): number {
  const failures = failuresOf(place, spec)
  if (failures === 0 || !protects("restarts-back-off")) return 0
  const { initialSeconds, maxSeconds } = spec.backoff
  return 1000 * Math.min(maxSeconds, initialSeconds * 2 ** Math.min(failures - 1, 30))
}
