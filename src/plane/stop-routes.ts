// Stop and resume over HTTP. The file is written before anything is answered; what is in flight is
// listed. Anyone may stop; only people lift a stop.

import type { ExtensionRoute } from "../api/extensions.ts"
import { isObject, type Json, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { stoppedBy } from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"
import type { Plane } from "./plane.ts"
import { readStop } from "./read-stop.ts"

export function stopRoutes(plane: Plane): ExtensionRoute[] {
  const { inFlight } = plane.engine.actuator
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/stop",
      handler: async (principal, _params, _query, body) => {
        const asked = readStop(body ?? {}, plane.ports.clock.now())
        const entry = plane.stops.newEntry(principal, asked)
        const stops = await plane.stops.apply(principal, { stops: [entry], lifts: [] })
        await plane.object.publish()
        return toPlainJson({ stops, calls: inFlight.atStop() })
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/resume",
      handler: async (principal, _params, _query, body) => {
        refuseBlank(body)
        const { reason, until: _, ...lift } = readStop(body ?? {}, plane.ports.clock.now())
        const why = reason === undefined ? {} : { reason }
        const stops = await plane.stops.apply(principal, { stops: [], lifts: [lift], ...why })
        await plane.object.publish()
        return toPlainJson({ stops })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/in-flight",
      handler: async () => {
        const entries = plane.ports.stop.entries()
        inFlight.keepStopped((subject) => stoppedBy(entries, subject) !== undefined)
        return toPlainJson({ calls: inFlight.atStop() })
      },
    },
  ]
}

/** An empty name is a slip, and must not lift the stop of everything. */
function refuseBlank(body: Json | undefined): void {
  const given = isObject(body) ? body : {}
  const blank = ["loop", "provider", "object"].find((name) => given[name] === "")
  if (blank === undefined || !protects("empty-name-lifts-nothing")) return
  throw controllerFault("SPT-STOP-005", { why: `${blank} is empty` })
}
