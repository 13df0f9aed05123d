// Stop and resume. The file is written before anything is answered; what is in flight is listed. No
// source and no agent can lift a stop.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toTimestamp } from "../base/clock.ts"
import { isObject, type Json, toPlainJson } from "../base/json.ts"
import type { Principal } from "../contract/principal.ts"
import { type StopEntry, stoppedBy } from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"
import { ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { Plane } from "./plane.ts"

/** The journal of what concerns the whole plane. */
export const planeJournal = "plane"

export function stopRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/stop",
      handler: async (principal, _params, _query, body) => stop(plane, principal, scopeOf(body)),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/resume",
      handler: async (principal, _params, _query, body) => resume(plane, principal, scopeOf(body)),
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/in-flight",
      handler: async () => {
        const { inFlight } = plane.engine.actuator
        const entries = plane.ports.stop.entries()
        inFlight.keepStopped((loop) => stoppedBy(entries, loop, true) !== undefined)
        return toPlainJson({ calls: inFlight.atStop() })
      },
    },
  ]
}

interface Scope {
  readonly loop: string
  readonly scope: StopEntry["scope"]
  readonly reason?: string
}

function scopeOf(body: Json | undefined): Scope {
  const given = isObject(body) ? body : {}
  const loop = typeof given.loop === "string" && given.loop !== "" ? given.loop : "*"
  const scope = given.scope === "deletes" ? "deletes" : "all"
  return { loop, scope, ...(typeof given.reason === "string" ? { reason: given.reason } : {}) }
}

const same = (entry: StopEntry, scope: Scope) =>
  entry.loop === scope.loop && entry.scope === scope.scope

async function stop(plane: Plane, principal: Principal, scope: Scope): Promise<Json> {
  const { ports, engine } = plane
  const known = ports.stop.entries()
  if (scope.loop !== "*" && plane.loops.get(scope.loop) === undefined) {
    throw controllerFault("SPT-STOP-002", { loop: scope.loop })
  }
  const at = toTimestamp(ports.clock.now())
  const entries = known.some((entry) => same(entry, scope))
    ? known
    : [...known, { ...scope, by: principal.name, at }]
  ports.stop.write(entries)
  engine.actuator.inFlight.noteStop()
  await note(plane, principal, "stop", scope, entries)
  await plane.object.publish()
  return toPlainJson({ stops: entries, calls: engine.actuator.inFlight.atStop() })
}

async function resume(plane: Plane, principal: Principal, scope: Scope): Promise<Json> {
  if (principal.kind === "agent") {
    throw controllerFault("SPT-STOP-001", { principal: principal.name })
  }
  const { ports, engine } = plane
  const entries = ports.stop.entries().filter((entry) => !same(entry, scope))
  await note(plane, principal, "resume", scope, entries)
  ports.stop.write(entries)
  await plane.object.publish()
  engine.wakeAll()
  return toPlainJson({ stops: entries })
}

async function note(
  plane: Plane,
  principal: Principal,
  type: "stop" | "resume",
  scope: Scope,
  entries: readonly StopEntry[],
): Promise<void> {
  const text = `${scope.scope} in ${scope.loop}`
  const event = {
    type,
    scope: text,
    ...(scope.reason === undefined ? {} : { reason: scope.reason }),
  } as const
  const write = putDocument(ledgerKeys.stop, { entries })
  await plane.engine.ledger.note(planeJournal, principal, [event], [write])
  plane.engine.events.stopped(scope, principal.name, type === "resume")
}

/** At start: a stop that the ledger knows stands, even if the file was lost. */
export async function restoreStops(plane: Plane): Promise<void> {
  const { ports } = plane
  const stored = await ports.store.get(ledgerKeys.stop)
  if (stored === undefined || "kind" in stored) return
  const { entries } = JSON.parse(new TextDecoder().decode(stored.value)) as {
    readonly entries: readonly StopEntry[]
  }
  const known = ports.stop.entries()
  const lost = entries.filter((entry) => !known.some((one) => same(one, entry)))
  if (lost.length > 0) ports.stop.write([...known, ...lost])
}
