// Secrets: `stringData` is only a way to write `data`, the type says which keys must be there and
// never changes. No message here holds a value.

import { isObject, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { invalid, required, tooLong } from "./cause.ts"
import {
  base64Bytes,
  checkBase64,
  checkImmutable,
  checkKeys,
  dataBytesMax,
  dataObjectBytesMax,
  mapAt,
} from "./data-keys.ts"
import type { KindRules } from "./kind-rules.ts"

const accountAnnotation = "kubernetes.io/service-account.name"

const typeOf = ({ type }: ApiObject): string =>
  typeof type === "string" && type !== "" ? type : "Opaque"

function complete(object: ApiObject): ApiObject {
  checkBase64("Secret", mapAt(object, "data"))
  const { stringData, ...rest } = object
  if (stringData === undefined || stringData === null) return rest
  const given = isObject(stringData) ? Object.entries(stringData) : undefined
  // What is no text stays, for the schema to refuse.
  if (given?.every(([, value]) => typeof value === "string") !== true) return object
  const texts = given.map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")])
  if (texts.length === 0) return rest
  return { ...rest, data: { ...mapAt(object, "data"), ...Object.fromEntries(texts) } }
}

function needsJson(data: JsonObject, key: string): FieldCause[] {
  const value = data[key]
  if (typeof value !== "string") return [required(`data[${key}]`)]
  try {
    if (isObject(JSON.parse(Buffer.from(value, "base64").toString("utf8")))) return []
  } catch {
    // Told below, without a word of what it holds.
  }
  return [invalid(`data[${key}]`, "<secret contents redacted>: must be a JSON object")]
}

const needs = (data: JsonObject, ...keys: readonly string[]): FieldCause[] =>
  keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`))

function checkType(object: ApiObject, data: JsonObject): FieldCause[] {
  switch (typeOf(object)) {
    case "kubernetes.io/service-account-token":
      if (object.metadata.annotations?.[accountAnnotation]) return []
      return [required(`metadata.annotations[${accountAnnotation}]`)]
    case "kubernetes.io/dockercfg":
      return needsJson(data, ".dockercfg")
    case "kubernetes.io/dockerconfigjson":
      return needsJson(data, ".dockerconfigjson")
    case "kubernetes.io/basic-auth":
      return data.username === undefined && data.password === undefined
        ? needs(data, "username", "password")
        : []
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required("data[ssh-privatekey]")]
    case "kubernetes.io/tls":
      return needs(data, "tls.crt", "tls.key")
    default:
      return []
  }
}

export const secretRules: KindRules = {
  bytesMax: dataObjectBytesMax,
  complete,
  check: (object, old) => {
    const data = mapAt(object, "data")
    const sizes = Object.values(data).map((value) => base64Bytes(String(value)))
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
    return [
      ...checkKeys("data", data),
      ...(size > dataBytesMax ? [tooLong("data", dataBytesMax)] : []),
      ...(old !== undefined && typeOf(old) !== typeOf(object)
        ? [invalid("type", "field is immutable")]
        : []),
      ...checkType(object, data),
      ...checkImmutable(object, old, ["data"]),
    ]
  },
  fields: { type: typeOf },
}
