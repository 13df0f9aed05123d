// What a client-side apply left in its annotation: what it stated last. A server-side apply by the
// same tool may take over exactly those fields, as long as they still are what it stated.

import { canonicalJson, isObject, type Json, type JsonObject } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import { FieldSet } from "../object/field-set.ts"
import type { SchemaNode } from "./schema-node.ts"
import { compareTyped, fieldSetOf } from "./typed-merge.ts"

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"
const annotationsBytesMax = 256 * 1024

const annotationsOf = (object: JsonObject): JsonObject => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  return isObject(metadata.annotations) ? metadata.annotations : {}
}

/** Empty when there is no annotation that can be read. */
export function lastAppliedSet(node: SchemaNode, live: JsonObject, apiVersion: string): FieldSet {
  const stated = parsed(annotationsOf(live)[lastAppliedAnnotation])
  if (stated === undefined || stated.apiVersion !== apiVersion) return FieldSet.empty
  const { added, modified, removed } = compareTyped(node, stated, live)
  return fieldSetOf(node, stated).difference(added.union(modified).union(removed))
}

function parsed(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== "string" || text === "") return undefined
  try {
    const value: unknown = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The annotation kept in step with what was applied, where there is one. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object)
  if (!annotations[lastAppliedAnnotation]) return object
  const next = { ...annotations, [lastAppliedAnnotation]: `${canonicalJson(withoutIt(config))}\n` }
  const bytes = Object.entries(next).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  )
  const { [lastAppliedAnnotation]: _, ...others } = next
  const kept = bytes > annotationsBytesMax ? others : next
  const metadata = isObject(object.metadata) ? object.metadata : {}
  return { ...object, metadata: { ...metadata, annotations: kept } }
}

function withoutIt(config: JsonObject): JsonObject {
  const { [lastAppliedAnnotation]: stated, ...annotations } = annotationsOf(config)
  if (stated === undefined || !isObject(config.metadata)) return config
  return { ...config, metadata: { ...config.metadata, annotations } }
}
