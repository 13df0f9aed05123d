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

describe("a variable", () => {
  const open = (name: string) => issues({ env: { [name]: "x" } }).join()
  const hidden = (name: string) => issues({ secretEnv: [{ name, value: "x" }] }).join()

  test("that Setpoint sets itself can't be declared, openly or as a secret", () => {
    for (const name of ["SETPOINT_ID", "SETPOINT_RUN", "SETPOINT_PLACE", "_setpoint_pid"]) {
      for (const found of [open(name), hidden(name)]) expect(found).toContain("are Setpoint's own")
    }
  })

  test("has any other name that a shell can read", () => {
    const fine = ["SETPOINT_SLOT", "SETPOINT_PORT", "SETPOINT_GPUS", "SETPOINT_NODE", "A", "_x9"]
    for (const name of [...fine, "SETPOINT_IDS", "MY_SETPOINT_ID", "SETPOINT"]) {
      expect([open(name), hidden(name)]).toEqual(["", ""])
    }
    for (const name of ["", "9a", "a b", "a=b", "ü"]) {
      expect(open(name)).toContain("a variable's name has letters")
      expect(hidden(name)).not.toBe("")
    }
  })
})

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
