// Content hashes. SHA-256 everywhere: equality of a hash is used as equality of the value.

import { createHmac, hash } from "node:crypto"
import { canonicalJson, equalJson, isObject, type Json, type JsonObject } from "./json.ts"

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data)
}

export function hashJson(value: Json | undefined): string {
  return sha256(canonicalJson(value))
}

/** Keyed, so that a stored hash of a secret can't be searched for offline without the key. */
export function keyedHash(key: Uint8Array, value: Json | undefined): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex")
}

/** Stands in records, journals and digests for a value above 4 KiB, or for a secret. */
export interface HashedValue extends JsonObject {
  /** "sha256:HEX", or "hmac:KEYID:HEX" for a secret. */
  readonly $hash: string
  readonly $length: number
}

export const hashedAboveBytes = 4096

export function isHashedValue(value: Json | undefined): value is HashedValue {
  return isObject(value) && typeof value.$hash === "string" && typeof value.$length === "number"
}

/** The value itself, or its hash when it is a string too long to be recorded. */
export function compactValue(value: Json | undefined): Json | undefined {
  if (typeof value !== "string" || value.length <= hashedAboveBytes) return value
  return { $hash: `sha256:${sha256(value)}`, $length: value.length }
}

/** Equality in which a recorded hash equals the value it stands for. */
export function equalCompacted(left: Json | undefined, right: Json | undefined): boolean {
  if (isHashedValue(left) === isHashedValue(right)) return equalJson(left, right)
  const [hashed, plain] = isHashedValue(left) ? [left, right] : [right as HashedValue, left]
  if (typeof plain !== "string" || plain.length !== hashed.$length) return false
  return hashed.$hash === `sha256:${sha256(plain)}`
}
