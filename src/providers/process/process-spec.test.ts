// What the API takes as a Process: manifests that could only do harm are refused with a reason.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { lowerSchema } from "../../provider/lower-schema.ts"
import { compileSchema } from "../../schema/compile-schema.ts"
import { processSpec } from "./process-spec.ts"

const compiled = compileSchema(lowerSchema(processSpec, "Process"), "value")
const issues = (spec: JsonObject) => {
  const whole = compiled.applyDefaults({ command: ["x"], ...spec })
  return compiled.validate(whole).map(({ message }) => message)
}

describe("an http probe's headers", () => {
  const headed = (headers: JsonObject) => issues({ probes: { liveness: { http: { headers } } } })

  test("have names and values that HTTP can carry", () => {
    expect(headed({ Host: "example.org", "X-Token_1": "a b", "!#$%&'*+.^`|~": "" })).toEqual([])
    for (const name of ["", "a b", "a:", "ü", "x\n", "x\r\ny", "(x)", "x".repeat(257)]) {
      expect(headed({ [name]: "x" }).join()).toContain("a header's name has letters")
    }
    for (const value of ["a\nb", "a\rb", "a\0", "ü"]) expect(headed({ X: value })).not.toEqual([])
  })
})
