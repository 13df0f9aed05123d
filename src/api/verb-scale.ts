// The /scale of an object: one number of its spec, one of its status and its selector, as an
// autoscaling/v1 Scale. A write changes that number alone, through the same rules and admission as
// any write of the object, and its field belongs to whoever scaled.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { ApplyOptions, ObjectRef, PatchType, WriteOptions } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { ScaleVerbs, Written } from "../contract/verbs.ts"
import type { ApiObject, ManagedFieldsEntry } from "../object/object.ts"
import { applySteps } from "../schema/apply-merge.ts"
import { sourceConflict } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { applyConflictFault } from "./apply-conflicts.ts"
import { checkShape } from "./check-shape.ts"
import { apiFault } from "./faults.ts"
import { applyJsonPatch, applyMergePatch, PatchError } from "./json-patch.ts"
import {
  checkManager,
  isDeclaringManager,
  managerOf,
  now,
  ownAfterUpdate,
} from "./managed-fields.ts"
import {
  resourceName,
  type ScalePaths,
  type ServedResource,
  servedApiVersion,
} from "./served-resource.ts"
import { faultNames, needStored, type StoredObject } from "./stored-object.ts"
import { invalidFault } from "./validate-object.ts"
import { keyOf } from "./verb-get.ts"
import { checkPreconditions } from "./verb-update.ts"
import { versionedKind, withVersions } from "./versioned-kind.ts"
import { conflict, writeObject } from "./write-object.ts"

/** One, and five more when another write came first, as Kubernetes does. */
const attempts = 6
const replicasMax = 2 ** 31 - 1
export const scaleApiVersion = "autoscaling/v1"

export function scaleVerbs(context: ApiContext): ScaleVerbs {
  return {
    get: (_, ref) => getScale(context, ref),
    update: (principal, ref, scale, options) =>
      writeScale(context, principal, ref, () => readScale(ref, scale), options ?? {}),
    patch: (principal, ref, type, patch, options) => {
      checkShape(patch)
      const change = (before: ApiObject) => readScale(ref, patched(ref, before, type, patch))
      return writeScale(context, principal, ref, change, options ?? {})
    },
    apply: (principal, ref, scale, options) =>
      writeScale(context, principal, ref, () => readScale(ref, scale), options, options),
  }
}

interface Scaled {
  readonly resource: ServedResource
  readonly paths: ScalePaths
}

function needScale(context: ApiContext, ref: ObjectRef): Scaled {
  const resource = context.registry.need(ref)
  if (resource.scale !== undefined) return { resource, paths: resource.scale }
  const names = faultNames({ ...resource, namespace: "", name: "scale" })
  throw apiFault("SPT-API-001", { ...names, resource: `${resourceName(resource)}/scale` })
}

function refuse(verb: string, ref: ObjectRef, why: string): Error {
  return apiFault("SPT-API-122", { verb, resource: ref.resource, name: ref.name, why })
}

async function getScale(context: ApiContext, ref: ObjectRef): Promise<ApiObject> {
  const { resource, paths } = needScale(context, ref)
  const stored = await needStored(context, keyOf(resource, ref.namespace, ref.name), resource)
  const { object } = stored
  if (numberAt(object, paths.spec) !== undefined) return scaleOf(paths, object)
  throw refuse("read", ref, `the spec replicas field "${paths.spec}" does not exist`)
}

const partsOf = (path: string): readonly string[] => path.replace(/^\./, "").split(".")

function valueAt(object: ApiObject, path: string): Json | undefined {
  let current: Json | undefined = object as JsonObject
  for (const part of partsOf(path)) {
    current = isObject(current) && Object.hasOwn(current, part) ? current[part] : undefined
  }
  return current
}

function numberAt(object: ApiObject, path: string): number | undefined {
  const value = valueAt(object, path)
  return typeof value === "number" ? value : undefined
}

function scaleOf(paths: ScalePaths, object: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = numberAt(object, paths.spec)
  const selector = paths.labelSelector === undefined ? "" : valueAt(object, paths.labelSelector)
  return {
    apiVersion: scaleApiVersion,
    kind: "Scale",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    // Kubernetes leaves a zero out of the spec; a number that was never set is left out, too.
    spec: replicas ? { replicas } : {},
    status: {
      replicas: numberAt(object, paths.status) ?? 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  }
}

/** What a caller sent as a Scale. */
interface WantedScale {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly replicas: number | undefined
}

function readScale(ref: ObjectRef, input: unknown): WantedScale {
  checkShape(input)
  if (!isObject(input) || input.apiVersion !== scaleApiVersion || input.kind !== "Scale") {
    throw refuse("write", ref, `the object is not an ${scaleApiVersion} Scale`)
  }
  const metadata = isObject(input.metadata) ? input.metadata : {}
  const { name, uid, resourceVersion } = metadata
  if (name !== undefined && name !== ref.name) {
    const why = `the name of the object (${String(name).slice(0, 80)}) is not ${ref.name}`
    throw refuse("write", ref, why)
  }
  const replicas = isObject(input.spec) ? input.spec.replicas : undefined
  if (replicas !== undefined && replicas !== null && !Number.isInteger(replicas)) {
    throw refuse("write", ref, "spec.replicas is no whole number")
  }
  return {
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    replicas: typeof replicas === "number" ? replicas : undefined,
  }
}

function patched(ref: ObjectRef, before: ApiObject, type: PatchType, patch: Json): Json {
  if (type === "strategic") throw apiFault("SPT-API-121", { kind: "a Scale" })
  try {
    if (type === "json" || isArray(patch)) return applyJsonPatch(before as Json, patch)
    return applyMergePatch(before as Json, patch)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.malformed) throw refuse("patch", ref, error.message)
    const names = { resource: `${ref.resource}/scale`, name: ref.name, group: ref.group }
    throw apiFault("SPT-API-019", { ...names, why: error.message })
  }
}

async function writeScale(
  context: ApiContext,
  principal: Principal,
  ref: ObjectRef,
  change: (before: ApiObject) => WantedScale,
  options: WriteOptions,
  applied?: ApplyOptions,
): Promise<Written> {
  if (applied !== undefined) checkManager(applied.fieldManager, principal.name)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { resource, paths } = needScale(context, ref)
    const key = keyOf(resource, ref.namespace, ref.name)
    const old = await needStored(context, key, resource)
    const before = old.object
    const wanted = change(scaleOf(paths, before))
    checkPreconditions(old, wanted)
    const replicas = checkReplicas(resource, ref, paths, wanted, before)
    const object = withReplicas(before as Json, partsOf(paths.spec), replicas) as ApiObject & Json
    const managedFields =
      applied === undefined
        ? await owned(context, principal, resource, old, object, options)
        : await mergeOwners(
            context,
            resource,
            old,
            applied,
            configOf(resource, ref, paths, replicas),
          )
    const written = await writeObject(context, {
      principal,
      resource,
      key,
      subresource: "",
      old,
      object,
      managedFields,
      dryRun: options.dryRun === true,
      warnings: [],
    })
    if (written !== undefined) return { ...written, object: scaleOf(paths, written.object) }
  }
  throw conflict(keyOf(context.registry.need(ref), ref.namespace, ref.name))
}

function checkReplicas(
  resource: ServedResource,
  ref: ObjectRef,
  paths: ScalePaths,
  { replicas: given }: WantedScale,
  before: ApiObject,
): number {
  // A zero is left out of what a client read, and so may be left out of what it sends.
  const replicas = given ?? (numberAt(before, paths.spec) === undefined ? undefined : 0)
  if (replicas === undefined) {
    throw refuse("write", ref, `the spec replicas field "${paths.spec}" cannot be empty`)
  }
  if (replicas >= 0 && replicas <= replicasMax) return replicas
  const detail = replicas < 0 ? "should be a non-negative integer" : "should be less than 2^31"
  const message = `Invalid value: ${replicas}: ${detail}`
  const cause = { field: paths.spec, reason: "FieldValueInvalid", message }
  throw invalidFault(resource.kind, ref.name, [cause])
}

function withReplicas(value: Json | undefined, path: readonly string[], replicas: number): Json {
  const [name, ...rest] = path
  if (name === undefined) return replicas
  const before = isObject(value) ? value : {}
  return { ...before, [name]: withReplicas(before[name], rest, replicas) }
}

function owned(
  context: ApiContext,
  principal: Principal,
  resource: ServedResource,
  old: StoredObject,
  object: ApiObject,
  options: WriteOptions,
): Promise<readonly ManagedFieldsEntry[]> {
  const manager = managerOf(options, principal)
  const writer = { manager, principal, subresource: "scale", time: now(context.clock) } as const
  const base = old.object.metadata.managedFields ?? []
  return ownAfterUpdate(context, resource, writer, old.object, object, base)
}

function configOf(
  resource: ServedResource,
  ref: ObjectRef,
  paths: ScalePaths,
  replicas: number,
): JsonObject {
  const identity = { apiVersion: servedApiVersion(resource), kind: resource.kind }
  const whole = { ...identity, metadata: { name: ref.name } }
  return withReplicas(whole, partsOf(paths.spec), replicas) as JsonObject
}

async function mergeOwners(
  context: ApiContext,
  resource: ServedResource,
  old: StoredObject,
  options: ApplyOptions,
  config: JsonObject,
): Promise<readonly ManagedFieldsEntry[]> {
  const { fieldManager: manager, force = false } = options
  const who = {
    manager,
    apiVersion: servedApiVersion(resource),
    time: now(context.clock),
    subresource: "scale",
    force,
  }
  const live = old.object as JsonObject
  const entries = old.object.metadata.managedFields ?? []
  const steps = applySteps(versionedKind(resource), live, config, who, entries)
  const merged = await withVersions(context, resource, steps)
  const ofSource = merged.conflicts.filter((one) => isDeclaringManager(one.manager))
  if (ofSource[0] !== undefined) {
    const fields = ofSource.map(({ path }) => path)
    throw sourceConflict(old.key, old.object, ofSource[0].manager, fields)
  }
  if (merged.conflicts.length > 0) {
    throw applyConflictFault(resource, old.key.name, merged.conflicts)
  }
  return merged.managedFields
}
