// The pure parts around record sets: their one form, marks, patterns, messages and keys.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { identityOf, normalSpec, type RecordSetSpec, wishOf } from "./dns-spec.ts"
import { tokenOf } from "./listing.ts"
import { compileGlobs } from "./name-globs.ts"
import { markNameOf, markText, parseMark } from "./ownership.ts"
import { addressText, parseAddress } from "./server-address.ts"
import { makeKey, parseKeyFile } from "./tsig-key.ts"
import { chunkChanges, type SetChange, updateOf } from "./update-message.ts"
import { decodeMessage, encodeMessage } from "./wire/message.ts"
import { nameLength, parseName } from "./wire/name.ts"

const zone: RecordSetSpec["zone"] = {
  ...{ name: "Example.org", server: "192.0.2.1", policy: "sync", ignore: [], ownership: "txt" },
}
const set = (name: string, type: string, ...values: readonly string[]): RecordSetSpec => ({
  ...{ zone, name, type, ttl: 300, values: [...values] },
})

describe("a record set", () => {
  test("has one form however it is written", () => {
    const first = normalSpec(set("WWW", "aaaa", "2001:db8::2", "2001:DB8:0::1"))
    const second = normalSpec(set("www.example.ORG.", "AAAA", "2001:db8:0:0::1", "2001:db8::2"))
    expect(first).toEqual(second)
    expect(first).toEqual({
      zone: { name: "example.org.", server: "192.0.2.1:53" },
      ...{ name: "www.example.org.", type: "AAAA", ttl: 300 },
      values: ["2001:db8::1", "2001:db8::2"],
    })
    expect(normalSpec(first)).toEqual(first)
    expect(identityOf(set("WWW", "A", ""))).toBe("example.org. www.example.org. A")
  })

  test("keeps the key out of its form", () => {
    const key = { name: "k", algorithm: "hmac-sha256", secret: "c2VjcmV0" } as const
    const given = { ...set("www", "A", "192.0.2.1"), zone: { ...zone, key } }
    expect(JSON.stringify(normalSpec(given))).not.toContain("c2VjcmV0")
  })

  test.each([
    [set("www", "A", "192.0.2.1", "192.0.2.1"), "given twice"],
    [set("www", "CNAME", "a.", "b."), "a CNAME has only one"],
    [set("www", "CNAME", "target"), "does not end with a dot"],
    [set("www.example.com.", "A", "192.0.2.1"), "it is not in example.org."],
    [set("www", "NOPE", "x"), "there is no such type"],
    [set("a..b", "A", "192.0.2.1"), "a label is empty"],
  ])("that can't be had is refused in words, and has a form all the same", (spec, cause) => {
    expect(wishOf(spec)).toContain(cause)
    expect(identityOf(spec)).not.toBe("")
    expect(normalSpec(normalSpec(spec))).toEqual(normalSpec(spec))
  })

  test("has a token of its TTL and values, hashed when it is long", () => {
    expect(tokenOf({ ttl: 300, values: ["192.0.2.1"] })).toBe("300 192.0.2.1")
    const long = tokenOf({ ttl: 300, values: ["x".repeat(100)] })
    expect(long).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(tokenOf({ ttl: 301, values: ["x".repeat(100)] })).not.toBe(long)
  })
})

describe("a mark", () => {
  test.each([
    ["www.example.org.", "A", "_setpoint-a.www.example.org."],
    ["example.org.", "MX", "_setpoint-mx.example.org."],
    ["*.example.org.", "A", "_setpoint-a._wildcard.example.org."],
    ["sub.example.org.", "NS", "_setpoint-ns-sub.example.org."],
    ["*.sub.example.org.", "DNAME", "_setpoint-dname-_wildcard.sub.example.org."],
  ])("of %s %s is %s", (name, type, mark) => {
    expect(markNameOf(name, type, "example.org.")).toBe(mark)
  })

  test("of names that leave no room fits all the same, and differs", () => {
    const label = "x".repeat(63)
    const long = `${label}.${label}.${label}.${"y".repeat(40)}.example.org.`
    const names = [
      markNameOf(long, "A", "example.org."),
      markNameOf(long, "TXT", "example.org."),
      markNameOf(`${label}.example.org.`, "NS", "example.org."),
    ]
    expect(new Set(names).size).toBe(3)
    for (const name of names) {
      expect(nameLength(name)).toBeLessThanOrEqual(255)
      expect(parseName(name)).toBe(name)
    }
  })

  test("says whose the set is, and nothing else is taken for one", () => {
    const mark = { owner: "7d1c2f9e-0000-4000-8000-000000000001", type: "A", name: "a.b." }
    expect(parseMark(markText(mark))).toEqual(mark)
    for (const text of ["", "heritage=external-dns,owner=x", "heritage=setpoint,owner=,set=A/b."]) {
      expect(parseMark(text)).toBeUndefined()
    }
  })
})

describe("patterns of names", () => {
  test("match any number of characters, and types where they say so", () => {
    const globs = compileGlobs(["*.dyn.example.org.", "TXT:_acme-challenge.*", "A,AAAA:*home*"])
    expect(globs.match("a.b.dyn.example.org.", "A")).toBe("*.dyn.example.org.")
    expect(globs.match("dyn.example.org.", "A")).toBeUndefined()
    expect(globs.match("_acme-challenge.www.example.org.", "TXT")).toBeDefined()
    expect(globs.match("_acme-challenge.www.example.org.", "A")).toBeUndefined()
    expect(globs.match("my-home.example.org.", "AAAA")).toBeDefined()
  })

  test("match as a slow and plain matcher does", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 8 })
    const plain = (text: string, pattern: string): boolean => {
      if (pattern === "") return text === ""
      const [first, rest] = [pattern[0], pattern.slice(1)]
      if (first !== "*") return text[0] === first && plain(text.slice(1), rest)
      return plain(text, rest) || (text !== "" && plain(text.slice(1), pattern))
    }
    fc.assert(
      fc.property(letters, letters, (left, right) => {
        const text = left.join("").replaceAll("*", "c")
        const pattern = right.join("")
        const found = compileGlobs([pattern]).match(text, "A") !== undefined
        expect(found).toBe(plain(text, pattern))
      }),
    )
  })
})

describe("an update", () => {
  const change = (n: number, values: readonly string[] = ["192.0.2.1"]): SetChange => ({
    ...{ name: `r${n}.example.org.`, type: "A", ownerAfter: "somebody" },
    after: { name: `r${n}.example.org.`, type: "A", ttl: 300, values },
  })

  test("is cut between names so that each part is a message", () => {
    const items = Array.from({ length: 3000 }, (_, n) => ({ change: change(n) }))
    const chunks = chunkChanges("example.org.", items)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.flat().length).toBe(items.length)
    for (const chunk of chunks) {
      const sections = updateOf(
        "example.org.",
        chunk.map((one) => one.change),
      )
      const bytes = encodeMessage({ id: 1, opcode: 5, ...sections })
      expect(bytes.length).toBeLessThan(64_000)
      expect(decodeMessage(bytes).answers.length).toBeGreaterThan(0)
    }
  })

  const before = { name: "r1.example.org.", type: "A", ttl: 60, values: ["192.0.2.9"] }
  test.each<[string, SetChange]>([
    ["made", change(1)],
    ["changed", { ...change(1), before }],
    ["taken away", { name: before.name, type: before.type, before }],
  ])("of a set without a mark is refused once it has one: %s", (_, one) => {
    const { answers } = updateOf("example.org.", [one])
    const [none, txt] = [254, 16]
    const unmarked = { name: "_setpoint-a.r1.example.org.", type: txt, class: none }
    expect(answers).toContainEqual(expect.objectContaining(unmarked))
  })

  test("keeps the changes of one name together", () => {
    const items = [1, 2, 1, 3, 1].map((n) => ({ change: change(n) }))
    const chunks = chunkChanges("example.org.", items, 1)
    expect(chunks.map((chunk) => chunk.length)).toEqual([3, 1, 1])
  })
})

describe("keys and addresses", () => {
  test("are read from files as tsig-keygen writes them", () => {
    const text = 'key "setpoint" { # mine\n  algorithm hmac-sha512;\n  secret "ab//cdEF";\n};\n'
    expect(parseKeyFile("z.", text)).toMatchObject({ name: "setpoint.", algorithm: "hmac-sha512" })
    expect(() => parseKeyFile("z.", "secret")).toThrow(/the file is not like/)
    const key = { name: "k", algorithm: "hmac-md5", secret: "c2VjcmV0" }
    expect(() => makeKey("z.", key)).toThrow(/hmac-md5.* is not known/)
    expect(() => makeKey("z.", { name: "k", secret: "?" })).toThrow(/not base64/)
  })

  test.each([
    ["192.0.2.1", "192.0.2.1:53"],
    ["ns1.example.org:5300", "ns1.example.org:5300"],
    ["[2001:db8::1]:53", "[2001:db8::1]:53"],
  ])("%s is %s", (text, full) => {
    expect(addressText(parseAddress(text))).toBe(full)
  })
})
