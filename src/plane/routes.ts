// The paths that are not verbs: views of the ledger and of the engine, decisions on plans, stop.

import type { ExtensionRoute } from "../api/extensions.ts"
import { type Json, toPlainJson } from "../base/json.ts"
import { auditRoutes } from "./audit-routes.ts"
import { breakGlassRoutes } from "./break-glass-routes.ts"
import { checkpointRoutes } from "./checkpoint-routes.ts"
import { explainObject } from "./explain-view.ts"
import { testGuards } from "./guard-test-view.ts"
import { historyOf } from "./history-view.ts"
import { invariantsOf } from "./invariants-view.ts"
import { journalSearchRoutes } from "./journal-search-view.ts"
import { kindViews } from "./kind-views.ts"
import { logRoutes } from "./log-routes.ts"
import { objectRoutes } from "./object-routes.ts"
import { ownershipRoutes } from "./ownership-routes.ts"
import { planRoutes } from "./plan-routes.ts"
import type { Plane } from "./plane.ts"
import { reportOf } from "./report-view.ts"
import { journal, loopAccess, named, objectAccess, Sight } from "./route-access.ts"
import { secretRoutes } from "./secret-routes.ts"
import { seriesAccess, seriesOf } from "./series-view.ts"
import { sourceRoutes } from "./source-routes.ts"
import { planeStatus } from "./status-view.ts"
import { stopRoutes } from "./stop-routes.ts"
import { transferRoutes } from "./transfer-routes.ts"

export function planeRoutes(plane: Plane): ExtensionRoute[] {
  return [
    view("/setpoint/v1/status", {}, async (_query, sight) => planeStatus(plane, sight)),
    view("/setpoint/v1/series", { access: seriesAccess }, async (query, sight) =>
      seriesOf(plane, query, sight),
    ),
    view("/setpoint/v1/kinds", {}, async () => kindViews(plane)),
    view("/setpoint/v1/history", { access: historyAccess }, (query, sight) =>
      historyOf(plane, query, sight),
    ),
    view("/setpoint/v1/report", { access: reportAccess }, (query) => reportOf(plane, query)),
    view("/setpoint/v1/explain", { access: explainAccess }, (query) =>
      explainObject(plane, query.get("object") ?? ""),
    ),
    {
      method: "POST",
      pattern: "/setpoint/v1/look",
      access: (_params, query) => loopAccess("look", query.get("loop")),
      handler: async (_principal, _params, query) => {
        const chosen = query.get("loop")
        const loops = chosen === null ? plane.loops.all().map((loop) => loop.id) : [chosen]
        for (const loop of loops) await plane.loops.look(loop)
        return { looked: loops }
      },
    },
    plane.notifiers.testRoute(),
    ...logRoutes(plane),
    ...objectRoutes(plane),
    ...ownershipRoutes(plane),
    ...auditRoutes(plane),
    ...journalSearchRoutes(plane),
    view("/setpoint/v1/invariants", { access: () => [] }, async (_query, sight) =>
      invariantsOf(plane, sight),
    ),
    ...transferRoutes(plane),
    {
      method: "POST",
      pattern: "/setpoint/v1/guards/test",
      access: (_params, _query, body) => loopAccess("get", named(body, "loop"), journal),
      handler: async (_principal, _params, _query, body) =>
        toPlainJson(await testGuards(plane, body)),
    },
    ...planRoutes(plane),
    ...checkpointRoutes(plane),
    ...stopRoutes(plane),
    ...breakGlassRoutes(plane),
    ...secretRoutes(plane),
    ...sourceRoutes(plane),
  ]

  function view(
    pattern: string,
    rest: Pick<ExtensionRoute, "access">,
    show: (query: URLSearchParams, sight: Sight) => Promise<object>,
  ): ExtensionRoute {
    return {
      method: "GET",
      pattern,
      ...rest,
      handler: async (principal, _params, query): Promise<Json> =>
        toPlainJson(await show(query, new Sight(plane, principal))),
    }
  }
}

type AccessOf = NonNullable<ExtensionRoute["access"]>

const historyAccess: AccessOf = (_params, query) => {
  const [object, loop] = [query.get("object"), query.get("loop")]
  const ofObject = object === null ? [] : [objectAccess("get", object)]
  const ofLoop = loop === null ? [] : [loopAccess("get", loop, journal)]
  return [...ofObject, ...ofLoop]
}

const reportAccess: AccessOf = (_params, query) =>
  loopAccess("get", query.get("loop") ?? "", journal)

const explainAccess: AccessOf = (_params, query) => objectAccess("get", query.get("object") ?? "")
