// The one way an object gets stored: server-owned metadata, admission, validation, ownership rules,
// generation, no-op suppression, then a commit that checks what was read. Never writes an object
// that did not pass all of them.

import { equalJson, type Json, type JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { newUid } from "../base/random.ts"
import type { Admission, AdmissionRequest } from "../contract/admission.ts"
import type { Principal } from "../contract/principal.ts"
import type { Check } from "../contract/store.ts"
import type { Written } from "../contract/verbs.ts"
import type { ApiObject, ManagedFieldsEntry, ObjectKey, ObjectMeta } from "../object/object.ts"
import { mutateByHooks, validateByHooks } from "./admission/admission-hooks.ts"
import { checkSourceFields, checkStoredFields, isEngine } from "./admission/source-fields.ts"
import { afterEnd } from "./after-end.ts"
import { type ApiContext, commitObject } from "./api-context.ts"
import { objectBytesMax } from "./check-shape.ts"
import { encodeObject } from "./codec.ts"
import { convertToStored } from "./convert-objects.ts"
import { definitionKey, isDefinition, requireAlive } from "./definition-end.ts"
import { isEnded } from "./end-object.ts"
import { apiFault } from "./faults.ts"
import { now, sameObject } from "./managed-fields.ts"
import { isNamespace, namespaceCheck } from "./namespace-exists.ts"
import { asServed, asStored } from "./served-form.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"
import { storageKey } from "./storage-keys.ts"
import { faultNames, type StoredObject } from "./stored-object.ts"
import { validateObject } from "./validate-object.ts"

export interface Draft {
  readonly principal: Principal
  readonly resource: ServedResource
  readonly key: ObjectKey
  readonly subresource: "" | "status"
  /** Undefined when it is being created. */
  readonly old: StoredObject | undefined
  /** As the caller wants it. */
  readonly object: ApiObject
  /** Who owns what afterwards. */
  readonly managedFields: readonly ManagedFieldsEntry[]
  readonly dryRun: boolean
  readonly warnings: readonly string[]
}

/**
 * Undefined when somebody else changed the object or its definition meanwhile; the caller may try
 * again, by the definition as it is then.
 */
export async function writeObject(context: ApiContext, draft: Draft): Promise<Written | undefined> {
  const { resource, key, old } = draft
  const warnings = [...draft.warnings]
  const asked = resource.schema.applyDefaults(
    withServerFields(context, draft) as JsonObject,
  ) as ApiObject
  const admitted = admit(context, draft, asked, warnings)
  const object = withGeneration(
    resource,
    admitted instanceof Promise ? await admitted : admitted,
    old?.object,
  )
  if (old !== undefined) await checkSourceFields(context, draft, old.object, object)
  validateObject(resource, object, old?.object)
  const request = admissionRequest(draft, object, warnings)
  for (const plugin of context.validating) {
    const judged = plugin.admit(request)
    if (judged instanceof Promise) await judged
  }
  if (hasHooks(context)) await validateByHooks(context, request)
  const answer = (whole: ApiObject, changed: boolean): Written => ({
    object: whole,
    warnings,
    created: old === undefined,
    changed,
  })
  const form = await storedForm(context, resource, object)
  if (form === undefined) return undefined
  const { stored } = form
  if (old?.stored !== undefined) checkStoredFields(draft, old.stored, stored)
  const before = old?.storedVersion ?? old?.object.apiVersion
  const moved = before !== undefined && before !== stored.apiVersion
  if (old !== undefined && !moved && sameObject(old.object, object)) {
    return answer(old.object, false)
  }
  const value = encodeObject(stored)
  const limit = resource.rules.bytesMax ?? objectBytesMax
  if (value.byteLength > limit) {
    const sizes = { size: value.byteLength, limit }
    throw apiFault("SPT-API-009", { what: `${resource.kind} ${key.name}`, ...sizes })
  }
  const place = old === undefined ? await placeChecks(context, draft) : []
  const checks = [...place, ...form.checks]
  if (draft.dryRun && protects("dry-run-stores-nothing")) return answer(form.answer, true)
  const ends = isEnded(object)
  const path = storageKey(key)
  // The engine keeps its own events, a bounded number of them.
  const leased = isEngine(draft.principal) ? undefined : context.lifetime.leaseFor(path)
  const lease = leased === undefined ? undefined : await leased
  const write = {
    storageKey: path,
    before: old?.revision ?? 0,
    object: ends ? undefined : stored,
    ...(ends ? {} : { value }),
    ...(lease === undefined ? {} : { lease }),
  }
  const revision = await commitObject(context, write, checks)
  if (revision === undefined) {
    context.namespaces.forget(key.namespace)
    return undefined
  }
  // What kept a namespace or a definition from ending may just have let it go.
  const isContainer = isNamespace({ key }) || isDefinition({ key })
  const isMarked = object.metadata.deletionTimestamp !== undefined
  if (ends || (isMarked && isContainer)) await afterEnd(context, [{ key, object: stored }])
  return { ...answer(withRevision(form.answer, revision), true), stored: { value, revision } }
}

interface StoredForm {
  readonly stored: ApiObject
  /** The same as it will be read: another version may have no place for all of it. */
  readonly answer: ApiObject
  readonly checks: readonly Check[]
}

/** Undefined when the definition changed since: by that one nothing was read or judged. */
async function storedForm(
  context: ApiContext,
  resource: ServedResource,
  object: ApiObject,
): Promise<StoredForm | undefined> {
  if (resource.builtIn) return { stored: asStored(resource, object), answer: object, checks: [] }
  const converted = resource.conversion !== undefined
  const stored = converted
    ? await convertToStored(context, resource, object)
    : asStored(resource, object)
  const known = context.registry.definition(resource.definition)
  const { versions } = resource
  // Nor by one that is gone, or serves nothing now.
  if (known?.versions === undefined || known.versions.since !== versions.since) return undefined
  const alike = converted || versions.areAlike(object.apiVersion, stored.apiVersion)
  const answer = alike ? object : asServed(resource, stored)
  const key = storageKey(definitionKey(resource.definition))
  return { stored, answer, checks: [{ key, modRevision: known.revision }] }
}

/** A new object needs its namespace and its definition, alive, until it is committed. */
async function placeChecks(
  context: ApiContext,
  { resource, key, dryRun }: Draft,
): Promise<Check[]> {
  // The definition itself is checked as it was when the object was made what is stored.
  requireAlive(context, resource)
  if (!resource.namespaced) return []
  // What is not committed has to look: nobody would refuse it for a namespace that ended.
  const seen = dryRun ? undefined : context.namespaces.get(key.namespace)
  return [seen ?? (await namespaceCheck(context, key))]
}

export function withRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** What only the server may say is taken from what is stored, or made new. */
function withServerFields(context: ApiContext, draft: Draft): ApiObject {
  const { old, object, key, resource, subresource } = draft
  const apiVersion = servedApiVersion(resource)
  if (old !== undefined && subresource === "status") {
    const { status: _, ...kept } = old.object
    const whole = { ...kept, metadata: withManaged(old.object.metadata, draft.managedFields) }
    return object.status === undefined ? whole : { ...whole, status: object.status }
  }
  const { labels, annotations, finalizers, ownerReferences, generateName } = object.metadata
  const metadata: ObjectMeta = {
    name: key.name,
    ...(generateName && old === undefined && { generateName }),
    ...(old?.object.metadata.generateName && {
      generateName: old.object.metadata.generateName,
    }),
    ...(key.namespace !== "" && { namespace: key.namespace }),
    uid: old?.object.metadata.uid ?? newUid(context.random),
    generation: old?.object.metadata.generation ?? 1,
    creationTimestamp: old?.object.metadata.creationTimestamp ?? now(context.clock),
    ...deletionOf(old?.object.metadata),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
    ...(finalizers && finalizers.length > 0 && { finalizers }),
    ...(ownerReferences && ownerReferences.length > 0 && { ownerReferences }),
  }
  const { status, ...rest } = object
  const kept = resource.statusSubresource ? old?.object.status : status
  const whole = { ...rest, apiVersion, metadata: withManaged(metadata, draft.managedFields) }
  return kept === undefined ? whole : { ...whole, status: kept }
}

function deletionOf(metadata: ObjectMeta | undefined): Partial<ObjectMeta> {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {}
  return {
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  }
}

function withManaged(metadata: ObjectMeta, entries: readonly ManagedFieldsEntry[]): ObjectMeta {
  const { managedFields: _, ...rest } = metadata
  return entries.length === 0 ? rest : { ...rest, managedFields: entries }
}

function admissionRequest(draft: Draft, object: ApiObject, warnings: string[]): AdmissionRequest {
  const { resource, principal, key, subresource, old, dryRun } = draft
  return {
    operation: old === undefined ? "create" : "update",
    subresource,
    principal,
    key,
    kind: resource.kind,
    version: resource.version,
    namespaced: resource.namespaced,
    object,
    ...(old === undefined ? {} : { old: old.object }),
    dryRun,
    warn: (text) => void warnings.push(text),
  }
}

type Asking = (object: ApiObject) => AdmissionRequest

/** At once where nothing has to be waited for. */
function admit(
  context: ApiContext,
  draft: Draft,
  asked: ApiObject,
  warnings: string[],
): ApiObject | Promise<ApiObject> {
  const request = (object: ApiObject) => admissionRequest(draft, object, warnings)
  const completed = throughPlugins(context.mutating, request, asked, 0)
  if (context.admissions.mutating.length === 0) return completed
  const complete = async (given: ApiObject) => throughPlugins(context.mutating, request, given, 0)
  const mutation = { resource: draft.resource, request, complete }
  return Promise.resolve(completed).then((object) => mutateByHooks(context, mutation, object))
}

function throughPlugins(
  plugins: readonly Admission[],
  request: Asking,
  given: ApiObject,
  from: number,
): ApiObject | Promise<ApiObject> {
  let object = given
  let asked = request(object)
  for (let at = from; at < plugins.length; at++) {
    const answer = plugins[at]?.admit(asked) ?? object
    if (answer instanceof Promise) {
      return answer.then((next) => throughPlugins(plugins, request, next, at + 1))
    }
    if (answer === object) continue
    object = answer
    asked = request(object)
  }
  return object
}

const hasHooks = ({ admissions }: ApiContext): boolean =>
  admissions.policies.length + admissions.validating.length > 0

/** One more for each change of what is wanted; status and metadata do not count. */
function withGeneration(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject | undefined,
): ApiObject {
  if (old === undefined) return object
  const wanted = (whole: ApiObject): Json => {
    const { apiVersion: _v, kind: _k, metadata: _m, status, ...rest } = whole
    return (resource.statusSubresource ? rest : { ...rest, status }) as Json
  }
  if (equalJson(wanted(old), wanted(object))) return object
  const generation = (old.metadata.generation ?? 0) + 1
  return { ...object, metadata: { ...object.metadata, generation } }
}

/** 409 as Kubernetes words it. */
export function conflict(key: ObjectKey): Error {
  return apiFault("SPT-API-004", { ...faultNames(key) })
}
