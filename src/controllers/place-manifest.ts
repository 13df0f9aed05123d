// Where a manifest of a loop's source belongs, or why it can't be there: a loop writes only its own
// namespace and only kinds that are served. Pure; the running plane and a cold plan share it.

import type { Fault } from "../base/faults.ts"
import { hashJson } from "../base/hash.ts"
import type { Json } from "../base/json.ts"
import { parseLoopId } from "../contract/loop.ts"
import type { Manifest, SourceIssue } from "../contract/source.ts"
import {
  type ApiObject,
  keyText,
  type ObjectKey,
  parseApiVersion,
  type ResourceRef,
  sourceAnnotation,
} from "../object/object.ts"
import { controllerFault } from "./faults.ts"

export interface ServedKind {
  readonly resource: ResourceRef
  readonly namespaced: boolean
}

export interface Placed {
  readonly manifest: Manifest
  readonly key: ObjectKey
  /** Text form of the key. */
  readonly text: string
  readonly resource: ResourceRef
  readonly object: ApiObject
  readonly hash: string
}

export function placeManifest(
  manifest: Manifest,
  loop: string,
  servedKind: (group: string, kind: string) => ServedKind | undefined,
): Placed | SourceIssue {
  const { object, position } = manifest
  const { group } = parseApiVersion(object.apiVersion)
  const name = `${object.kind} ${object.metadata.name}`
  const issue = (cause: string, hint: string): SourceIssue => {
    const fault = controllerFault("SPT-SRC-101", { object: name, cause, hint })
    return { code: fault.code, message: fault.message, hint: fault.hint, position }
  }
  const served = servedKind(group, object.kind)
  if (served === undefined) {
    const hint = "check apiVersion and kind; `setpoint get definitions` lists what is served"
    return issue(`no kind ${object.kind} in ${object.apiVersion} is served`, hint)
  }
  const own = parseLoopId(loop).namespace
  const namespace = served.namespaced ? (object.metadata.namespace ?? own) : ""
  if (served.namespaced && namespace !== own) {
    const hint = `remove metadata.namespace, or declare it in a loop of namespace ${namespace}`
    return issue(`loop ${loop} writes only namespace ${own}`, hint)
  }
  if (!served.namespaced && own !== "setpoint-system") {
    const hint = "put it into a loop of namespace setpoint-system"
    return issue("it is cluster-scoped, and this loop is not", hint)
  }
  const place = `${position.file}:${position.line}`
  const annotations = { ...object.metadata.annotations, [sourceAnnotation]: place }
  const metadata = { ...object.metadata, annotations, ...(namespace === "" ? {} : { namespace }) }
  const { resource } = served
  const key = { group, resource: resource.resource, namespace, name: object.metadata.name }
  const whole: ApiObject = { ...object, metadata }
  const hash = hashOf(whole)
  // An error of ours would be in the log alone, and the source would look as if it were good.
  if ("cause" in hash) return issue(hash.cause, "make it smaller, or split it into several objects")
  return { manifest, key, text: keyText(key), resource, object: whole, hash: hash.text }
}

function hashOf(object: ApiObject): { readonly text: string } | { readonly cause: string } {
  try {
    return { text: hashJson(object as object as Json) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { cause: `it can't be written out (${why})` }
  }
}

/** A refusal of the API, at the line that it is about. */
export function refusedIssue(manifest: Manifest, fault: Fault): SourceIssue {
  const field = firstField(fault.details.causes)
  const position = field === undefined ? manifest.position : manifest.locate(field)
  return { code: fault.code, message: fault.message, hint: fault.hint, position }
}

function firstField(causes: string | undefined): (string | number)[] | undefined {
  if (causes === undefined) return undefined
  const parsed: unknown = JSON.parse(causes)
  const [first] = Array.isArray(parsed) ? parsed : []
  const field: unknown = first?.field
  if (typeof field !== "string" || field === "") return undefined
  const parts = field.split(/[.[\]]+/).filter((part) => part !== "")
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}
