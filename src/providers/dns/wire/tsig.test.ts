// Signatures: what bind9 and knot do is tested against them; here is what an honest server may do
// and these two do not, and what a dishonest one would try.

import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { disarm } from "../../../base/protections.ts"
import { decodeMessage, encodeMessage } from "./message.ts"
import { recordClasses, recordTypes } from "./record-numbers.ts"
import { signMessage, TsigChain, type TsigKey, tsigAlgorithms } from "./tsig.ts"
import { WireWriter } from "./wire-writer.ts"

const now = 1_700_000_000_000
const key: TsigKey = { name: "k.", algorithm: "hmac-sha256", secret: Buffer.from("a secret") }
const question = { name: "example.org.", type: recordTypes.AXFR, class: recordClasses.IN }
const request = signMessage(encodeMessage({ id: 7, opcode: 0, questions: [question] }), key, now)
const answer = (id = 7) => encodeMessage({ id, opcode: 0, response: true, questions: [question] })
const chainOf = (with_ = key, at = now) => new TsigChain(with_, request.mac, "a server", () => at)
const accept = (chain: TsigChain, bytes: Uint8Array) => chain.accept(bytes, decodeMessage(bytes))

/** A later part of a transfer: signed over what came since the last signature, timers only. */
function signLater(prior: Buffer, parts: readonly Buffer[], time = now / 1000) {
  const timers = new WireWriter().u48(time).u16(300).finish()
  const head = Buffer.from([prior.length >> 8, prior.length & 255])
  const hmac = createHmac("sha256", key.secret).update(head).update(prior)
  for (const part of parts) hmac.update(part)
  const mac = hmac.update(timers).digest()
  const data = new WireWriter().name("hmac-sha256.", false).u48(time).u16(300)
  data.u16(mac.length).put(mac).u16(7).u16(0).u16(0)
  const record = new WireWriter().name(key.name, false).u16(recordTypes.TSIG)
  record.u16(recordClasses.ANY).u32(0).u16(data.length).put(data.finish())
  const bytes = Buffer.concat([parts.at(-1) ?? Buffer.alloc(0), record.finish()])
  bytes.writeUInt16BE(bytes.readUInt16BE(10) + 1, 10)
  return { bytes, mac }
}

describe("a chain of signatures", () => {
  test("covers parts that are not signed themselves", () => {
    const chain = chainOf()
    const first = signMessage(answer(), key, now, request.mac)
    accept(chain, first.bytes)
    expect(chain.proven).toBe(true)
    const [second, third] = [answer(), answer()]
    accept(chain, second)
    expect(chain.proven).toBe(false)
    const last = signLater(first.mac, [second, third])
    accept(chain, last.bytes)
    expect(chain.proven).toBe(true)
  })

  test("breaks when a part was changed, left out or put in", () => {
    const first = signMessage(answer(), key, now, request.mac)
    const [second, third] = [answer(), answer()]
    const last = signLater(first.mac, [second, third])
    const changed = Buffer.from(second)
    changed[2] = 0x85
    for (const between of [[], [changed], [second, second]]) {
      const chain = chainOf()
      accept(chain, first.bytes)
      for (const part of between) accept(chain, part)
      expect(() => accept(chain, last.bytes)).toThrow(/its signature is wrong/)
    }
  })

  test("may not leave too many parts unsigned", () => {
    const chain = chainOf()
    accept(chain, signMessage(answer(), key, now, request.mac).bytes)
    const flood = () => {
      for (let part = 0; part < 101; part++) accept(chain, answer())
    }
    expect(flood).toThrow(/too many parts are not signed/)
  })
})

describe("a signed answer", () => {
  test.each(tsigAlgorithms)("with %s is believed", (algorithm) => {
    const other = { ...key, algorithm }
    const asked = signMessage(answer(), other, now)
    const chain = new TsigChain(other, asked.mac, "a server", () => now)
    accept(chain, signMessage(answer(), other, now, asked.mac).bytes)
    expect(chain.proven).toBe(true)
  })

  test("to another question is not believed", () => {
    const elsewhere = Buffer.alloc(32)
    const bytes = signMessage(answer(), key, now, elsewhere).bytes
    expect(() => accept(chainOf(), bytes)).toThrow(/its signature is wrong/)
  })

  test("twin: without checking signatures a forged one is believed", () => {
    const forged = signMessage(answer(), key, now, Buffer.alloc(32)).bytes
    const arm = disarm("answers-are-signed")
    try {
      const chain = chainOf()
      accept(chain, forged)
      expect(chain.proven).toBe(true)
    } finally {
      arm()
    }
  })

  test("by another key, or from another time, is not believed", () => {
    const { bytes } = signMessage(answer(), key, now, request.mac)
    const stranger = { ...key, secret: Buffer.from("another") }
    expect(() => accept(chainOf(stranger), bytes)).toThrow(/its signature is wrong/)
    expect(() => accept(chainOf({ ...key, name: "other." }), bytes)).toThrow(/another key/)
    expect(() => accept(chainOf(key, now + 301_000), bytes)).toThrow(/301 s from our time/)
    expect(() => accept(chainOf(key, now + 299_000), bytes)).not.toThrow()
  })

  test("with one bit changed anywhere before its signature is not believed", () => {
    const { bytes } = signMessage(answer(), key, now, request.mac)
    const { tsig } = decodeMessage(bytes)
    for (let bit = 16; bit < (tsig?.start ?? 0) * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => accept(chainOf(), changed), `bit ${bit}`).toThrow(/^cannot /)
    }
  })

  test("that is not signed at all is not believed", () => {
    expect(() => accept(chainOf(), answer())).toThrow(/it is not signed/)
  })
})
