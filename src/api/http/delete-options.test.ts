import { describe, expect, it } from "vitest"
import type { Json } from "../../base/json.ts"
import { readDeleteOptions } from "./delete-options.ts"

const read = (query: string, body?: Json) =>
  readDeleteOptions(new URLSearchParams(query), body, (values) => values.includes("All"))

describe("what a DELETE says", () => {
  it("is read from the body and from the query", () => {
    const body = { propagationPolicy: "Foreground", preconditions: { uid: "u" }, dryRun: ["All"] }
    expect(read("", body)).toEqual({ dryRun: true, uid: "u", propagationPolicy: "Foreground" })
    expect(read("propagationPolicy=Orphan&gracePeriodSeconds=0")).toEqual({
      dryRun: false,
      propagationPolicy: "Orphan",
    })
    expect(read("", { propagationPolicy: null, orphanDependents: null })).toEqual({ dryRun: false })
  })

  it("may be said in the old words", () => {
    expect(read("orphanDependents=true").propagationPolicy).toBe("Orphan")
    expect(read("", { orphanDependents: false }).propagationPolicy).toBe("Background")
  })

  it("is refused when it is not understood, or says two things", () => {
    const both = { orphanDependents: true, propagationPolicy: "Background" }
    expect(() => read("", both)).toThrow("cannot be both set")
    expect(() => read("propagationPolicy=Later")).toThrow(
      'Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan"',
    )
    expect(() => read("gracePeriodSeconds=-1")).toThrow("gracePeriodSeconds")
  })
})
