// Messages: what was written is read back, and no bytes make the reader loop or throw anything but
// a fault.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isFault } from "../../../base/faults.ts"
import { decodeMessage, encodeMessage, opcodes } from "./message.ts"
import { isBelow, labelsOf, nameLength, nameToWire, parseName } from "./name.ts"
import { rdataBytes } from "./rdata.ts"
import { recordClasses, recordTypes } from "./record-numbers.ts"
import { signMessage } from "./tsig.ts"
import { WireReader } from "./wire-reader.ts"

const label = fc.uint8Array({ minLength: 1, maxLength: 12 })
const anyName = fc.array(label, { minLength: 0, maxLength: 6 }).map((labels) => {
  const parts = labels.map((one) => Buffer.concat([Buffer.from([one.length]), one]))
  return new WireReader(Buffer.concat([...parts, Buffer.from([0])])).name()
})

const key = { name: "k.", algorithm: "hmac-sha256", secret: Buffer.from("secret") } as const

describe("names", () => {
  test("are read back from what was written", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(new WireReader(nameToWire(name)).name()).toBe(name)
        expect(parseName(name)).toBe(name)
        expect(nameToWire(name).length).toBe(nameLength(name))
      }),
    )
  })

  test("are below their zone by labels, not by letters", () => {
    expect(isBelow("www.example.org.", "example.org.")).toBe(true)
    expect(isBelow("example.org.", "example.org.")).toBe(true)
    expect(isBelow("wwwexample.org.", "example.org.")).toBe(false)
    expect(isBelow("a\\.example.org.", "example.org.")).toBe(false)
    expect(labelsOf("a\\.b.c.")).toEqual(["a\\.b", "c"])
  })

  test.each([
    "",
    "a..b",
    ".",
    "a b",
    "ünïcode",
    "a\\",
    "\\999.",
    `${"x".repeat(64)}.`,
    "a;b",
    '"a"',
  ])("refuses %j without an origin, or is the root", (text) => {
    if (text === ".") expect(parseName(text)).toBe(".")
    else expect(() => parseName(text)).toThrow(/^cannot use the name /)
  })

  test("without a dot at the end are below the origin", () => {
    expect(parseName("WWW", "example.org.")).toBe("www.example.org.")
    expect(parseName("@", "example.org.")).toBe("example.org.")
    expect(parseName("example.org", ".")).toBe("example.org.")
  })
})

describe("messages", () => {
  test("are read back from what was written, compressed and signed", () => {
    const record = fc.record({
      name: anyName,
      type: fc.constant(recordTypes.A),
      class: fc.constantFrom(...Object.values(recordClasses)),
      ttl: fc.nat(2 ** 31 - 1),
      data: fc.ipV4().map((text) => rdataBytes(recordTypes.A, text)),
    })
    const records = fc.array(record, { maxLength: 30 })
    fc.assert(
      fc.property(
        fc.nat(0xffff),
        records,
        records,
        fc.boolean(),
        (id, answers, authorities, sign) => {
          const questions = [{ name: "example.org.", type: 6, class: 1 }]
          const out = { id, opcode: opcodes.update, questions, answers, authorities }
          const plain = encodeMessage(out)
          const message = decodeMessage(sign ? signMessage(plain, key, 0).bytes : plain)
          expect(message.id).toBe(id)
          expect(message.opcode).toBe(opcodes.update)
          expect(message.questions).toEqual(questions)
          const seen = [...message.answers, ...message.authorities]
          for (const [index, { name, ttl, data }] of [...answers, ...authorities].entries()) {
            const one = seen[index]
            expect([one?.name, one?.ttl]).toEqual([name, ttl])
            expect(rdataBytes(recordTypes.A, one?.text() ?? "")).toEqual(data)
          }
          expect(message.tsig === undefined).toBe(!sign)
        },
      ),
    )
  })

  const mustEnd = (bytes: Uint8Array) => {
    try {
      const message = decodeMessage(bytes)
      for (const one of [...message.answers, ...message.authorities]) one.text()
    } catch (error) {
      expect(isFault(error), String(error)).toBe(true)
    }
  }

  test("of any bytes end in a value or a fault", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), mustEnd), { numRuns: 3000 })
  })

  test("of honest bytes with some changed end in a value or a fault", () => {
    const data = rdataBytes(recordTypes.MX, "10 mail.example.org.")
    const record = { name: "a.example.org.", type: recordTypes.MX, class: 1, ttl: 1, data }
    const answers = [record, { ...record, name: "b.example.org." }]
    const questions = [{ name: "example.org.", type: 252, class: 1 }]
    const whole = encodeMessage({ id: 1, opcode: 0, questions, answers })
    const signed = signMessage(whole, key, 0).bytes
    const flips = fc.array(fc.tuple(fc.nat(signed.length - 1), fc.nat(255)), { maxLength: 4 })
    fc.assert(
      fc.property(flips, fc.nat(signed.length), (changes, length) => {
        const bytes = Buffer.from(signed)
        for (const [at, value] of changes) bytes[at] = value
        mustEnd(bytes)
        mustEnd(bytes.subarray(0, length))
      }),
      { numRuns: 3000 },
    )
  })

  const withName = (...bytes: readonly number[]) =>
    Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...bytes, 0, 1, 0, 1])

  test.each([
    ["points at itself", withName(0xc0, 12)],
    ["points forwards", withName(0xc0, 14)],
    ["points into the header", withName(0xc0, 2)],
    ["goes round through a label", withName(1, 97, 0xc0, 12)],
    ["has an unknown form", withName(0x80, 1)],
    ["is cut", Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5, 97])],
  ])("whose name %s are refused", (_, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(/^cannot read a DNS message: /)
  })

  test("whose names grow by pointers beyond 255 bytes are refused", () => {
    const parts: Buffer[] = [Buffer.from([0, 1, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0])]
    let at = 12
    let before = 0
    for (let index = 0; index < 40; index++) {
      const end = index === 0 ? [0] : [0xc0 | (before >> 8), before & 0xff]
      const one = Buffer.from([15, ...Buffer.from("a".repeat(15)), ...end, 0, 1, 0, 1])
      parts.push(one)
      before = at
      at += one.length
    }
    expect(() => decodeMessage(Buffer.concat(parts))).toThrow(/longer than 255 bytes/)
  })

  test("with something behind their end are refused", () => {
    const plain = encodeMessage({ id: 1, opcode: 0 })
    expect(() => decodeMessage(Buffer.concat([plain, Buffer.from([0])]))).toThrow(/behind its end/)
  })
})
