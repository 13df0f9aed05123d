// Secrets by path: with which keys they are encrypted, and changing the key. Names of keys only.

import type { ExtensionRoute } from "../api/extensions.ts"
import { apiFault } from "../api/faults.ts"
import { isObject, toPlainJson } from "../base/json.ts"
import type { Plane } from "./plane.ts"
import { planeAccess } from "./route-access.ts"

export function secretRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/secrets",
      access: () => planeAccess("get", "secrets"),
      handler: async () => {
        const trouble = await plane.sealing.look()
        const keys = plane.ports.sealer.keys()
        return toPlainJson({ keys, ...(trouble === undefined ? {} : { trouble }) })
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/secrets/rotate",
      access: () => planeAccess("update", "secrets"),
      handler: async ({ kind, name }, _params, _query, body) => {
        if (kind !== "human") throw apiFault("SPT-API-093", { principal: name })
        const newKey = !isObject(body) || body.newKey !== false
        return toPlainJson(await plane.sealing.rotate(newKey))
      },
    },
  ]
}
