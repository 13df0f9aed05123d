// The paths that are not verbs: views of the ledger and of the engine, decisions on plans, stop.

import type { ExtensionRoute } from "../api/extensions.ts"
import { type Json, toPlainJson } from "../base/json.ts"
import { auditRoutes } from "./audit-routes.ts"
import { breakGlassRoutes } from "./break-glass-routes.ts"
import { checkpointRoutes } from "./checkpoint-routes.ts"
import { explainObject } from "./explain-view.ts"
import { testGuards } from "./guard-test-view.ts"
import { historyOf } from "./history-view.ts"
import { kindViews } from "./kind-views.ts"
import { ownershipRoutes } from "./ownership-routes.ts"
import { planRoutes } from "./plan-routes.ts"
import type { Plane } from "./plane.ts"
import { reportOf } from "./report-view.ts"
import { planeStatus } from "./status-view.ts"
import { stopRoutes } from "./stop-routes.ts"
import { transferRoutes } from "./transfer-routes.ts"

export function planeRoutes(plane: Plane): ExtensionRoute[] {
  return [
    view("/setpoint/v1/status", async () => planeStatus(plane)),
    view("/setpoint/v1/kinds", async () => kindViews(plane)),
    view("/setpoint/v1/history", (query) => historyOf(plane, query)),
    view("/setpoint/v1/report", (query) => reportOf(plane, query)),
    view("/setpoint/v1/explain", (query) => explainObject(plane, query.get("object") ?? "")),
    {
      method: "POST",
      pattern: "/setpoint/v1/look",
      handler: async (_principal, _params, query) => {
        const chosen = query.get("loop")
        const loops = chosen === null ? plane.loops.all().map((loop) => loop.id) : [chosen]
        for (const loop of loops) await plane.loops.look(loop)
        return { looked: loops }
      },
    },
    ...ownershipRoutes(plane),
    ...auditRoutes(plane),
    ...transferRoutes(plane),
    {
      method: "POST",
      pattern: "/setpoint/v1/guards/test",
      handler: async (_principal, _params, _query, body) =>
        toPlainJson(await testGuards(plane, body)),
    },
    ...planRoutes(plane),
    ...checkpointRoutes(plane),
    ...stopRoutes(plane),
    ...breakGlassRoutes(plane),
  ]
}

function view(pattern: string, show: (query: URLSearchParams) => Promise<object>): ExtensionRoute {
  return {
    method: "GET",
    pattern,
    handler: async (_principal, _params, query): Promise<Json> => toPlainJson(await show(query)),
  }
}
