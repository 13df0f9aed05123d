// Zone files: every common way of writing, and refusals that name the place.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isFault } from "../../base/faults.ts"
import { zoneToSpecs } from "./import.ts"
import { parseZoneFile } from "./zone-file.ts"

const file = `; a comment
$ORIGIN example.org.
$TTL 1h
@  IN  SOA ns1 host.example.net. (
      2024010101 ; serial
      1d 2h 4w 5m )
   IN  NS  ns1
   60  MX  10 mail
www 300 IN A 192.0.2.1
    IN 300 A 192.0.2.2
    A 192.0.2.2
txt TXT "one; two" three
    TXT ( "a"
          "b" )
*.wild CNAME www
$ORIGIN sub
deep  AAAA 2001:DB8::1
abs.example.org. CAA 0 issue "ca.example.net"
svc HTTPS 1 . alpn="h2,h3" port=443
odd TYPE65280 \\# 2 ab cd
`

describe("a zone file", () => {
  test("is read with origins, TTLs, lines in parentheses and owners left out", () => {
    const { zone, sets } = parseZoneFile(file, "Example.org", "db.example")
    expect(zone).toBe("example.org.")
    const lines = sets.map(({ name, type, ttl, values }) => [name, type, ttl, values])
    expect(lines).toEqual([
      [
        ...["example.org.", "SOA", 3600],
        ["ns1.example.org. host.example.net. 2024010101 86400 7200 2419200 300"],
      ],
      ["example.org.", "NS", 3600, ["ns1.example.org."]],
      ["example.org.", "MX", 60, ["10 mail.example.org."]],
      ["www.example.org.", "A", 300, ["192.0.2.1", "192.0.2.2"]],
      ["txt.example.org.", "TXT", 3600, ['"a" "b"', '"one; two" "three"']],
      ["*.wild.example.org.", "CNAME", 3600, ["www.example.org."]],
      ["deep.sub.example.org.", "AAAA", 3600, ["2001:db8::1"]],
      ["abs.example.org.", "CAA", 3600, ['0 issue "ca.example.net"']],
      ["svc.sub.example.org.", "HTTPS", 3600, ["1 . alpn=h2,h3 port=443"]],
      ["odd.sub.example.org.", "TYPE65280", 3600, ["\\# 2 abcd"]],
    ])
  })

  test.each([
    ["www A 192.0.2.300", "f:2:7", "no IPv4 address"],
    ["www A", "f:2:5", "an address is missing"],
    ["www", "f:2:1", "the record has no type"],
    ["www WRONG x", "f:2:5", "there is no such type"],
    ["www CH TXT x", "f:2:5", "only the class IN is read"],
    ["$INCLUDE other", "f:2:1", "not understood"],
    ["$ORIGIN", "f:2:1", "has no value"],
    ["$TTL soon", "f:2:6", "is no TTL"],
    ['www TXT "open', "f:2:9", "a quote is not closed"],
    ["www TXT ( a", "f:2:9", "a parenthesis is not closed"],
    ["www TXT a )", "f:2:11", "closed and not open"],
    ["bad..name A 192.0.2.1", "f:2:1", "a label is empty"],
    [" A 192.0.2.1", "f:2:2", "the first record has no name"],
  ])("that says %j is refused with its place", (line, place, cause) => {
    const text = `$TTL 1\n${line}\n`
    expect(() => parseZoneFile(text, "example.org", "f")).toThrow(
      new RegExp(`^cannot read the zone file ${place}: .*${cause}`),
    )
  })

  test("without a TTL anywhere is refused", () => {
    expect(() => parseZoneFile("www A 192.0.2.1", "example.org", "f")).toThrow(/f:1:5: .*no TTL/)
  })

  test("of any text ends in sets or a fault", () => {
    const word = fc.constantFrom(
      ...["www", "@", "IN", "60", "A", "TXT", "SOA", "MX", "192.0.2.1", '"', "(", ")", ";", "\\"],
      ...["\n", "\n ", "$TTL 1\n", "$ORIGIN x.\n", '"a b"', "10 mail", "\\# 1 ff", "TYPE1"],
    )
    const text = fc.array(fc.oneof(word, fc.string({ maxLength: 5 })), { maxLength: 40 })
    fc.assert(
      fc.property(text, (words) => {
        try {
          parseZoneFile(words.join(" "), "example.org")
        } catch (error) {
          expect(isFault(error), String(error)).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test("becomes specs, without what is never touched", () => {
    const { zone, sets } = parseZoneFile(file, "example.org")
    const { found, skipped } = zoneToSpecs(zone, sets, { zoneFrom: { name: "example" } })
    expect(found.map(({ spec }) => `${spec.name} ${spec.type}`)).toEqual([
      ...["*.wild CNAME", "abs CAA", "deep.sub AAAA", "@ MX", "odd.sub TYPE65280"],
      ...["svc.sub HTTPS", "txt TXT", "www A"],
    ])
    expect(found[7]?.spec).toEqual({
      ...{ zoneFrom: { name: "example" }, name: "www", type: "A", ttl: 300 },
      values: ["192.0.2.1", "192.0.2.2"],
    })
    expect(skipped.map(({ what }) => what)).toEqual(["example.org. NS", "example.org. SOA"])
  })
})
