// The last step of an answer: an object or a list in the form that was asked for. Plain objects
// pass as they are; tables and metadata are made from them.

import type { IncomingHttpHeaders } from "node:http"
import type { Clock } from "../../base/clock.ts"
import type { JsonObject } from "../../base/json.ts"
import type { ObjectList } from "../../contract/client.ts"
import type { ApiObject } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { type ServedResource, servedApiVersion } from "../served-resource.ts"
import { type Negotiated, negotiate } from "./negotiate.ts"
import { metadataOnly, type TableRequest, tableBody } from "./table.ts"

export interface Asked {
  readonly resource: ServedResource
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  readonly clock: Clock
}

export interface Representation {
  /** Stored bytes can be sent as they are. */
  readonly plain: boolean
  object(object: ApiObject): object
  list(list: ObjectList): object
  /** An object of a watch; only the first table carries columns. */
  event(object: ApiObject, isFirst: boolean): object
}

/** Throws 406 before anything is done, so that no write succeeds with an answer nobody can read. */
export function representation(asked: Asked): Representation {
  const { resource } = asked
  const negotiated = negotiate(asked.headers.accept, !resource.virtual)
  const { form, version } = negotiated
  if (form === "object") return wholeObjects(resource)
  if (form === "table") return tables(asked, negotiated)
  const partial = (object: ApiObject) => metadataOnly(object, version)
  return {
    plain: false,
    object: partial,
    event: partial,
    list: (list) => ({
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${version}`,
      metadata: listMetadata(list),
      items: list.items.map(partial),
    }),
  }
}

function wholeObjects(resource: ServedResource): Representation {
  return {
    plain: true,
    object: (object) => object,
    event: (object) => object,
    list: (list) => ({
      kind: resource.listKind,
      apiVersion: servedApiVersion(resource),
      metadata: listMetadata(list),
      items: list.items,
    }),
  }
}

function tables({ resource, query, clock }: Asked, { version }: Negotiated): Representation {
  const request = (noColumns = false): TableRequest => ({
    version,
    includeObject: includeObject(query),
    noColumns,
    now: clock.now(),
  })
  const one = ({ metadata }: ApiObject): JsonObject => ({
    resourceVersion: metadata.resourceVersion ?? "",
  })
  includeObject(query)
  return {
    plain: false,
    object: (object) => tableBody(resource, [object], one(object), request()),
    event: (object, isFirst) => tableBody(resource, [object], one(object), request(!isFirst)),
    list: (list) => tableBody(resource, list.items, listMetadata(list), request()),
  }
}

function includeObject(query: URLSearchParams): TableRequest["includeObject"] {
  const asked = query.get("includeObject") ?? ""
  if (asked === "") return "Metadata"
  const known = (["None", "Metadata", "Object"] as const).find((one) => one === asked)
  if (known !== undefined) return known
  const why = "includeObject must be None, Metadata or Object"
  throw apiFault("SPT-API-006", { verb: "show", what: "a table", why })
}

export function listMetadata(list: Omit<ObjectList, "items">): JsonObject {
  const { resourceVersion, remainingItemCount } = list
  return {
    resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  }
}
