import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type DiffLine, lineDiff } from "./line-diff.ts"
import { shorten, shownValue } from "./shown-value.ts"

const marks = { same: " ", gone: "-", new: "+", skip: "@" } as const
const short = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${marks[kind]}${text}`)

describe("two texts line by line", () => {
  it("show what went and what came, and leave out what is far away", () => {
    const many = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const after = many.map((line) => (line === "line 10" ? "another" : line))
    expect(short(lineDiff(many.join("\n"), after.join("\n")))).toEqual([
      ...["@7", " line 7", " line 8", " line 9", "-line 10", "+another"],
      ...[" line 11", " line 12", " line 13", "@6"],
    ])
    expect(short(lineDiff("a\nb", "a\nb"))).toEqual(["@2"])
  })

  it("give both texts back", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (one, two) => {
        const lines = lineDiff(one.join("\n"), two.join("\n"))
        // What is far from every change is left out on purpose.
        const lost = lines.some(({ kind }) => kind === "skip")
        const side = (other: DiffLine["kind"]) =>
          lines.filter(({ kind }) => kind !== other).map((line) => line.text)
        if (lost) return
        expect(side("new")).toEqual(one.length === 0 ? [""] : one)
        expect(side("gone")).toEqual(two.length === 0 ? [""] : two)
      }),
      { numRuns: 500 },
    )
  })

  it("change as little as can be", () => {
    expect(short(lineDiff("a\nb\nc\nd", "a\nc\nx\nd"))).toEqual([" a", "-b", " c", "+x", " d"])
  })

  it("end soon for texts that have nothing in common", () => {
    const one = Array.from({ length: 30_000 }, (_, index) => `a${index}`).join("\n")
    const two = Array.from({ length: 30_000 }, (_, index) => `b${index}`).join("\n")
    expect(lineDiff(one, two)).toHaveLength(60_000)
  })
})

describe("a value as text", () => {
  it("hides secrets, also inside of others, and says what was shortened", () => {
    expect(shownValue({ $secret: true })).toEqual({ text: "***", note: true })
    const hidden = { $hash: "hmac:k1:abc", $length: 3 }
    expect(shownValue(hidden).text).toBe("***")
    expect(shownValue([{ password: hidden }]).text).not.toContain("hmac")
    const long = { $hash: `sha256:${"ab".repeat(32)}`, $length: 9000 }
    expect(shownValue(long).text).toBe("9000 characters, sha256:abababababab…")
  })

  it("shows what can't be seen, and keeps lines apart", () => {
    expect(shownValue("a\u202eb\nc\u0007").text).toBe("a\u2039U+202E\u203ab\nc\u2039U+0007\u203a")
    expect(shownValue(undefined)).toEqual({ text: "not set", note: true })
    expect(shownValue("")).toEqual({ text: "empty text", note: true })
    expect(shownValue(0)).toEqual({ text: "0", note: false })
  })

  it("is shortened by lines and by characters", () => {
    expect(shorten("a\nb\nc", 2)).toEqual({ text: "a\nb…", isShort: true })
    expect(shorten("abc", 2, 2)).toEqual({ text: "ab…", isShort: true })
    expect(shorten("abc")).toEqual({ text: "abc", isShort: false })
  })
})
