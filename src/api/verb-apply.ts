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
import {
  type Applier,
  type ApplyConflict,
  type ApplyResult,
  applySteps,
} from "../schema/apply-merge.ts"
import { lastAppliedSet, withLastApplied } from "../schema/last-applied.ts"
import { pathVersion } from "../schema/owner-versions.ts"
import { sourceConflict } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { applyConflictFault } from "./apply-conflicts.ts"
import { apiFault } from "./faults.ts"
import { checkManager, isDeclaringManager, isSourceManager } from "./managed-fields.ts"
import { type ReadInput, readInput } from "./read-input.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"
import { needStored, readStored, type StoredObject } from "./stored-object.ts"
import { keyOf } from "./verb-get.ts"
import { checkPreconditions, needSubresource, uidMismatch } from "./verb-update.ts"
import { versionedKind, withVersions } from "./versioned-kind.ts"
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
  checkManager(options.fieldManager, principal.name)
  const subresource = options.subresource ?? ""
  const stored = subresource === "" ? readStored : needStored
  for (let attempt = 0; attempt < attempts; attempt++) {
    const resource = context.registry.need(ref)
    const read = readApplied(resource, input, options)
    const { metadata } = read.object
    const key = keyOf(resource, metadata.namespace ?? "", metadata.name ?? "")
    const old = await stored(context, key, resource)
    // Conflicts with others are told first: to read again would not solve them.
    const merged = await merge(context, resource, old, read.object, options)
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
  const { namespace = "", name } = input.metadata
  throw conflict(keyOf(context.registry.need(ref), namespace, name))
}

function readApplied(resource: ServedResource, input: ApiObject, options: ApplyOptions): ReadInput {
  needSubresource(resource, options.subresource)
  const fieldValidation = options.fieldValidation ?? "Strict"
  const read = readInput(resource, input, "apply", { ...options, fieldValidation })
  if (read.object.metadata.managedFields === undefined) return read
  const why = "metadata.managedFields must be nil"
  throw apiFault("SPT-API-006", { verb: "apply", what: `a ${resource.kind}`, why })
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

async function merge(
  context: ApiContext,
  resource: ServedResource,
  old: StoredObject | undefined,
  config: ApiObject,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const { node } = resource.schema
  const live = old && (old.object as JsonObject)
  const who: Applier = {
    manager: options.fieldManager,
    apiVersion: servedApiVersion(resource),
    time: toTimestamp(context.clock.now()),
    force: options.force === true,
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
    ignore: barredFields(resource, old, config, options),
  }
  const entries = old?.object.metadata.managedFields ?? []
  const kind = versionedKind(resource)
  const apply = (force: boolean) => {
    const steps = applySteps(kind, live, config as JsonObject, { ...who, force }, entries)
    return withVersions(context, resource, steps)
  }
  const first = await apply(who.force)
  const ofSource = first.conflicts.filter(({ manager }) => isDeclaringManager(manager))
  if (ofSource[0] !== undefined && old !== undefined) {
    const fields = ofSource.map(({ path }) => path)
    throw sourceConflict(old.key, old.object, ofSource[0].manager, fields)
  }
  const isTool = options.fieldManager === clientSideTool && options.subresource === undefined
  const known = isTool && live !== undefined
  const allowed = known ? lastAppliedSet(node, live, who.apiVersion) : FieldSet.empty
  // That set is of the request's version; elsewhere the same path may mean something else.
  const isKnown = ({ at, apiVersion }: ApplyConflict) =>
    pathVersion(kind, apiVersion) === kind.apiVersion && allowed.has(at)
  const refused = first.conflicts.filter((one) => !isKnown(one))
  if (refused.length > 0) throw applyConflictFault(resource, config.metadata.name, refused)
  const merged = first.conflicts.length > 0 ? await apply(true) : first
  if (!isTool) return merged
  return { ...merged, object: withLastApplied(merged.object, config as JsonObject) }
}
