// What an object is: a stored, versioned, Kubernetes-shaped document. Names here are wire names.

import type { Json, JsonObject } from "../base/json.ts"

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: "FieldsV1"
  readonly fieldsV1: JsonObject
  readonly subresource?: string
}

export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly generateName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface Condition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec?: JsonObject
  readonly status?: JsonObject
  readonly [member: string]: Json | ObjectMeta | undefined
}

/** The owner that made it and keeps it, where one does. */
export function controllerOf(object: ApiObject | undefined): OwnerReference | undefined {
  return object?.metadata.ownerReferences?.find((owner) => owner.controller === true)
}

/** Which collection an object lives in. `resource` is the plural, lower case. */
export interface ResourceRef {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Identity of an object inside the plane: collection, namespace ("" if cluster-scoped), name. */
export interface ObjectKey {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** `files.host.setpoint.dev/default/motd`; the form that queues, maps and journals use. */
export function keyText(key: ObjectKey): string {
  const kind = key.group === "" ? key.resource : `${key.resource}.${key.group}`
  return `${kind}/${key.namespace}/${key.name}`
}

export function parseKeyText(text: string): ObjectKey {
  const [kind = "", namespace = "", name = ""] = text.split("/")
  const dot = kind.indexOf(".")
  const resource = dot < 0 ? kind : kind.slice(0, dot)
  return { group: dot < 0 ? "" : kind.slice(dot + 1), resource, namespace, name }
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/")
  if (slash < 0) return { group: "", version: apiVersion }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

export const setpointGroup = "setpoint.dev"
export const setpointVersion = "v1alpha1"
export const loopLabel = "setpoint.dev/loop"
/** Says from which file:line of its source an object came. */
export const sourceAnnotation = "setpoint.dev/source"
/** The revision of the source that an object was last changed by, or an event is of. */
export const revisionAnnotation = "setpoint.dev/source-revision"
/** "true": destroying the object's target always waits for a person. */
export const protectAnnotation = "setpoint.dev/protect"
/** A number: within a loop, objects of a wave act when all of the waves before it are ready. */
export const waveAnnotation = "setpoint.dev/wave"
/** On children: why their composite wants them so, in one sentence for the journal. */
export const whyAnnotation = "setpoint.dev/why"
/** Kept on every object whose kind has a provider, until its target is gone or released. */
export const targetFinalizer = "setpoint.dev/target"
