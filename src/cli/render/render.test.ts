import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ageText } from "./age.ts"
import { changeLines, valueText } from "./field-change.ts"
import { jsonPath } from "./json-path.ts"
import { lineDiff } from "./line-diff.ts"
import { printable } from "./printable.ts"
import { tableLines } from "./table.ts"

const plain = { paint: (_: string, text: string) => text, columns: 80 }
const applied = (before: string, after: string) => {
  const lines = lineDiff(before, after, Number.POSITIVE_INFINITY)
  const side = (mark: "-" | "+") => lines.filter((line) => line.mark !== mark && line.mark !== "…")
  return { before: side("+"), after: side("-") }
}

describe("what is printed", () => {
  it("never holds a character that could steer the terminal", () => {
    expect(printable("a\u001b[31mb\u0007\n\u202ec\u0085")).toBe("a\\x1b[31mb\\x07\\n\\u202ec\\x85")
    const steers = (code: number) =>
      (code < 32 && code !== 9) || (code >= 127 && code < 160) || (code > 0x2029 && code < 0x202f)
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => {
        const codes = [...printable(text)].map((character) => character.charCodeAt(0))
        expect(codes.filter(steers)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it("shows a diff that holds both sides, whatever they are", () => {
    const line = fc.constantFrom("a", "b", "c", "d", "")
    const text = fc
      .array(line, { maxLength: 8 })
      .map((lines) => lines.map((one) => `${one}\n`).join(""))
    fc.assert(
      fc.property(text, text, (before, after) => {
        if (before === after) return
        const told = applied(before, after)
        const kept = (all: readonly { text: string }[]) => all.map((one) => one.text)
        const lines = (whole: string) => whole.split("\n").slice(0, -1)
        const inOrder = (part: string[], whole: string[]) => {
          let at = 0
          for (const one of whole) if (one === part[at]) at++
          return at === part.length
        }
        expect(inOrder(kept(told.before), lines(before))).toBe(true)
        expect(inOrder(kept(told.after), lines(after))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it("shows only what is around a change, and cuts what is long", () => {
    const before = Array.from({ length: 30 }, (_, at) => `${at}\n`).join("")
    expect(
      lineDiff(before, before.replace("15\n", "x\n")).map(({ mark, text }) => `${mark}${text}`),
    ).toEqual([...["…13 equal lines", " 13", " 14", "-15", "+x", " 16", " 17", "…12 equal lines"]])
    expect(lineDiff("", before, 10)).toHaveLength(11)
    expect(lineDiff("a", "a\n").map((line) => line.mark)).toEqual(["-", "+"])
  })

  it("shows short values on one line, with the reason", () => {
    const change = { path: "mode", before: "0600", after: "0644", reason: "someone changed it" }
    expect(changeLines(change, plain)).toEqual([
      '    ~ mode: "0600" -> "0644"                      # someone changed it',
    ])
    expect(changeLines({ path: "x", before: 1 }, plain)).toEqual(["    - x: 1"])
    expect(valueText({ $hash: "hmac:k1:abcdef0123456789", $length: 7 })).toBe(
      "(secret abcdef012345, 7 characters)",
    )
  })

  it("finds what printer columns ask for, and nothing else", () => {
    const conditions = [
      { type: "Held", status: "x" },
      { type: "Ready", status: "True" },
    ]
    const object = { status: { conditions }, spec: { list: [1, 2] } }
    const at = (path: string) => jsonPath(object, path)
    expect(at('.status.conditions[?(@.type=="Ready")].status')).toBe("True")
    expect(at(".spec.list[1]")).toBe(2)
    expect(at(".spec['list'][0]")).toBe(1)
    expect(at(".spec..list")).toBeUndefined()
    expect(at(".spec.none.x")).toBeUndefined()
    expect(at(".constructor")).toBeUndefined()
  })

  it("says ages as kubectl does", () => {
    const now = Date.parse("2026-01-10T00:00:00Z")
    const ages = [45, 200, 1200, 7200 + 60, 30_000, 400_000].map((seconds) =>
      ageText(new Date(now - seconds * 1000).toISOString(), now),
    )
    expect(ages).toEqual(["45s", "3m20s", "20m", "121m", "8h", "4d"])
    expect(ageText(undefined, now)).toBe("<unknown>")
  })

  it("aligns columns and leaves none empty", () => {
    expect(
      tableLines(
        ["Name", "Path"],
        [
          ["a\u001b", ""],
          ["long-name", "/x"],
        ],
      ),
    ).toEqual(["NAME        PATH", "a\\x1b       <none>", "long-name   /x"])
  })
})
