// Record data as text and bytes: one text for the same data, and hostile bytes end in a fault.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isFault } from "../../../base/faults.ts"
import { canonicalValue, rdataBytes, rdataText } from "./rdata.ts"
import { type KnownType, recordTypes, typeName, typeNumber } from "./record-numbers.ts"
import { WireReader } from "./wire-reader.ts"

const canonical = (type: KnownType, value: string) => canonicalValue(recordTypes[type], value)

describe("record data", () => {
  test.each<[KnownType, string, string]>([
    ["A", "192.0.2.1", "192.0.2.1"],
    ["AAAA", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["AAAA", "::ffff:192.0.2.1", "::ffff:c000:201"],
    ["AAAA", "0:0:0:0:0:0:0:0", "::"],
    ["AAAA", "1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["CNAME", "WWW.Example.ORG.", "www.example.org."],
    ["NS", "ns1.example.org.", "ns1.example.org."],
    ["PTR", "a\\046b.example.", "a\\.b.example."],
    ["MX", "10   Mail.Example.org.", "10 mail.example.org."],
    ["SRV", "0 5 5060 sip.example.org.", "0 5 5060 sip.example.org."],
    ["TXT", "v=spf1 -all", "v=spf1 -all"],
    ["TXT", '"v=spf1 -all"', "v=spf1 -all"],
    ["TXT", '"one" "two"', '"one" "two"'],
    ["TXT", "größe", "größe"],
    ["TXT", '""', '""'],
    ["TXT", '"\\"quoted\\""', '"\\"quoted\\""'],
    ["TXT", '"\\000\\255"', '"\\000\\255"'],
    ["CAA", "0 ISSUE letsencrypt.org", '0 issue "letsencrypt.org"'],
    ["DS", "12345 13 2 AB CD", "12345 13 2 abcd"],
    ["TLSA", "3 1 1 00FF", "3 1 1 00ff"],
    ["SSHFP", "4 2 abcdef", "4 2 abcdef"],
    ["NAPTR", '100 50 "s" "SIP+D2U" "" _sip._udp.example.org.', ""],
    ["SVCB", "1 . port=443 alpn=h2,h3", "1 . alpn=h2,h3 port=443"],
    ["HTTPS", '1 svc.example.org. alpn="h3" ipv4hint=192.0.2.1 ipv6hint=2001:db8::1', ""],
    ["HTTPS", "0 other.example.org.", "0 other.example.org."],
    ["HTTPS", "1 . mandatory=port,alpn alpn=h2 no-default-alpn port=1 key9=x\\000y", ""],
    ["URI", '10 1 "https://example.org/"', '10 1 "https://example.org/"'],
    ["A", "\\# 4 C0000201", "192.0.2.1"],
    ["SOA", "ns1.a. host.a. 1 2 3 4 5", "ns1.a. host.a. 1 2 3 4 5"],
  ])("of %s %s has one text", (type, value, text) => {
    const first = canonical(type, value)
    if (text !== "") expect(first).toBe(text)
    expect(canonical(type, first)).toBe(first)
  })

  test("of an unknown type is bytes", () => {
    const type = typeNumber("TYPE65280") ?? 0
    expect(canonicalValue(type, "\\# 3 AB cd ef")).toBe("\\# 3 abcdef")
    expect(canonicalValue(type, "\\# 0")).toBe("\\# 0")
  })

  test("longer than a string is cut into strings of 255 bytes", () => {
    const bytes = rdataBytes(recordTypes.TXT, "x".repeat(600))
    expect([bytes[0], bytes[256], bytes[512], bytes.length]).toEqual([255, 255, 90, 603])
    expect(rdataText(recordTypes.TXT, new WireReader(bytes))).toBe("x".repeat(600))
  })

  test.each<[KnownType, string]>([
    ["A", "192.0.2.256"],
    ["A", "192.0.2.01"],
    ["A", "192.0.2.1 192.0.2.2"],
    ["A", ""],
    ["AAAA", "1::2::3"],
    ["AAAA", "1:2:3:4:5:6:7:8:9"],
    ["AAAA", "fe80::1%eth0"],
    ["CNAME", "www"],
    ["CNAME", `${"a".repeat(64)}.example.`],
    ["CNAME", `${"a.".repeat(130)}`],
    ["MX", "mail.example.org."],
    ["MX", "70000 mail.example.org."],
    ["TXT", '"open'],
    ["TXT", `"a" "${"x".repeat(256)}"`],
    ["DS", "1 2 3 abc"],
    ["SVCB", "1 . port=99999"],
    ["SVCB", "1 . nonsense=1"],
    ["SVCB", "1 . port=1 port=2"],
    ["A", "\\# 5 c000020101"],
    ["A", "\\# 4 c0"],
    ["LOC", "52 N 13 E 0m"],
  ])("refuses %s %s in words", (type, value) => {
    expect(() => canonical(type, value)).toThrow(/^cannot use the /)
  })

  test("of any bytes is a text that gives the same text again, or a fault", () => {
    const types = Object.values(recordTypes)
    fc.assert(
      fc.property(
        fc.constantFrom(...types, 65280),
        fc.uint8Array({ maxLength: 60 }),
        (type, raw) => {
          let text: string
          try {
            text = rdataText(type, new WireReader(raw))
          } catch (error) {
            expect(isFault(error), String(error)).toBe(true)
            return
          }
          const bytes = rdataBytes(type, text)
          expect(rdataText(type, new WireReader(bytes))).toBe(text)
          expect(rdataBytes(type, canonicalValue(type, text))).toEqual(bytes)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test("as any text is bytes, or a fault", () => {
    const types = Object.values(recordTypes)
    const words = fc.stringMatching(/^[ -~]{0,40}$/)
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.oneof(words, fc.string()), (type, value) => {
        try {
          const text = canonicalValue(type, value)
          expect(canonicalValue(type, text)).toBe(text)
        } catch (error) {
          expect(isFault(error), String(error)).toBe(true)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test("has types by name and number", () => {
    expect([typeNumber("aaaa"), typeName(28), typeNumber("TYPE1"), typeName(65280)]).toEqual([
      ...[28, "AAAA", 1, "TYPE65280"],
    ])
    expect([typeNumber("NOPE"), typeNumber("TYPE70000"), typeNumber("constructor")]).toEqual([
      ...[undefined, undefined, undefined],
    ])
  })
})
