// Objects as people look at them: all of them as lines, one of them with its fields, its ties and
// what happened to it. Reads only.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toPlainJson } from "../base/json.ts"
import type { Principal } from "../contract/principal.ts"
import { standingOf } from "../object/standing.ts"
import { type Explained, explainObject } from "./explain-view.ts"
import { fieldRows } from "./object-fields.ts"
import { objectsOf } from "./objects-view.ts"
import type { Plane } from "./plane.ts"
import { relationsOf } from "./relations-view.ts"
import { objectAccess, Sight } from "./route-access.ts"
import { timelineOf } from "./timeline-view.ts"

/** A page that stays open must not list a whole zone each second for itself. */
const listingMs = 3000

type AccessOf = NonNullable<ExtensionRoute["access"]>

const gets: AccessOf = (_params, query) => objectAccess("get", query.get("object") ?? "")

export function objectRoutes(plane: Plane): ExtensionRoute[] {
  return [
    route(
      "objects",
      () => [],
      async (principal, query) => objectsOf(plane, query, new Sight(plane, principal)),
    ),
    route("object", gets, (principal, query) =>
      objectView(plane, query.get("object") ?? "", principal),
    ),
    route("timeline", gets, (principal, query) =>
      timelineOf(plane, query, new Sight(plane, principal)),
    ),
  ]
}

function route(
  name: string,
  access: AccessOf,
  show: (principal: Principal, query: URLSearchParams) => Promise<object>,
): ExtensionRoute {
  return {
    ...{ method: "GET", pattern: `/setpoint/v1/${name}`, access },
    handler: async (principal, _params, query) => toPlainJson(await show(principal, query)),
  }
}

async function objectView(plane: Plane, key: string, principal: Principal): Promise<object> {
  const explained = await explainObject(plane, key, (known) => about(plane, known), listingMs)
  const relations = await relationsOf(plane, key, new Sight(plane, principal))
  return { ...explained, relations }
}

function about({ ports }: Plane, { object, kind, found, record, seen }: Explained): object {
  const { metadata } = object
  const observation = seen?.observation
  const fields = fieldRows({
    ...{ object, kind, record, desired: found.desired, references: found.references },
    observed: observation?.kind === "present" ? observation.value : undefined,
    changes: seen?.changes ?? [],
    hasher: ports.hasher,
  })
  return {
    apiVersion: object.apiVersion,
    namespace: metadata.namespace ?? "",
    uid: metadata.uid,
    created: metadata.creationTimestamp,
    standing: standingOf(object).word,
    rows: fields.rows,
    rowsCut: fields.cut,
    outputs: object.status?.outputs,
    log: kind.provider.log !== undefined,
  }
}
