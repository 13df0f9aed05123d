// Server-side apply: the caller owns what it sets, and what it no longer sets goes, unless somebody
// else owns it too. A source's fields are never taken over, also not by force.

import { toTimestamp } from "../base/clock.ts"
import type { JsonObject } from "../base/json.ts"
import type { ApplyOptions } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import { detachedNames, fieldSetOf } from "../object/detached-fields.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import { applyMerge } from "../schema/apply-merge.ts"
import { sourceConflict } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault, causesText, summarize } from "./faults.ts"
import { checkManager, isSourceManager } from "./managed-fields.ts"
import { readInput } from "./read-input.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"
import { asServed, faultNames, readStored, type StoredObject } from "./stored-object.ts"
import { keyOf } from "./verb-get.ts"
import { checkPreconditions } from "./verb-update.ts"
import { conflict, writeObject } from "./write-object.ts"

const attempts = 5

export async function applyObject(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  input: ApiObject,
  options: ApplyOptions,
): Promise<Written> {
  const resource = context.registry.need(ref)
  checkManager(options.fieldManager, principal.name)
  const read = readInput(resource, input, "apply", options.fieldValidation ?? "Strict")
  const { metadata } = read.object
  if (metadata.managedFields !== undefined) {
    const why = "metadata.managedFields must be nil"
    throw apiFault("SPT-API-006", { verb: "apply", what: `a ${resource.kind}`, why })
  }
  const key = keyOf(resource, metadata.namespace ?? "", metadata.name ?? "")
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = await readStored(context, key)
    if (old !== undefined) checkPreconditions(old, metadata)
    const merged = merge(context, resource, old, read.object, options)
    const written = await writeObject(context, {
      principal,
      resource,
      key,
      subresource: "",
      old,
      object: merged.object,
      managedFields: merged.managedFields,
      dryRun: options.dryRun === true,
      warnings: read.warnings,
    })
    if (written !== undefined) return written
  }
  throw conflict(key)
}

function merge(
  context: ApiContext,
  resource: ServedResource,
  old: StoredObject | undefined,
  config: ApiObject,
  options: ApplyOptions,
) {
  const live = old === undefined ? undefined : asServed(resource, old.object)
  const wanted = resource.statusSubresource ? withoutStatus(config) : config
  const merged = applyMerge(
    resource.schema.node,
    live as JsonObject | undefined,
    wanted as JsonObject,
    {
      manager: options.fieldManager,
      apiVersion: servedApiVersion(resource),
      time: toTimestamp(context.clock.now()),
      force: options.force === true,
      ...(isSourceManager(options.fieldManager) && old !== undefined
        ? { ignore: fieldSetOf(detachedNames(old.object.metadata)) }
        : {}),
    },
    old?.object.metadata.managedFields ?? [],
  )
  const { conflicts } = merged
  const ofSource = conflicts.filter(({ manager }) => isSourceManager(manager))
  if (ofSource[0] !== undefined && old !== undefined) {
    const fields = ofSource.map(({ path }) => path)
    throw sourceConflict(old.key, old.object, ofSource[0].manager, fields)
  }
  if (conflicts.length > 0) {
    const lines = conflicts.map(({ manager, path }) => `conflict with "${manager}": ${path}`)
    throw apiFault("SPT-API-017", {
      ...faultNames({ ...resource, namespace: "", name: config.metadata.name }),
      count: conflicts.length,
      why: summarize(lines),
      causes: causesText(
        conflicts.map(({ manager, path }) => ({
          field: `.${path}`,
          reason: "FieldManagerConflict",
          message: `conflict with "${manager}"`,
        })),
      ),
    })
  }
  return { object: merged.object as ApiObject, managedFields: merged.managedFields }
}

function withoutStatus({ status: _, ...rest }: ApiObject): ApiObject {
  return rest
}
