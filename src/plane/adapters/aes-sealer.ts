// Seals values with AES-256-GCM: a random nonce for each, the place as associated data, and in
// front the name of the key, so that several keys can be known. Keys are derived from those of the
// key file, which hash secrets, so that neither use weakens the other.

import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"
import { apiFault } from "../../api/faults.ts"
import { sha256 } from "../../base/hash.ts"
import type { Random } from "../../base/random.ts"
import type { Sealer } from "../../contract/sealer.ts"

const mark = "setpoint-sealed-1:"
const idLength = 12
const nonceLength = 12
const tagLength = 16
const headLength = mark.length + idLength + 1
const cipherName = "aes-256-gcm"

export interface SealingKeys {
  /** As they are known now, the newest last. */
  read(): readonly Uint8Array[]
  /** Makes one more and keeps it before it answers. */
  add(): void
}

interface Keyed {
  readonly id: string
  readonly key: Uint8Array
}

function derive(secret: Uint8Array): Keyed {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "setpoint sealed values", 32))
  return { id: sha256(key).slice(0, idLength), key }
}

export function aesSealer(keys: SealingKeys, random: Random): Sealer {
  let known = keys.read().map(derive)
  const newest = (): Keyed => {
    const last = known.at(-1)
    if (last === undefined) throw apiFault("SPT-API-091", { place: "a value", key: "(none)" })
    return last
  }
  return {
    seal: (place, value) => encrypt(newest(), place, value, random.bytes(nonceLength)),
    open: (place, value) => {
      const id = keyIdOf(value)
      if (id === undefined) return value
      const keyed = known.find((one) => one.id === id)
      if (keyed === undefined) throw apiFault("SPT-API-091", { place: nameOf(place), key: id })
      return decrypt(keyed, place, value)
    },
    keyOf: keyIdOf,
    keys: () => known.map(({ id }) => id),
    rotate: () => {
      keys.add()
      known = keys.read().map(derive)
    },
  }
}

function keyIdOf(value: Uint8Array): string | undefined {
  if (value.byteLength < headLength) return undefined
  const head = Buffer.from(value.buffer, value.byteOffset, headLength).toString("latin1")
  return head.startsWith(mark) ? head.slice(mark.length, -1) : undefined
}

function encrypt(keyed: Keyed, place: string, value: Uint8Array, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv(cipherName, keyed.key, nonce)
  cipher.setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(value), cipher.final()])
  return Buffer.concat([Buffer.from(`${mark}${keyed.id}:`), nonce, cipher.getAuthTag(), body])
}

function decrypt(keyed: Keyed, place: string, value: Uint8Array): Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const nonce = bytes.subarray(headLength, headLength + nonceLength)
  const tag = bytes.subarray(headLength + nonceLength, headLength + nonceLength + tagLength)
  try {
    const decipher = createDecipheriv(cipherName, keyed.key, nonce, {
      authTagLength: tagLength,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(tag)
    const body = bytes.subarray(headLength + nonceLength + tagLength)
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch {
    // The cause says nothing more, and must not: it is about bytes that may be secret.
    throw apiFault("SPT-API-092", { place: nameOf(place) })
  }
}

/** "/registry/core/secrets/ns/name" to "secrets/ns/name". */
const nameOf = (place: string): string => place.split("/").slice(3).join("/")
