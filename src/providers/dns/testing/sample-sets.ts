// Record sets of several types for the scenario suite, and how nsupdate writes them.

import type { JsonObject } from "../../../base/json.ts"

export const zone = "example.org"
export const shapes: readonly (readonly [type: string, value: (n: number) => string])[] = [
  ["A", (n) => `10.0.${Math.floor(n / 250)}.${n % 250}`],
  ["TXT", (n) => `sample ${n} ${"x".repeat((n % 4) * 100)}`],
  ["MX", (n) => `${n % 100} mail-${n}.example.net.`],
  ["CNAME", (n) => `target-${n}.example.net.`],
  ["AAAA", (n) => `2001:db8::${(n + 1).toString(16)}`],
  ["CAA", (n) => `0 issue "ca-${n}.example.net"`],
]
const byHand: Readonly<Record<string, string>> = {
  ...{
    A: "203.0.113.7",
    TXT: "by-hand",
    MX: "7 by.hand.",
    CNAME: "by.hand.",
    AAAA: "2001:db8::7:7",
  },
  CAA: '0 issue "by.hand"',
}
export const ownerOf = ({ name, type }: JsonObject) => `${name}.${zone}. ${type}`
/** Lines of nsupdate that make these records. */
export const linesOf = (spec: JsonObject, ttl: unknown, values: readonly unknown[]) =>
  values.map((value) => {
    const text = spec.type === "TXT" ? String(value).replaceAll(/.{1,255}/g, '"$&" ') : value
    return `update add ${spec.name}.${zone}. ${ttl} ${spec.type} ${text}`
  })

type Edit = (...lines: readonly string[]) => void

/** Each field, changed by hand so that no sample wants it so. */
export const driftsWith = (edit: Edit): Readonly<Record<string, (spec: JsonObject) => void>> => ({
  values: (spec) =>
    edit(`update delete ${ownerOf(spec)}`, ...linesOf(spec, 300, [byHand[String(spec.type)]])),
  ttl: (spec) =>
    edit(`update delete ${ownerOf(spec)}`, ...linesOf(spec, 77, spec.values as string[])),
})
