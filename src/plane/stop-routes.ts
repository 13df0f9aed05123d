// Stop and resume over HTTP. The file is written before anything is answered; what is in flight is
// listed. Anyone may stop; only people lift a stop.

import type { ExtensionRoute, WantedAccess } from "../api/extensions.ts"
import { isObject, type Json, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { type StopEntry, stoppedBy } from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"
import { kindText } from "../controllers/plan-approval.ts"
import type { Plane } from "./plane.ts"
import { readStop } from "./read-stop.ts"
import { loopAccess, named, objectAccess, planeAccess, Sight } from "./route-access.ts"

export function stopRoutes(plane: Plane): ExtensionRoute[] {
  const { inFlight } = plane.engine.actuator
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/stop",
      access: (_params, _query, body) => stopAccess("stop", body),
      handler: async (principal, _params, _query, body) => {
        const asked = readStop(body ?? {}, plane.ports.clock.now())
        const entry = plane.stops.newEntry(principal, asked)
        const stops = await plane.stops.apply(principal, { stops: [entry], lifts: [] })
        await plane.object.publish()
        const sight = new Sight(plane, principal)
        const calls = inFlight.atStop().filter(({ object }) => sight.object(object))
        return toPlainJson({ stops: seenStops(stops, sight), calls })
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/resume",
      access: (_params, _query, body) => stopAccess("resume", body),
      onlyPeople: ({ name, kind }) =>
        controllerFault("SPT-STOP-001", { principal: name, kind: kindText[kind] }),
      handler: async (principal, _params, _query, body) => {
        refuseBlank(body)
        const { reason, until: _, ...lift } = readStop(body ?? {}, plane.ports.clock.now())
        const why = reason === undefined ? {} : { reason }
        const stops = await plane.stops.apply(principal, { stops: [], lifts: [lift], ...why })
        await plane.object.publish()
        return toPlainJson({ stops: seenStops(stops, new Sight(plane, principal)) })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/in-flight",
      access: () => [],
      handler: async (principal) => {
        const sight = new Sight(plane, principal)
        const entries = plane.ports.stop.entries()
        inFlight.keepStopped((subject) => stoppedBy(entries, subject) !== undefined)
        const calls = inFlight.atStop().filter(({ object }) => sight.object(object))
        return toPlainJson({ calls })
      },
    },
  ]
}

/** Whoever may stop everything may stop one thing, too. */
function stopAccess(verb: string, body: Json | undefined): WantedAccess[] {
  const [loop, object] = [named(body, "loop"), named(body, "object")]
  if (object !== "") return [planeAccess(verb), objectAccess(verb, object)]
  if (loop === "" || loop === "*") return [planeAccess(verb)]
  return [planeAccess(verb), loopAccess(verb, loop)]
}

/** A stop of the whole plane concerns everyone. */
export function seenStops(stops: readonly StopEntry[], sight: Sight): StopEntry[] {
  return stops.filter(({ loop, object }) => {
    if (object !== undefined) return sight.object(object)
    return loop === "*" || sight.loop(loop)
  })
}

/** An empty name is a slip, and must not lift the stop of everything. */
function refuseBlank(body: Json | undefined): void {
  const given = isObject(body) ? body : {}
  const blank = ["loop", "provider", "object"].find((name) => given[name] === "")
  if (blank === undefined || !protects("empty-name-lifts-nothing")) return
  throw controllerFault("SPT-STOP-005", { why: `${blank} is empty` })
}
