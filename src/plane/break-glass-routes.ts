// Breaking the glass of a loop, ending that, and which glasses are broken.

import type { ExtensionRoute } from "../api/extensions.ts"
import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { type BreakGlassRequest, breakGlassDefaults, glassView } from "./break-glass-keeper.ts"
import type { Plane } from "./plane.ts"

const pattern = "/setpoint/v1/break-glass"

export function breakGlassRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern,
      handler: async () => toPlainJson({ breakGlass: plane.glass.all().map(glassView) }),
    },
    {
      method: "POST",
      pattern,
      handler: async (principal, _params, _query, body) =>
        toPlainJson(glassView(await plane.glass.break(principal, requestOf(body)))),
    },
    {
      method: "POST",
      pattern: `${pattern}/end`,
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
