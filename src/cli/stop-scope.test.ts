import { describe, expect, it } from "vitest"
import { stopScope } from "./stop-scope.ts"

describe("which stop is meant", () => {
  it("is everything, a loop of this namespace, or a loop named in full", () => {
    const options = { namespace: "apps" }
    expect(stopScope(undefined, {}, options)).toEqual({ loop: "*", scope: "all" })
    expect(stopScope("dns", { deletes: true }, options)).toEqual({
      ...{ loop: "apps.dns", scope: "deletes" },
    })
    expect(stopScope("default.dns", { reason: "x" }, options)).toEqual({
      ...{ loop: "default.dns", scope: "all", reason: "x" },
    })
  })
})
