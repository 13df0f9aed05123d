import { describe, expect, it } from "vitest"
import { linesOf } from "./field-changes.tsx"

const text = (before: unknown, after: unknown) =>
  linesOf(before, after).map(({ kind, text: line }) => `${kind} ${line}`)

describe("the lines of a changed field", () => {
  it("are those that went and came, in the middle of those that stayed", () => {
    expect(text("a\nb\nc\n", "a\nB\nc\n")).toEqual(["same a", "gone b", "new B", "same c"])
  })

  it("say when only the last line break differs", () => {
    expect(text("a", "a\n")).toEqual(["same a", "new "])
  })

  it("are all of it where there was nothing, or will be nothing", () => {
    expect(text(undefined, "a\nb\n")).toEqual(["new a", "new b"])
    expect(text("a", undefined)).toEqual(["gone a"])
    expect(text(undefined, undefined)).toEqual([])
    expect(text(undefined, "")).toEqual(["new "])
  })

  it("show values of any kind as text", () => {
    expect(text(1, 2)).toEqual(["gone 1", "new 2"])
    expect(text(null, { a: 1 })).toEqual(["gone null", "new {", 'new   "a": 1', "new }"])
  })
})
