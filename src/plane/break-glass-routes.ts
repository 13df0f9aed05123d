// Breaking the glass of a loop, ending that, and which glasses are broken.

import type { ExtensionRoute } from "../api/extensions.ts"
import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { type BreakGlassRequest, breakGlassDefaults, glassView } from "./break-glass-keeper.ts"
import { planeFault } from "./faults.ts"
import type { Plane } from "./plane.ts"
import { loopAccess, named, Sight } from "./route-access.ts"

const pattern = "/setpoint/v1/break-glass"

const decision: Pick<ExtensionRoute, "access" | "onlyPeople"> = {
  access: (_params, _query, body) => loopAccess("break-glass", named(body, "loop")),
  onlyPeople: ({ name, kind }, _params, body) => {
    const facts = { loop: named(body, "loop"), principal: name, kind: kindText[kind] }
    return planeFault("SPT-GLASS-001", facts)
  },
}

export function breakGlassRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern,
      access: () => [],
      handler: async (principal) => {
        const sight = new Sight(plane, principal)
        const all = plane.glass.all().filter(({ loop }) => sight.loop(loop))
        return toPlainJson({ breakGlass: all.map(glassView) })
      },
    },
    {
      method: "POST",
      pattern,
      ...decision,
      handler: async (principal, _params, _query, body) =>
        toPlainJson(glassView(await plane.glass.break(principal, requestOf(body)))),
    },
    {
      method: "POST",
      pattern: `${pattern}/end`,
      ...decision,
      handler: async (principal, _params, _query, body) =>
        toPlainJson(glassView(await plane.glass.end(principal, requestOf(body).loop))),
    },
  ]
}

/** What can't be read becomes a value that is refused with its reason. */
function requestOf(body: Json | undefined): BreakGlassRequest {
  const given: JsonObject = isObject(body) ? body : {}
  const { loop, reason, deletes } = given
  const text = given.for
  const forMs = text === undefined ? breakGlassDefaults.forMs : parseDuration(String(text))
  return {
    loop: typeof loop === "string" ? loop : "",
    reason: typeof reason === "string" ? reason : "",
    forMs: forMs ?? Number.NaN,
    deletes: deletes === undefined ? breakGlassDefaults.deletes : Number(deletes),
  }
}
