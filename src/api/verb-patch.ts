// Changes part of an object. Without a resourceVersion in the patch it is applied again to fresh
// state when somebody else was faster, so that two patches of different fields both succeed.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { ObjectRef, PatchType } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import type { ApiObject } from "../object/object.ts"
import { applyStrategicMerge, StrategicPatchError } from "../schema/strategic-merge.ts"
import type { ApiContext } from "./api-context.ts"
import { checkShape } from "./check-shape.ts"
import { apiFault } from "./faults.ts"
import { applyJsonPatch, applyMergePatch, operationsMax, PatchError } from "./json-patch.ts"
import { readInput } from "./read-input.ts"
import type { ServedResource } from "./served-resource.ts"
import { faultNames, needStored } from "./stored-object.ts"
import { keyOf } from "./verb-get.ts"
import {
  checkPreconditions,
  needSubresource,
  replaceStored,
  type UpdateOptions,
} from "./verb-update.ts"
import { conflict } from "./write-object.ts"

/** One, and five more when another write came first, as Kubernetes does. */
const attempts = 6

export async function patchObject(
  context: ApiContext,
  principal: Principal,
  ref: ObjectRef,
  type: PatchType,
  patch: Json,
  options: UpdateOptions = {},
): Promise<Written> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const resource = context.registry.need(ref)
    needSubresource(resource, options.subresource)
    const key = keyOf(resource, ref.namespace, ref.name)
    checkPatch(resource, type, patch)
    const old = await needStored(context, key, resource)
    // What the schema does not know was stored under another one, and is nobody's mistake now.
    const before = resource.versions.prune(old.object)
    const patched = applyPatch(resource, before, type, patch)
    const read = readInput(resource, patched, "patch", options)
    checkSame(before, read.object)
    const { resourceVersion } = read.object.metadata
    checkPreconditions(old, resourceVersion === undefined ? {} : { resourceVersion })
    const written = await replaceStored(context, principal, resource, old, read.object, {
      ...options,
      warnings: read.warnings,
    })
    if (written !== undefined) return written
    if (!protects("server-side-retry")) break
  }
  throw conflict(keyOf(context.registry.need(ref), ref.namespace, ref.name))
}

function applyPatch(
  resource: ServedResource,
  before: ApiObject,
  type: PatchType,
  patch: Json,
): Json {
  try {
    if (type === "json") return applyJsonPatch(before as Json, patch)
    if (!isObject(patch)) throw new PatchError("a merge patch is an object", true)
    if (type === "merge") return applyMergePatch(before as Json, patch)
    return applyStrategicMerge(resource.schema.node, before as JsonObject, patch)
  } catch (error) {
    if (!(error instanceof PatchError || error instanceof StrategicPatchError)) throw error
    const what = `${before.kind} ${before.metadata.name}`
    if (error.malformed) throw apiFault("SPT-API-006", { verb: "patch", what, why: error.message })
    const { name } = before.metadata
    const names = faultNames({ ...resource, namespace: "", name })
    throw apiFault("SPT-API-019", { ...names, why: error.message })
  }
}

/** What can be told before the object is looked at. */
function checkPatch(resource: ServedResource, type: PatchType, patch: Json): void {
  checkShape(patch)
  if (type === "strategic" && !resource.builtIn) {
    throw apiFault("SPT-API-121", { kind: resource.kind })
  }
  if (type !== "json" || !isArray(patch) || patch.length <= operationsMax) return
  const sizes = { size: patch.length, limit: operationsMax }
  throw apiFault("SPT-API-009", { what: "the operations of a JSON patch", ...sizes })
}

/** A patch can't turn an object into another one. */
function checkSame({ kind, metadata: before }: ApiObject, { metadata: after }: ApiObject): void {
  const differ = (what: string, is = "", on = "") => {
    const why = `the ${what} of the object (${is}) does not match the ${what} on the URL (${on})`
    return apiFault("SPT-API-006", { verb: "patch", what: `${kind} ${before.name}`, why })
  }
  if (before.name !== after.name) throw differ("name", after.name, before.name)
  if (before.namespace === after.namespace) return
  throw differ("namespace", after.namespace, before.namespace)
}
