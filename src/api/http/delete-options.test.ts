import { describe, expect, it } from "vitest"
import type { Json } from "../../base/json.ts"
import { readDeleteOptions } from "./delete-options.ts"

const read = (query: string, body?: Json) =>
  readDeleteOptions(new URLSearchParams(query), body, (values) => values.includes("All"))

describe("what a DELETE says", () => {
  it("is read from the body and from the query", () => {
    const body = { propagationPolicy: "Foreground", preconditions: { uid: "u" }, dryRun: ["All"] }
    expect(read("", body)).toEqual({
      dryRun: true,
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
    })
    expect(read("propagationPolicy=Orphan&gracePeriodSeconds=0")).toEqual({
      dryRun: false,
      preconditions: {},
      propagationPolicy: "Orphan",
    })
    expect(read("", { propagationPolicy: null, orphanDependents: null })).toEqual({
      dryRun: false,
      preconditions: {},
    })
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
    expect(() => read("orphanDependents=maybe")).toThrow("orphanDependents")
  })

  it("has preconditions in its body, or in the query of a request without one", () => {
    const preconditions = { uid: "u", resourceVersion: "5" }
    expect(read("", { preconditions }).preconditions).toEqual(preconditions)
    expect(read("uid=u&resourceVersion=5").preconditions).toEqual(preconditions)
    expect(read("resourceVersion=5", {}).preconditions).toEqual({})
    expect(read("uid=v", { preconditions }).preconditions).toEqual(preconditions)
    const none = { uid: null, resourceVersion: null }
    expect(read("", { preconditions: none }).preconditions).toEqual({})
  })

  it("is refused where a mistake would be taken for nothing said, and so delete more", () => {
    expect(() => read("", [])).toThrow("the body is no object")
    expect(() => read("", "x")).toThrow("the body is no object")
    expect(() => read("", { kind: "ConfigMap" })).toThrow("the body is no DeleteOptions")
    expect(() => read("", { dryRun: "All" })).toThrow("dryRun must be a list")
    expect(() => read("", { preconditions: [] })).toThrow("preconditions must be an object")
    expect(() => read("", { preconditions: { uid: 5 } })).toThrow("preconditions.uid")
    const preconditions = { resourceVersion: 5 }
    expect(() => read("", { preconditions })).toThrow("preconditions.resourceVersion")
  })
})
