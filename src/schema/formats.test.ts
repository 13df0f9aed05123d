import { expect, test } from "vitest"
import { stringFormats } from "./formats.ts"

test.each<[string, string[], string[]]>([
  ["date", ["2024-02-29", "1999-12-31"], ["2023-02-29", "2024-13-01", "24-1-1", ""]],
  [
    "date-time",
    ["2024-02-29T23:59:60Z", "2024-01-01t00:00:00.123+02:00"],
    ["2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00"],
  ],
  [
    "uuid",
    ["123e4567-e89b-12d3-a456-426614174000"],
    ["123e4567", "z23e4567-e89b-12d3-a456-426614174000"],
  ],
  ["ipv4", ["127.0.0.1", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"]],
  [
    "ipv6",
    ["::", "::1", "fe80::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::"],
    [":", ":::", "1:2:3:4:5:6:7", "1::2::3", "g::", "1.2.3.4", "1:2:3:4:5:6:7:8:9", "1.2.3.4::"],
  ],
  ["cidr", ["10.0.0.0/8", "fe80::/64"], ["10.0.0.0", "10.0.0.0/33", "fe80::/129", "/8"]],
  ["byte", ["", "aGk=", "aGVsbG8="], ["aGk", "a=b=", "=="]],
  ["duration", ["5m", "1h30m", "250ms", "0", "1.5s", "-2h"], ["", "5", "m", "5 m", "1y"]],
  ["uri", ["https://a.example/x?y=1", "/path", "urn:a:b"], ["a b", "://"]],
  ["hostname", ["a", "a-b.example.", "xn--a.example"], ["-a", "a_b", "a..b", "", "a".repeat(64)]],
  ["email", ["a.b+c@example.org"], ["@example.org", "a", "a b@example.org", "a@"]],
])("format %s knows right from wrong", (name, right, wrong) => {
  const passes = stringFormats.get(name) ?? (() => undefined)
  for (const value of right) expect([value, passes(value)]).toEqual([value, true])
  for (const value of wrong) expect([value, passes(value)]).toEqual([value, false])
})
