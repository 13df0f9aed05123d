import { expect, it } from "vitest"
import { z } from "zod"
import { absent } from "../../contract/observation.ts"
import { defineKind } from "../define-kind.ts"
import { atomic } from "../schema-marks.ts"
import { firstDifference } from "./matches.ts"

const done = async () => ({ kind: "done" }) as const
const words = z.record(z.string(), z.string())
const kind = defineKind({
  ...{ group: "things.example.com", version: "v1", kind: "Gate" },
  spec: z.strictObject({ name: z.string(), whole: atomic(words), some: words }),
  identity: ({ name }) => name,
  observe: async () => absent("none"),
  ...{ create: done, update: done, delete: done },
})

it("takes what was put beside declared items for a difference where a map is one value", () => {
  const desired = { name: "a", whole: { one: "1" }, some: { one: "1" } }
  expect(firstDifference(kind, desired, desired)).toBeUndefined()
  const more = { one: "1", two: "2" }
  expect(firstDifference(kind, desired, { ...desired, some: more })).toBeUndefined()
  expect(firstDifference(kind, desired, { ...desired, whole: more })).toBe("whole")
})
