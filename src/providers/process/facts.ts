// From a place and what its probes say to an observation: facts in the shape of the spec, a token,
// and what others may want to know. Pure.

import { toTimestamp } from "../../base/clock.ts"
import type { JsonObject } from "../../base/json.ts"
import { type Present, present, type Waiting } from "../../contract/observation.ts"
import type { PlaceFacts } from "../../contract/processes.ts"
import { orderFacts, readNote } from "./order.ts"
import type { Phase, PhaseFacts } from "./phase.ts"
import type { Health } from "./probe-state.ts"
import type { ProcessSpec } from "./process-spec.ts"

export interface Sight {
  readonly id: string
  readonly place: PlaceFacts
  readonly phase: PhaseFacts
  readonly health: Health
  readonly now: number
}

export function observationOf(sight: Sight, spec: ProcessSpec): Present {
  const { id, place } = sight
  const { command, env, secretEnv, cwd, user, limits, revision, id: _, ...care } = spec
  const value = { ...care, id, ...orderFacts(place, spec), state: stateOf(sight.phase.phase, spec) }
  const { owner } = readNote(place.note)
  const waiting = waitingOf(sight, spec)
  return present(value as JsonObject, tokenOf(sight, spec), {
    outputs: outputsOf(sight, spec),
    ...(owner === "" ? {} : { mark: owner }),
    ...(waiting === undefined ? {} : { waiting }),
  })
}

/** Changes with every start, every end, and when a probe wants a restart. */
export function tokenOf({ place, phase }: Sight, spec: ProcessSpec): string {
  const { pid, startTime } = place.identity ?? { pid: 0, startTime: "-" }
  return `run ${place.run}: ${pid}@${startTime} ${stateOf(phase.phase, spec)}`
}

/** What is as it should be reads like the wish; anything else says what it is. */
function stateOf(phase: Phase, { state }: ProcessSpec): string {
  switch (phase) {
    case "BackOff":
    case "Completed":
    case "Failed":
      return state
    case "Hung":
      return state === "Stopped" ? "Running" : phase
    default:
      return phase
  }
}

function outputsOf({ place, phase: { phase }, health }: Sight, spec: ProcessSpec): JsonObject {
  const { identity, startedAt, exit, alive } = place
  const ready = alive && phase === "Running" && health.ready
  return {
    ...{ phase, ready, restarts: readNote(place.note).restarts, run: place.run },
    ...(alive && identity !== undefined ? { pid: identity.pid } : {}),
    ...(startedAt === undefined ? {} : { startedAt: toTimestamp(startedAt) }),
    ...(exit === undefined ? {} : { exitCode: exit.code, exitedAt: toTimestamp(exit.at) }),
    ...(spec.port === undefined ? {} : { port: spec.port }),
  }
}

function waitingOf(sight: Sight, spec: ProcessSpec): Waiting | undefined {
  const { place, health, now } = sight
  const { phase, restartAt } = sight.phase
  if (spec.state === "Stopped") return undefined
  if (phase === "BackOff" && restartAt !== undefined) {
    // A word for the length and not the time left: it must not differ at every look.
    const until = toTimestamp(restartAt)
    const message = `it ${endText(place)}; restarts wait longer each time, now until ${until}`
    return { reason: "BackOff", message, afterMs: Math.max(1, restartAt - now) }
  }
  if (phase === "Failed") return { reason: "Failed", message: `it ${endText(place)}` }
  if (phase !== "Running" || health.ready) return undefined
  if (!health.started) return { reason: "Starting", message: "its startup probe has not said yes" }
  return { reason: "NotReady", message: `its readiness probe says no${because(health)}` }
}

const because = ({ last }: Health) => (last === undefined ? "" : `: ${last}`)

export function endText({ exit, givenUp }: PlaceFacts): string {
  if (givenUp === true) return "was stopped since a probe gave it up"
  if (exit === undefined) return "ended, and nobody saw how"
  if (exit.code > 128 && exit.code < 193) return `was ended by signal ${exit.code - 128}`
  return `ended with exit code ${exit.code}`
}
