// Secret values never reach anything durable or printed: before two sides are compared, each secret
// field is replaced by its keyed hash, so that records, digests, plans and journals hold only that.

import { keyedHash } from "../base/hash.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
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
