// Addresses and ports mean one thing, have one text, and everything else is refused.

import { BlockList } from "node:net"
import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalText, covers, overlaps, parseAddresses, parsePorts } from "./address.ts"

test.each([
  ...["10.0.0.1", "10.0.0.0/8", "10.0.0.1-10.0.0.9", "::1", "2001:db8::/32", "fe80::1-fe80::9"],
])("%s is understood", (text) => expect(parseAddresses(text)).toBeDefined())

test.each([
  ...["", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1/33", "10.0.0.9-10.0.0.1", "::1-10.0.0.1"],
  ...[
    "1::2::3",
    "12345::",
    "::1.2.3",
    "::1.2.3.4:5",
    "10.0.0.1; drop",
    "10.0.0.1/8/8",
    "@set",
    "localhost",
    "1:2:3:4:5:6:7",
  ],
])("%s is refused", (text) => expect(parseAddresses(text)).toBeUndefined())

test.each(["0", "65536", "80-", "90-80", "1-2-3", "a", "080", "-1"])("port %s is refused", (text) =>
  expect(parsePorts(text)).toBeUndefined(),
)

test.each([
  ["10.0.0.77/24", "10.0.0.0/24"],
  ["10.0.0.0-10.0.0.255", "10.0.0.0/24"],
  ["10.0.0.1/32", "10.0.0.1"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["::/0", "::/0"],
  ["::0.1.0.0", "::1:0"],
  ["::ffff:10.0.0.1", "::ffff:a00:1"],
  ["80-80", "80"],
])("%s is written %s", (given, text) => expect(canonicalText(given)).toBe(text))

const four = fc.ipV4()
const six = fc.ipV6()

test("the one text of an address means the same and stays the same", () => {
  const prefixed = fc.oneof(
    fc.tuple(four, fc.integer({ min: 0, max: 32 })),
    fc.tuple(six, fc.integer({ min: 0, max: 128 })),
  )
  fc.assert(
    fc.property(prefixed, ([address, length]) => {
      const text = canonicalText(`${address}/${length}`)
      expect(parseAddresses(text)).toEqual(parseAddresses(`${address}/${length}`))
      expect(canonicalText(text)).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test("what a prefix holds is what Node says that it holds", () => {
  fc.assert(
    fc.property(four, fc.integer({ min: 0, max: 32 }), four, (base, length, other) => {
      const known = new BlockList()
      known.addSubnet(base, length)
      const [prefix, one] = [parseAddresses(`${base}/${length}`), parseAddresses(other)]
      if (prefix === undefined || one === undefined) throw new Error("not understood")
      expect(covers(prefix, one)).toBe(known.check(other))
      expect(overlaps(one, prefix)).toBe(known.check(other))
    }),
    { numRuns: 300 },
  )
})
