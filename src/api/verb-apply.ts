// Server-side apply: the caller owns what it sets, and what it no longer sets goes, unless somebody
// else owns it too. A source's fields are never taken over, also not by force.

import { toTimestamp } from "../base/clock.ts"
import type { JsonObject } from "../base/json.ts"
import type { ApplyOptions } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import { detachedNames, fieldSetOf } from "../object/detached-fields.ts"
import { FieldSet } from "../object/field-set.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import { type Applier, type ApplyResult, applyMerge } from "../schema/apply-merge.ts"
import { lastAppliedSet, withLastApplied } from "../schema/last-applied.ts"
import { sourceConflict } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { applyConflictFault } from "./apply-conflicts.ts"
import { apiFault } from "./faults.ts"
import { checkManager, isDeclaringManager, isSourceManager } from "./managed-fields.ts"
import { readInput } from "./read-input.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"
import { asServed, needStored, readStored, type StoredObject } from "./stored-object.ts"
import { keyOf } from "./verb-get.ts"
import { checkPreconditions, needSubresource, uidMismatch } from "./verb-update.ts"
import { conflict, writeObject } from "./write-object.ts"

/** One, and five more when another write came first, as Kubernetes does. */
const attempts = 6

/** The only tool that left annotations of client-side applies behind. */
const clientSideTool = "kubectl"

export async function applyObject(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  input: ApiObject,
  options: ApplyOptions,
): Promise<Written> {
  const resource = context.registry.need(ref)
  needSubresource(resource, options.subresource)
  checkManager(options.fieldManager, principal.name)
  const read = readInput(resource, input, "apply", {
    ...options,
    fieldValidation: options.fieldValidation ?? "Strict",
  })
  const { metadata } = read.object
  if (metadata.managedFields !== undefined) {
    const why = "metadata.managedFields must be nil"
    throw apiFault("SPT-API-006", { verb: "apply", what: `a ${resource.kind}`, why })
  }
  const key = keyOf(resource, metadata.namespace ?? "", metadata.name ?? "")
  const subresource = options.subresource ?? ""
  const stored = subresource === "" ? readStored : needStored
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = await stored(context, key, resource)
    // Conflicts with others are told first: to read again would not solve them.
    const merged = merge(context, resource, old, read.object, options)
    if (old !== undefined) checkPreconditions(old, metadata)
    else if (metadata.uid) throw uidMismatch(key, metadata.uid, "")
    const written = await writeObject(context, {
      principal,
      resource,
      key,
      subresource,
      old,
      object: merged.object as ApiObject,
      managedFields: merged.managedFields,
      dryRun: options.dryRun === true,
      warnings: read.warnings,
    })
    if (written !== undefined) return written
  }
  throw conflict(key)
}

const statusOnly = FieldSet.of([{ field: "status" }])

/** What this endpoint can't write, and so does not own. */
function barredFields(
  resource: ServedResource,
  old: StoredObject | undefined,
  config: ApiObject,
  options: ApplyOptions,
): FieldSet {
  if (options.subresource === "status") {
    const names = new Set([...Object.keys(old?.object ?? {}), ...Object.keys(config)])
    names.delete("status")
    return FieldSet.of(...[...names].map((field) => [{ field }]))
  }
  const status = resource.statusSubresource ? statusOnly : FieldSet.empty
  if (!isSourceManager(options.fieldManager) || old === undefined) return status
  return status.union(fieldSetOf(detachedNames(old.object.metadata)))
}

function merge(
  context: ApiContext,
  resource: ServedResource,
  old: StoredObject | undefined,
  config: ApiObject,
  options: ApplyOptions,
): ApplyResult {
  const { node } = resource.schema
  const live = old && (asServed(resource, old.object) as JsonObject)
  const who: Applier = {
    manager: options.fieldManager,
    apiVersion: servedApiVersion(resource),
    time: toTimestamp(context.clock.now()),
    force: options.force === true,
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
    ignore: barredFields(resource, old, config, options),
  }
  const entries = old?.object.metadata.managedFields ?? []
  const apply = (force: boolean) =>
    applyMerge(node, live, config as JsonObject, { ...who, force }, entries)
  const first = apply(who.force)
  const ofSource = first.conflicts.filter(({ manager }) => isDeclaringManager(manager))
  if (ofSource[0] !== undefined && old !== undefined) {
    const fields = ofSource.map(({ path }) => path)
    throw sourceConflict(old.key, old.object, ofSource[0].manager, fields)
  }
  const isTool = options.fieldManager === clientSideTool && options.subresource === undefined
  const known = isTool && live !== undefined
  const allowed = known ? lastAppliedSet(node, live, who.apiVersion) : FieldSet.empty
  const refused = first.conflicts.filter(({ at }) => !allowed.has(at))
  if (refused.length > 0) throw applyConflictFault(resource, config.metadata.name, refused)
  const merged = first.conflicts.length > 0 ? apply(true) : first
  if (!isTool) return merged
  return { ...merged, object: withLastApplied(merged.object, config as JsonObject) }
}
