// What Secrets and ConfigMaps share: keys that can be file names, base64 values, a bound on all of
// them together, and `immutable`.

import { equalJson, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { apiFault, type FieldCause } from "../faults.ts"
import { forbidden, invalid } from "./cause.ts"

export const dataBytesMax = 1024 * 1024
/** As base64, with metadata; a little below what the store takes. */
export const dataObjectBytesMax = 1.5 * dataBytesMax - 4096

export const mapAt = (object: ApiObject, member: string): JsonObject => {
  const value = object[member] as Json | undefined
  return isObject(value) ? value : {}
}

const keyShape = /^[-._a-zA-Z0-9]+$/

export function checkKeys(member: string, data: JsonObject): FieldCause[] {
  return Object.keys(data).flatMap((key) => {
    const field = `${member}[${key.slice(0, 300)}]`
    if (key.length > 253) return [invalid(field, "must be no more than 253 characters")]
    if (key === "." || key === ".." || key.startsWith("..")) {
      return [invalid(field, 'must not be "." and must not start with ".."')]
    }
    if (keyShape.test(key)) return []
    return [
      invalid(field, "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"),
    ]
  })
}

/** Throws 400 for a value that is no base64; says where, never what. */
export function checkBase64(kind: string, data: JsonObject): void {
  for (const [key, value] of Object.entries(data)) {
    if (typeof value !== "string") continue
    const offset = base64Trouble(value.replaceAll(/[\r\n]/g, ""))
    if (offset === undefined) continue
    const why = `illegal base64 data at input byte ${offset}`
    throw apiFault("SPT-API-090", { kind, version: "v1", key: key.slice(0, 300), why })
  }
}

function base64Trouble(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/=]/)
  if (bad >= 0) return bad
  const body = text.replace(/={0,2}$/, "")
  const early = body.indexOf("=")
  if (early >= 0) return early
  return text.length % 4 === 0 && body.length % 4 !== 1 ? undefined : text.length
}

export function base64Bytes(text: string): number {
  return Buffer.byteLength(text, "base64")
}

export function checkImmutable(
  object: ApiObject,
  old: ApiObject | undefined,
  members: readonly string[],
): FieldCause[] {
  if (old?.immutable !== true) return []
  const message = "field is immutable when `immutable` is set"
  const changed = members.filter((member) => !equalJson(mapAt(object, member), mapAt(old, member)))
  const causes = changed.map((member) => forbidden(member, message))
  return object.immutable === true ? causes : [forbidden("immutable", message), ...causes]
}
