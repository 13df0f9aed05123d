// Secret values never reach anything durable or printed: before two sides are compared, each secret
// field is replaced by its keyed hash, so that records, digests, plans and journals hold only that.

import { keyedHash } from "../base/hash.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"

export interface SecretHasher {
  hash(value: Json): Json
}

export function createSecretHasher(keyId: string, key: Uint8Array): SecretHasher {
  return {
    hash(value) {
      const text = typeof value === "string" ? value : jsonText(value)
      return { $hash: `hmac:${keyId}:${keyedHash(key, value)}`, $length: text.length }
    },
  }
}

/** The same for what may be hidden already. */
export function hideUnhidden(
  value: JsonObject,
  paths: readonly string[],
  hasher: SecretHasher,
): JsonObject {
  const known = new Set(hiddenPaths(value))
  const open = paths.filter((path) => !known.has(path))
  return hideSecrets(value, open, hasher)
}

/** Without the members in which a secret value shows: outputs are written down as they are. */
export function withoutSecrets(
  outputs: JsonObject,
  paths: readonly string[],
  ...sides: readonly JsonObject[]
): JsonObject {
  const values = sides.flatMap((side) => paths.map((path) => at(side, ...path.split("."))))
  const texts = values.flatMap(textsIn).filter((value) => value !== "")
  if (texts.length === 0) return outputs
  const shows = (member: Json | undefined): boolean =>
    texts.some((text) => jsonText(member ?? null).includes(jsonText(text).slice(1, -1)))
  return Object.fromEntries(Object.entries(outputs).filter(([, member]) => !shows(member)))
}

/**
 * A secret may be a list or an object: then every text in it may be one. Short ones are mostly
 * something else (a name, a flag), and would hide half of what a target says.
 */
function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value]
  const members = isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return members.flatMap(textsIn).filter((text) => text.length >= nestedMin)
}

const nestedMin = 6

/** Dotted paths of what is hidden in this value. */
export function hiddenPaths(value: JsonObject, prefix = ""): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (!isObject(member)) return []
    const path = `${prefix}${name}`
    return isHidden(member) ? [path] : hiddenPaths(member, `${path}.`)
  })
}

const isHidden = ({ $hash }: JsonObject): boolean =>
  typeof $hash === "string" && $hash.startsWith("hmac:")

/** Paths are dotted member names; the same reference comes back when nothing is secret. */
export function hideSecrets(
  value: JsonObject,
  paths: readonly string[],
  hasher: SecretHasher,
): JsonObject {
  return paths.reduce((hidden, path) => hideAt(hidden, path.split("."), hasher), value)
}

function hideAt(value: JsonObject, path: readonly string[], hasher: SecretHasher): JsonObject {
  const [name = "", ...rest] = path
  const member = value[name]
  if (member === undefined) return value
  if (rest.length === 0) return { ...value, [name]: hasher.hash(member) }
  return isObject(member) ? { ...value, [name]: hideAt(member, rest, hasher) } : value
}
