// What a request asks for, from its method, path and query alone: the resource it names and the
// access that a role must allow. Known before anything is looked up, so that whoever may not ask
// does not learn what exists.

import type { Access } from "../../contract/authorizer.ts"
import { oneNameOf, parseFieldSelector } from "../../object/field-selector.ts"
import { parsePath, type ResourcePath } from "./parse-path.ts"
import { queryFlag } from "./query-flag.ts"

export interface RequestInfo {
  readonly access: Access
  /** Undefined for paths outside of the resource grammar. */
  readonly target: ResourcePath | undefined
  readonly isWatch: boolean
}

const ofOne: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
}

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const target = parsePath(path)
  if (target === undefined) return { access: pathAccess(method, path), target, isWatch: false }
  const { resource, namespace, subresource, isOldWatch } = target
  const isGet = method === "GET" || method === "HEAD"
  const isWatch = isOldWatch || (isGet && queryFlag(query, "watch") === true)
  // Asking for one name by selector is asking for that name.
  const name = target.name || (isGet ? selectedName(query) : "")
  const access: Access = {
    verb: verbOf(method, target.name !== "", isWatch),
    group: resource.group,
    resource: resource.resource,
    subresource,
    // As in Kubernetes, a role inside a namespace may allow that namespace itself.
    namespace: isNamespaceItself(target) ? target.name : namespace,
    name,
  }
  return { access, target, isWatch }
}

export function pathAccess(method: string, path: string): Access {
  const verb = method.toLowerCase()
  return { verb, group: "", resource: "", subresource: "", namespace: "", name: "", path }
}

function verbOf(method: string, hasName: boolean, isWatch: boolean): string {
  if (isWatch) return "watch"
  if (!hasName && (method === "GET" || method === "HEAD")) return "list"
  if (!hasName && method === "DELETE") return "deletecollection"
  return ofOne[method] ?? method.toLowerCase()
}

function isNamespaceItself({ resource, namespace, name }: ResourcePath): boolean {
  return (
    resource.group === "" && resource.resource === "namespaces" && namespace === "" && name !== ""
  )
}

/** Read as the list reads it: what a role allows must be what is then shown. */
function selectedName(query: URLSearchParams): string {
  return oneNameOf(parseFieldSelector(query.get("fieldSelector") ?? "") ?? []) ?? ""
}
