// The Kubernetes paths: method and path to a verb, its result to an answer. Holds no rules of its
// own.

import type { IncomingHttpHeaders } from "node:http"
import type { Clock } from "../../base/clock.ts"
import { isObject, type Json } from "../../base/json.ts"
import type { ListOptions, PatchType, WriteOptions } from "../../contract/client.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Verbs, Written } from "../../contract/verbs.ts"
import type { ApiObject } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { refuseInitialEvents } from "../list-options.ts"
import { objectBytes } from "../object-bytes.ts"
import type { RawReads } from "../raw-reads.ts"
import { resourceName, type ServedResource, servedApiVersion } from "../served-resource.ts"
import { successStatus } from "../status-object.ts"
import { invalidOptions } from "../validate-object.ts"
import type { Answer } from "./answer.ts"
import { type ReadDeleteOptions, readDeleteOptions } from "./delete-options.ts"
import type { ResourcePath } from "./parse-path.ts"
import { queryFlag } from "./query-flag.ts"
import type { BodyType } from "./read-body.ts"
import { listMetadata, type Representation, representation } from "./representation.ts"

export interface ResourceCall {
  readonly verbs: Verbs
  readonly reads: RawReads
  readonly clock: Clock
  readonly principal: Principal
  readonly resource: ServedResource
  readonly path: ResourcePath
  readonly method: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly bodyType: BodyType
  readonly body: Json | undefined
  /** Members that the body held twice. */
  readonly duplicates: readonly string[]
  /** The caller wants the object of a finished delete, not a Status. */
  readonly wantsObject: boolean
}

export async function serveResource(call: ResourceCall): Promise<Answer> {
  const { path, method, resource } = call
  if (!hasSubresource(resource, path.subresource)) throw unknownPath(call)
  if (path.subresource === "scale") return withWarning(call, await scaleAnswer(call))
  return withWarning(call, await answerTo(call, method, representation(call)))
}

function hasSubresource(resource: ServedResource, subresource: string): boolean {
  if (subresource === "") return !resource.virtual
  if (subresource === "status") return resource.statusSubresource
  return subresource === "scale" && resource.scale !== undefined
}

function withWarning({ resource }: ResourceCall, answer: Answer): Answer {
  const { deprecationWarning } = resource
  if (deprecationWarning === undefined) return answer
  return { ...answer, warnings: [deprecationWarning, ...(answer.warnings ?? [])] }
}

async function answerTo(call: ResourceCall, method: string, form: Representation): Promise<Answer> {
  const { path } = call
  if (path.name === "") {
    if (method === "GET") return listAnswer(call, form)
    if (method === "POST") return createAnswer(call, form)
    if (method === "DELETE") return deleteAllAnswer(call, form)
  } else {
    if (method === "GET") return getAnswer(call, form)
    if (method === "PUT") return replaceAnswer(call, form)
    if (method === "PATCH") return patchAnswer(call, form)
    if (method === "DELETE" && path.subresource === "") return deleteAnswer(call, form)
  }
  throw apiFault("SPT-API-021", { method, path: pathText(call) })
}

const pathText = ({ path }: ResourceCall): string =>
  [resourceName(path.resource), path.namespace, path.name, path.subresource]
    .filter((part) => part !== "")
    .join("/")

function unknownPath(call: ResourceCall): Error {
  return apiFault("SPT-API-025", { path: pathText(call) })
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined
}

function bad(verb: string, why: string): Error {
  return apiFault("SPT-API-006", { verb, what: "the request", why })
}

export function listOptions({ path, query }: Pick<ResourceCall, "path" | "query">): ListOptions {
  const limitText = textOf(query, "limit")
  const limit = limitText === undefined ? undefined : Number(limitText)
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) {
    throw bad("list", `limit "${limitText}" is not valid`)
  }
  const timeout = textOf(query, "timeoutSeconds") ?? ""
  if (!/^([+-]?\d{1,15})?$/.test(timeout))
    throw bad("list", `timeoutSeconds "${timeout}" is not valid`)
  const labelSelector = textOf(query, "labelSelector")
  const fieldSelector = textOf(query, "fieldSelector")
  const token = textOf(query, "continue")
  const resourceVersion = textOf(query, "resourceVersion")
  const resourceVersionMatch = matchOf(textOf(query, "resourceVersionMatch"))
  return {
    ...(path.namespace === "" ? {} : { namespace: path.namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(limit === undefined ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  }
}

function matchOf(text: string | undefined): ListOptions["resourceVersionMatch"] {
  if (text === undefined || text === "") return undefined
  const known = (["Exact", "NotOlderThan"] as const).find((one) => one === text)
  if (known !== undefined) return known
  const supported = '"Exact", "NotOlderThan", ""'
  throw unsupported("GET", "resourceVersionMatch", JSON.stringify(text), supported)
}

const optionsOf: Readonly<Record<string, string>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
}

function unsupported(method: string, field: string, given: string, known: string): Error {
  const message = `Unsupported value: ${given}: supported values: ${known}`
  const cause = { field, reason: "FieldValueNotSupported", message }
  return invalidOptions(optionsOf[method] ?? "ListOptions", cause)
}

function isDryRun(method: string, values: readonly (Json | undefined)[]): boolean {
  const given = values.filter((value) => value !== undefined)
  if (given.some((value) => value !== "All")) {
    throw unsupported(method, "dryRun", JSON.stringify(given), '"All"')
  }
  return given.length > 0
}

/** As Kubernetes names a manager that does not name itself: its program. */
function programOf({ "user-agent": agent = "" }: IncomingHttpHeaders): string | undefined {
  const program = agent
    .split("/", 1)[0]
    ?.replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 128)
  return program === "" ? undefined : program
}

function writeOptions({ method, query, headers, duplicates }: ResourceCall): WriteOptions {
  const fieldManager = textOf(query, "fieldManager") ?? programOf(headers)
  const validation = textOf(query, "fieldValidation")
  if (validation !== undefined && !["", "Strict", "Warn", "Ignore"].includes(validation)) {
    const known = '"", "Ignore", "Strict", "Warn"'
    throw unsupported(method, "fieldValidation", JSON.stringify(validation), known)
  }
  return {
    dryRun: isDryRun(method, query.getAll("dryRun")),
    ...(duplicates.length === 0 ? {} : { duplicates }),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(validation === undefined || validation === ""
      ? {}
      : { fieldValidation: validation as NonNullable<WriteOptions["fieldValidation"]> }),
  }
}

function deleteOptions({ query, body, duplicates }: ResourceCall): ReadDeleteOptions {
  const [twice] = duplicates
  if (twice !== undefined) throw bad("delete", `${twice} is in the body twice`)
  return readDeleteOptions(query, body, (values) => isDryRun("DELETE", values))
}

/** The object of the body, at home where the path says. */
function bodyObject({ body, path, resource }: ResourceCall, verb: string): ApiObject {
  if (!isObject(body) || !isObject(body.metadata)) throw bad(verb, "the body is no object")
  const { metadata } = body
  const namespace = metadata.namespace ?? ""
  if (namespace !== "" && namespace !== path.namespace) {
    throw bad(verb, "the namespace of the object does not match the namespace of the request")
  }
  if (path.name !== "" && metadata.name !== undefined && metadata.name !== path.name) {
    throw bad(verb, "the name of the object does not match the name of the request")
  }
  if (resource.namespaced && path.namespace === "") throw bad(verb, "a namespace is required")
  const home = {
    ...metadata,
    ...(path.namespace === "" ? {} : { namespace: path.namespace }),
    ...(path.name === "" ? {} : { name: path.name }),
  }
  return { ...body, metadata: home } as Partial<ApiObject> as ApiObject
}

function written({ resource }: ResourceCall, form: Representation, result: Written): Answer {
  const { created, warnings, stored, object } = result
  const status = created ? 201 : 200
  const bytes =
    form.plain && stored !== undefined
      ? objectBytes(resource, stored.value, stored.revision, "\n")
      : undefined
  if (bytes === undefined) return { status, body: form.object(object), warnings }
  return { status, bytes, contentType: "application/json", warnings }
}

async function listAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, reads, principal, path, query, resource } = call
  if (query.has("sendInitialEvents")) refuseInitialEvents()
  if (!form.plain) {
    const list = await verbs.list(principal, path.resource, listOptions(call))
    return { status: 200, body: form.list(list) }
  }
  const { items, ...rest } = await reads.list(path.resource, listOptions(call))
  const head = {
    kind: resource.listKind,
    apiVersion: servedApiVersion(resource),
    metadata: listMetadata(rest),
  }
  return json(joinList(head, items))
}

const json = (bytes: Uint8Array): Answer => ({
  status: 200,
  bytes,
  contentType: "application/json",
})

const comma = Buffer.from(",")

/** The list around its items, which are not looked into. */
function joinList(head: object, items: readonly Uint8Array[]): Uint8Array {
  const text = JSON.stringify(head)
  const parts: Uint8Array[] = [Buffer.from(`${text.slice(0, -1)},"items":[`)]
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(comma)
    parts.push(item)
  }
  parts.push(Buffer.from("]}\n"))
  return Buffer.concat(parts)
}

async function getAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, reads, principal, path } = call
  const { resource, namespace, name } = path
  const ref = { ...resource, namespace, name }
  if (form.plain) {
    const bytes = await reads.get(ref, "\n")
    if (bytes !== undefined) return json(bytes)
  } else {
    const object = await verbs.get(principal, ref)
    if (object !== undefined) return { status: 200, body: form.object(object) }
  }
  const names = { resource: resourceName(resource), name, group: resource.group }
  throw apiFault("SPT-API-001", names)
}

async function createAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, principal, path, method, resource } = call
  if (resource.namespaced && path.namespace === "") {
    throw apiFault("SPT-API-021", { method, path: pathText(call) })
  }
  const object = bodyObject(call, "create")
  return written(
    call,
    form,
    await verbs.create(principal, path.resource, object, writeOptions(call)),
  )
}

async function replaceAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, principal, path } = call
  const object = bodyObject(call, "update")
  const verb = path.subresource === "status" ? verbs.updateStatus : verbs.update
  return written(call, form, await verb(principal, path.resource, object, writeOptions(call)))
}

async function patchAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, principal, path, bodyType, body, query } = call
  const { resource, namespace, name } = path
  const status = path.subresource === "status" ? ({ subresource: "status" } as const) : {}
  const options = { ...writeOptions(call), ...status }
  if (bodyType === "apply") {
    const object = bodyObject(call, "apply")
    const fieldManager = textOf(query, "fieldManager") ?? ""
    const force = queryFlag(query, "force") === true
    return written(
      call,
      form,
      await verbs.apply(principal, resource, object, { ...options, fieldManager, force }),
    )
  }
  const type = needPatchType(bodyType)
  if (body === undefined) throw bad("patch", "the body is missing")
  const ref = { ...resource, namespace, name }
  return written(call, form, await verbs.patch(principal, ref, type, body, options))
}

const patchTypes: Readonly<Partial<Record<BodyType, PatchType>>> = {
  merge: "merge",
  jsonPatch: "json",
  strategic: "strategic",
}

function needPatchType(bodyType: BodyType): PatchType {
  const type = patchTypes[bodyType]
  if (type === undefined) throw apiFault("SPT-API-022", { type: "application/json for a patch" })
  return type
}

/** The number of replicas alone, whatever the kind. */
async function scaleAnswer(call: ResourceCall): Promise<Answer> {
  const { verbs, principal, path, method, bodyType, body, query } = call
  const ref = { ...path.resource, namespace: path.namespace, name: path.name }
  const { scale } = verbs
  const plain = (result: Written): Answer => ({
    status: 200,
    body: result.object,
    warnings: result.warnings,
  })
  if (method === "GET") return { status: 200, body: await scale.get(principal, ref) }
  const options = writeOptions(call)
  if (method === "PUT") {
    return plain(await scale.update(principal, ref, bodyObject(call, "update"), options))
  }
  if (method !== "PATCH") throw apiFault("SPT-API-021", { method, path: pathText(call) })
  if (bodyType === "apply") {
    const fieldManager = textOf(query, "fieldManager") ?? ""
    const given = { ...options, fieldManager, force: queryFlag(query, "force") === true }
    return plain(await scale.apply(principal, ref, bodyObject(call, "apply"), given))
  }
  const type = needPatchType(bodyType)
  if (body === undefined) throw bad("patch", "the body is missing")
  return plain(await scale.patch(principal, ref, type, body, options))
}

async function deleteAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, principal, path } = call
  const { resource, namespace, name } = path
  const ref = { ...resource, namespace, name }
  const { preconditions, ...options } = deleteOptions(call)
  const deleted = await verbs.delete(principal, ref, { ...options, ...preconditions })
  const { object, gone, warnings = [] } = deleted
  if (!gone || call.wantsObject) return { status: 200, body: form.object(object), warnings }
  const { uid = "" } = object.metadata
  return {
    status: 200,
    body: successStatus(name, resource.resource, resource.group, uid) as object,
    warnings,
  }
}

async function deleteAllAnswer(call: ResourceCall, form: Representation): Promise<Answer> {
  const { verbs, principal, path, query } = call
  if (query.has("sendInitialEvents")) refuseInitialEvents()
  const options = { ...listOptions(call), ...deleteOptions(call) }
  const list = await verbs.deleteCollection(principal, path.resource, options)
  return { status: 200, body: form.list(list) }
}
