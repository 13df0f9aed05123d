// Replaces an object or its status. A resourceVersion in the body is an optimistic lock; without
// one, kinds of definitions refuse, and the few built-in ones are written over what is there.

import { protects } from "../base/protections.ts"
import type { WriteOptions } from "../contract/client.ts"
import { isFromOutside, type Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import type { ApiObject, ObjectKey, ResourceRef } from "../object/object.ts"
import { isEngine } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault } from "./faults.ts"
import {
  baseManagedFields,
  managerOf,
  now,
  ownAfterUpdate,
  type UpdateWriter,
} from "./managed-fields.ts"
import { checkImmutable } from "./metadata-immutable.ts"
import { readInput } from "./read-input.ts"
import type { ServedResource } from "./served-resource.ts"
import { resourceName } from "./served-resource.ts"
import { faultNames, readStored, type StoredObject } from "./stored-object.ts"
import { invalidFault } from "./validate-object.ts"
import { createNamed } from "./verb-create.ts"
import { keyOf } from "./verb-get.ts"
import { conflict, writeObject } from "./write-object.ts"

/** One, and five more when another write came first, as Kubernetes does. */
const attempts = 6

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: "status"
}

export async function updateObject(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  input: ApiObject,
  options: UpdateOptions = {},
): Promise<Written> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const resource = context.registry.need(ref)
    needSubresource(resource, options.subresource)
    const read = readInput(resource, input, "update", options)
    const { metadata } = read.object
    const key = keyOf(resource, metadata.namespace ?? "", metadata.name ?? "")
    const creates = resource.createOnUpdate && options.subresource === undefined
    const old = await readStored(context, key, resource)
    if (old === undefined && metadata.uid) throw uidMismatch(key, metadata.uid, "")
    if (old === undefined && !creates) throw apiFault("SPT-API-001", { ...faultNames(key) })
    if (old !== undefined) checkPreconditions(old, metadata)
    if (old !== undefined && !metadata.resourceVersion)
      needVersion(resource, key.name, principal, options)
    const written =
      old === undefined
        ? await createNamed(context, principal, resource, read, options)
        : await replaceStored(context, principal, resource, old, read.object, {
            ...options,
            warnings: read.warnings,
          })
    if (written !== undefined) return written
  }
  const { namespace = "", name } = input.metadata
  throw conflict(keyOf(context.registry.need(ref), namespace, name))
}

/** Writing over whatever is there is for kinds whose clients are used to it. */
function needVersion(
  resource: ServedResource,
  name: string,
  principal: Principal,
  options: UpdateOptions,
): void {
  // The plane's own parts write status that nobody else writes.
  const isOwnStatus = options.subresource !== undefined && !isFromOutside(principal)
  if (resource.unconditionalUpdate || isOwnStatus) return
  if (!protects("put-needs-version")) return
  const message = "Invalid value: 0: must be specified for an update"
  const field = "metadata.resourceVersion"
  const cause = { field, reason: "FieldValueInvalid", message }
  throw invalidFault(resource.resource, name, [cause], resource.group)
}

/** Undefined when the object was changed after `old` was read. */
export async function replaceStored(
  context: ApiContext,
  principal: Principal,
  resource: ServedResource,
  old: StoredObject,
  object: ApiObject,
  options: UpdateOptions & { readonly warnings: readonly string[] },
): Promise<Written | undefined> {
  const subresource: "" | "status" = options.subresource ?? ""
  const changed = subresource === "" ? checkImmutable(object.metadata, old.object.metadata) : []
  if (changed.length > 0) {
    throw invalidFault(resource.kind, old.key.name, changed, resource.group)
  }
  const manager = managerOf(options, principal)
  const given = subresource === "" ? object.metadata.managedFields : undefined
  const base = baseManagedFields(given, old.object.metadata.managedFields, isEngine(principal))
  const owned = subresource === "" ? object : withStatusOf(old.object, object)
  const writer: UpdateWriter = { manager, principal, subresource, time: now(context.clock) }
  const managedFields = await ownAfterUpdate(context, resource, writer, old.object, owned, base)
  return writeObject(context, {
    principal,
    resource,
    key: old.key,
    subresource,
    old,
    object,
    managedFields,
    dryRun: options.dryRun === true,
    warnings: options.warnings,
  })
}

function withStatusOf(old: ApiObject, { status }: ApiObject): ApiObject {
  const { status: _, ...rest } = old
  return status === undefined ? rest : { ...rest, status }
}

export function checkPreconditions(
  old: StoredObject,
  wanted: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const stale = wanted.resourceVersion && wanted.resourceVersion !== String(old.revision)
  if (stale && protects("stale-put-refused")) throw conflict(old.key)
  const { uid = "" } = old.object.metadata
  if (!wanted.uid || wanted.uid === uid || !protects("uid-precondition")) return
  throw uidMismatch(old.key, wanted.uid, uid)
}

/** The object of that name is another one. */
export function uidMismatch(key: ObjectKey, wanted: string, uid: string): Error {
  return apiFault("SPT-API-120", { ...faultNames(key), wanted, uid })
}

export function needSubresource(resource: ServedResource, subresource: "status" | undefined): void {
  if (subresource === undefined || resource.statusSubresource) return
  throw apiFault("SPT-API-001", {
    ...faultNames({ ...resource, namespace: "", name: "status" }),
    resource: `${resourceName(resource)}/status`,
  })
}
