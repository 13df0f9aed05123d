// The audit of the journal over the API: heads to keep elsewhere, verification, entries in pages.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toTimestamp } from "../base/clock.ts"
import { toPlainJson } from "../base/json.ts"
import { entriesPage, keptHeads, readHeads, verifyJournals } from "../ledger/audit.ts"
import { journalLoops } from "../ledger/journal.ts"
import type { Plane } from "./plane.ts"
import { journal, loopAccess, planeAccess } from "./route-access.ts"

export function auditRoutes(plane: Plane): ExtensionRoute[] {
  const { store, clock } = plane.ports
  const access = () => planeAccess("get", "audit")
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/audit/heads",
      access,
      handler: async () => {
        const heads = await keptHeads(store)
        const { planeId } = store.identity
        return toPlainJson({ format: 1, plane: planeId, time: toTimestamp(clock.now()), heads })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/audit/loops",
      access,
      handler: async () => ({ loops: await journalLoops(store) }),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/audit/verify",
      access,
      handler: async (_principal, _params, query, body) => {
        const breathe = () => plane.engine.breath.due()
        const heads = readHeads(body)
        const checks = await verifyJournals(store, query.get("loop"), heads, breathe)
        return toPlainJson({ checks })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/audit/entries",
      access: (_params, query) => [access(), loopAccess("get", query.get("loop"), journal)],
      handler: async (_principal, _params, query) => {
        const loop = query.get("loop") ?? ""
        const after = Math.max(0, Number(query.get("after") ?? 0) || 0)
        const asked = { loop, after, since: query.get("since") ?? "" }
        return toPlainJson(await entriesPage(store, asked, clock.now()))
      },
    },
  ]
}
