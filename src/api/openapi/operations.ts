// What can be done with a served kind, path by path, in no particular form of OpenAPI.

import { apiVersionOf } from "../../object/object.ts"
import { subresourcesOf } from "../discovery/discovered-groups.ts"
import type { ServedResource } from "../served-resource.ts"
import { scaleName } from "./meta-models.ts"
import { isOfKubernetes, metaName, modelName } from "./model-names.ts"

export type Method = "get" | "post" | "put" | "patch" | "delete"

export interface Operation {
  readonly path: string
  readonly method: Method
  readonly id: string
  readonly description: string
  /** "list", "get", "post", ...: as clients know it. */
  readonly action: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  /** Names of query parameters. */
  readonly query: readonly string[]
  readonly body?: { readonly model: string; readonly types: readonly string[] }
  readonly result: string
  /** The status of a success that makes something, besides 200. */
  readonly creates: boolean
}

const integerParameters: ReadonlySet<string> = new Set([
  ...["limit", "timeoutSeconds", "gracePeriodSeconds"],
])
const booleanParameters: ReadonlySet<string> = new Set([
  ...["watch", "force", "allowWatchBookmarks", "sendInitialEvents"],
])

export function typeOfParameter(name: string): "integer" | "boolean" | "string" {
  if (integerParameters.has(name)) return "integer"
  return booleanParameters.has(name) ? "boolean" : "string"
}

/** Names of the models that operations take and give. */
export function modelsOf(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ result, body }) =>
    body === undefined ? [result] : [result, body.model],
  )
}

const selecting = ["labelSelector", "fieldSelector", "limit", "continue", "resourceVersion"]
const watching = ["watch", "timeoutSeconds", "allowWatchBookmarks", "resourceVersionMatch"]
const writing = ["dryRun", "fieldManager", "fieldValidation"]
const queries: Readonly<Record<string, readonly string[]>> = {
  list: [...selecting, ...watching, "sendInitialEvents"],
  get: ["resourceVersion"],
  post: writing,
  put: writing,
  patch: [...writing, "force"],
  delete: ["dryRun", "gracePeriodSeconds", "propagationPolicy"],
  deletecollection: [...selecting, "dryRun", "propagationPolicy"],
}

const bodyTypes = ["application/json", "application/yaml"]
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
]
const strategicType = "application/strategic-merge-patch+json"

/** Verb of a role, method, action, first word of the operation's id; on collections, on one. */
const onCollection: readonly (readonly [string, Method, string, string])[] = [
  ["list", "get", "list", "list"],
  ["create", "post", "post", "create"],
  ["deletecollection", "delete", "deletecollection", "deleteCollection"],
]
const onOne: readonly (readonly [string, Method, string, string])[] = [
  ["get", "get", "get", "read"],
  ["create", "post", "post", "create"],
  ["update", "put", "put", "replace"],
  ["patch", "patch", "patch", "patch"],
  ["delete", "delete", "delete", "delete"],
]

export function operationsOf(resource: ServedResource): Operation[] {
  const { group, version, kind, namespaced, verbs } = resource
  const prefix = group === "" ? "/api" : "/apis"
  const base = `${prefix}/${apiVersionOf(group, version)}`
  const collection = namespaced ? `${base}/namespaces/{namespace}` : base
  const path = `${collection}/${resource.resource}`
  const gvk = { group, version, kind }
  const scope = namespaced ? "Namespaced" : ""
  const model = modelName(resource, kind)
  const strategic = isOfKubernetes(resource)
  const make = makerOf(resource)
  const all: Operation[] = []
  for (const [verb, method, action, word] of onCollection) {
    if (!verbs.includes(verb)) continue
    const result = action === "list" ? modelName(resource, resource.listKind) : model
    all.push(make({ path, method, action, word, kind: gvk, model, result, strategic, scope }))
  }
  if (namespaced && verbs.includes("list")) {
    const result = modelName(resource, resource.listKind)
    const everywhere = { path: `${base}/${resource.resource}`, method: "get" as const }
    const listing = { action: "list", word: "list", kind: gvk, model, result, strategic }
    all.push(make({ ...everywhere, ...listing, scope: "", suffix: "ForAllNamespaces" }))
  }
  for (const [verb, method, action, word] of onOne) {
    if (!verbs.includes(verb) || verb === "create") continue
    const one = { path: `${path}/{name}`, method, action, word, kind: gvk, model, strategic, scope }
    all.push(make({ ...one, result: model }))
  }
  for (const sub of subresourcesOf(resource)) {
    const of = { group: sub.group, version: sub.version, kind: sub.kind }
    const subModel =
      sub.kind === kind ? model : sub.kind === "Scale" ? scaleName : metaName("Patch")
    for (const [verb, method, action, word] of onOne) {
      if (!sub.verbs.includes(verb)) continue
      const at = { path: `${path}/{name}/${sub.name}`, method, action, word, kind: of }
      const rest = { model: subModel, result: subModel, strategic, scope }
      all.push(make({ ...at, ...rest, suffix: capital(sub.name) }))
    }
  }
  return all
}

interface Draft {
  readonly path: string
  readonly method: Method
  readonly action: string
  readonly word: string
  readonly kind: Operation["kind"]
  readonly model: string
  readonly result: string
  readonly strategic: boolean
  readonly scope: string
  readonly suffix?: string
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

function makerOf({ group, version, kind }: ServedResource): (draft: Draft) => Operation {
  const words = group === "" ? "Core" : group.split(/[.-]/).map(capital).join("")
  return ({
    path,
    method,
    action,
    word,
    kind: of,
    model,
    result,
    strategic,
    scope,
    suffix = "",
  }) => {
    const isDelete = method === "delete"
    const body = bodyOf(method, model, strategic)
    return {
      path,
      method,
      action,
      id: `${word}${words}${capital(version)}${scope}${kind}${suffix}`,
      description: `${word} ${kind}${suffix === "" ? "" : `, ${suffix}`}`,
      kind: of,
      query: queries[action] ?? [],
      ...(body === undefined ? {} : { body }),
      result: isDelete ? metaName("Status") : result,
      creates: method === "post" || method === "put" || method === "patch",
    }
  }
}

function bodyOf(method: Method, model: string, strategic: boolean): Operation["body"] {
  if (method === "get") return undefined
  if (method === "delete") return { model: metaName("DeleteOptions"), types: bodyTypes }
  if (method !== "patch") return { model, types: bodyTypes }
  const types = strategic ? [...patchTypes, strategicType] : patchTypes
  return { model: metaName("Patch"), types }
}
