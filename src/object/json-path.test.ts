import { describe, expect, it } from "vitest"
import { compileJsonPath } from "./json-path.ts"

const value = {
  spec: { size: 3, "a.b": "dotted", list: [{ n: 1 }, { n: 2 }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Stalled", status: "False" },
    ],
  },
}

describe("a JSON path", () => {
  it.each([
    [".spec.size", [3]],
    ["{.spec.size}", [3]],
    ["$.spec.size", [3]],
    [".spec['a.b']", ["dotted"]],
    [".spec.a\\.b", ["dotted"]],
    [".spec.list[0].n", [1]],
    [".spec.list[-1].n", [2]],
    [".spec.list[*].n", [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type!='Ready')].status", ["False"]],
    [".spec.missing.deeper", []],
    [".spec.constructor", []],
    [".spec.size.more", []],
  ])("%s finds what kubectl would", (path, found) => {
    expect(compileJsonPath(path)?.find(value)).toEqual(found)
  })

  it.each(["", "spec.size", ".spec[", ".spec[?(@.a)]", ".spec..x", "{.a} {.b}", ".a b"])(
    "%j does not compile",
    (path) => {
      expect(compileJsonPath(path)).toBeUndefined()
    },
  )
})
