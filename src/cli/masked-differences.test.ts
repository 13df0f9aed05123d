import { describe, expect, it } from "vitest"
import { maskedDifference } from "./masked-differences.ts"

const secret = { apiVersion: "v1", kind: "Secret" }

describe("a difference of a Secret", () => {
  it("is shown without the values, wherever they stand", () => {
    const applied = "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"
    for (const path of ["data.password", "data", "stringData.password", applied]) {
      const shown = (difference: object) => maskedDifference(secret, { path, ...difference })
      expect(shown({ before: "aHVudGVy", after: "b3RoZXI=" })).toEqual({
        ...{ path, before: "*** (before)", after: "*** (after)" },
      })
      expect(shown({ after: "aHVudGVy" })).toEqual({ path, after: "***" })
      expect(shown({ before: "aHVudGVy" })).toEqual({ path, before: "***" })
    }
  })

  it("is shown as it is where it holds no value, and in every other kind", () => {
    const label = { path: "metadata.labels.tier", before: "a", after: "b" }
    expect(maskedDifference(secret, label)).toEqual(label)
    const data = { path: "data.color", before: "red", after: "blue" }
    expect(maskedDifference({ apiVersion: "v1", kind: "ConfigMap" }, data)).toEqual(data)
    expect(maskedDifference({ apiVersion: "example.dev/v1", kind: "Secret" }, data)).toEqual(data)
  })
})
