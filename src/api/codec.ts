// Objects to stored bytes and back. The resourceVersion is never stored: it is the revision of the
// write itself, put in when read.

import type { JsonObject } from "../base/json.ts"
import { jsonText, parseJson } from "../base/json-text.ts"
import type { Revision } from "../contract/store.ts"
import type { ApiObject } from "../object/object.ts"

export function encodeObject(object: ApiObject): Uint8Array {
  const { apiVersion, kind, metadata: given, ...rest } = object
  const { resourceVersion: _, ...metadata } = given
  // Always in this order: readers put the resourceVersion in without parsing (object-bytes.ts).
  return Buffer.from(jsonText({ apiVersion, kind, metadata, ...rest }))
}

/** As it goes out, with its resourceVersion. */
export function encodeServed(object: ApiObject, tail = ""): Uint8Array {
  return Buffer.from(`${jsonText(object)}${tail}`)
}

export function decodeObject(value: Uint8Array, revision: Revision): ApiObject {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8")
  const object = parseJson(text) as JsonObject & ApiObject
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** "12" to 12; undefined when it is no resourceVersion of ours. */
export function parseResourceVersion(text: string): Revision | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
