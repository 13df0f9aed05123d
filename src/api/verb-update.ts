// Replaces an object or its status. A resourceVersion in the body is an optimistic lock; without
// one, kinds of definitions refuse, and the few built-in ones are written over what is there.

import { protects } from "../base/protections.ts"
import type { WriteOptions } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
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
import { readInput } from "./read-input.ts"
import type { ServedResource } from "./served-resource.ts"
import { resourceName } from "./served-resource.ts"
import { faultNames, needStored, type StoredObject } from "./stored-object.ts"
import { invalidFault } from "./validate-object.ts"
import { keyOf } from "./verb-get.ts"
import { conflict, writeObject } from "./write-object.ts"

const attempts = 5

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
  const resource = context.registry.need(ref)
  needSubresource(resource, options.subresource)
  const read = readInput(resource, input, "update", options.fieldValidation ?? "Warn")
  const { metadata } = read.object
  const key = keyOf(resource, metadata.namespace ?? "", metadata.name ?? "")
  const locked = Boolean(metadata.resourceVersion)
  const blind = !locked && resource.group !== "" && options.subresource === undefined
  if (blind && protects("put-needs-version")) {
    const message = "must be specified for an update"
    const field = "metadata.resourceVersion"
    throw invalidFault(resource.resource, key.name, [
      { field, reason: "FieldValueInvalid", message },
    ])
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = await needStored(context, key)
    checkPreconditions(old, metadata)
    const written = await replaceStored(context, principal, resource, old, read.object, {
      ...options,
      warnings: read.warnings,
    })
    if (written !== undefined) return written
    if (locked) break
  }
  throw conflict(key)
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
  const manager = managerOf(options, principal)
  const given = subresource === "" ? object.metadata.managedFields : undefined
  const base = baseManagedFields(given, old.object.metadata.managedFields, isEngine(principal))
  const owned = subresource === "" ? object : withStatusOf(old.object, object)
  const writer: UpdateWriter = { manager, principal, subresource, time: now(context.clock) }
  const managedFields = ownAfterUpdate(resource, writer, old.object, owned, base)
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
  const other = wanted.uid && wanted.uid !== old.object.metadata.uid
  if (other && protects("uid-precondition")) throw conflict(old.key)
}

export function needSubresource(resource: ServedResource, subresource: "status" | undefined): void {
  if (subresource === undefined || resource.statusSubresource) return
  throw apiFault("SPT-API-001", {
    ...faultNames({ ...resource, namespace: "", name: "status" }),
    resource: `${resourceName(resource)}/status`,
  })
}
