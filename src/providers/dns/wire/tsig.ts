// TSIG (RFC 8945): messages signed with a shared key, and the chain over the many messages of a
// transfer. A message without a valid signature, or one from another time, is never believed.

import { createHmac, timingSafeEqual } from "node:crypto"
import { protects } from "../../../base/protections.ts"
import { dnsFault } from "../faults.ts"
import type { Message, TsigRecord } from "./message.ts"
import { recordClasses, recordTypes } from "./record-numbers.ts"
import { WireWriter } from "./wire-writer.ts"

const hashes = {
  "hmac-sha256": "sha256",
  "hmac-sha384": "sha384",
  "hmac-sha512": "sha512",
  "hmac-sha224": "sha224",
  "hmac-sha1": "sha1",
} as const

export type TsigAlgorithm = keyof typeof hashes

export const tsigAlgorithms: readonly TsigAlgorithm[] = [
  ...(["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha224", "hmac-sha1"] as const),
]

export interface TsigKey {
  /** A name in its one form. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  readonly secret: Uint8Array
}

export interface Signed {
  readonly bytes: Buffer
  readonly mac: Buffer
}

const fudgeSeconds = 300
/** A server may leave so many messages of a transfer unsigned in a row (RFC 8945, 5.3.1). */
const unsignedMax = 99

const errorNames: Readonly<Record<number, string>> = { 16: "BADSIG", 17: "BADKEY", 18: "BADTIME" }

export function signMessage(bytes: Uint8Array, key: TsigKey, nowMs: number, request?: Buffer) {
  const time = Math.floor(nowMs / 1000)
  const id = Buffer.from(bytes).readUInt16BE(0)
  const plain = { time, fudge: fudgeSeconds, error: 0, other: Buffer.alloc(0) }
  const hmac = createHmac(hashes[key.algorithm], key.secret)
  if (request !== undefined) hmac.update(macPart(request))
  const mac = hmac.update(bytes).update(variables(key, plain)).digest()
  const data = new WireWriter()
  data.name(`${key.algorithm}.`, false).u48(time).u16(fudgeSeconds)
  data.u16(mac.length).put(mac).u16(id).u16(0).u16(0)
  const record = new WireWriter()
  record.name(key.name, false).u16(recordTypes.TSIG).u16(recordClasses.ANY).u32(0)
  record.u16(data.length).put(data.finish())
  const signed = Buffer.concat([bytes, record.finish()])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return { bytes: signed, mac }
}

function macPart(mac: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([mac.length >> 8, mac.length & 0xff]), mac])
}

type Variables = Pick<TsigRecord, "time" | "fudge" | "error" | "other">

function variables(key: TsigKey, { time, fudge, error, other }: Variables): Buffer {
  const to = new WireWriter()
  to.name(key.name, false).u16(recordClasses.ANY).u32(0).name(`${key.algorithm}.`, false)
  return to.u48(time).u16(fudge).u16(error).u16(other.length).put(other).finish()
}

const timers = ({ time, fudge }: Variables): Buffer =>
  new WireWriter().u48(time).u16(fudge).finish()

/** Believes the answers to one request, one after the other. */
export class TsigChain {
  readonly #key: TsigKey
  readonly #server: string
  readonly #now: () => number
  #prior: Buffer
  #first = true
  #unsigned: Buffer[] = []

  constructor(key: TsigKey, requestMac: Buffer, server: string, now: () => number) {
    this.#key = key
    this.#prior = requestMac
    this.#server = server
    this.#now = now
  }

  /** Everything that was accepted so far is covered by a signature. */
  get proven(): boolean {
    return !this.#first && this.#unsigned.length === 0
  }

  #wrong(cause: string) {
    return dnsFault("SPT-DNS-004", { server: this.#server, cause })
  }

  accept(bytes: Uint8Array, message: Message): void {
    const { tsig } = message
    if (tsig === undefined) {
      if (this.#first) throw this.#wrong("it is not signed")
      this.#unsigned.push(Buffer.from(bytes))
      if (this.#unsigned.length > unsignedMax) throw this.#wrong("too many parts are not signed")
      return
    }
    this.#checkSender(tsig)
    const hmac = createHmac(hashes[this.#key.algorithm], this.#key.secret)
    hmac.update(macPart(this.#prior))
    for (const earlier of this.#unsigned) hmac.update(earlier)
    hmac.update(beforeSigning(bytes, tsig))
    hmac.update(this.#first ? variables(this.#key, tsig) : timers(tsig))
    const mac = hmac.digest()
    const same = mac.length === tsig.mac.length && timingSafeEqual(mac, tsig.mac)
    if (!same && protects("answers-are-signed")) throw this.#wrong("its signature is wrong")
    const aside = Math.abs(this.#now() / 1000 - tsig.time)
    if (aside > tsig.fudge) throw this.#wrong(`it is ${Math.round(aside)} s from our time`)
    if (tsig.error !== 0) throw this.#wrong(`TSIG error ${errorNames[tsig.error] ?? tsig.error}`)
    this.#prior = Buffer.from(tsig.mac)
    this.#first = false
    this.#unsigned = []
  }

  #checkSender(tsig: TsigRecord): void {
    if (tsig.error !== 0 && tsig.mac.length === 0) {
      const name = errorNames[tsig.error] ?? `TSIG error ${tsig.error}`
      throw this.#wrong(`it does not accept the key ${this.#key.name} (${name})`)
    }
    const same = tsig.name === this.#key.name && tsig.algorithm === `${this.#key.algorithm}.`
    if (!same) throw this.#wrong("it is signed with another key")
  }
}

/** The message as it was before the record was added. */
function beforeSigning(bytes: Uint8Array, { start, originalId }: TsigRecord): Buffer {
  const plain = Buffer.from(bytes.subarray(0, start))
  plain.writeUInt16BE(originalId, 0)
  plain.writeUInt16BE(plain.readUInt16BE(10) - 1, 10)
  return plain
}
