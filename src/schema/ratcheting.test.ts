import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../base/json.ts"
import { type CompiledSchema, compileSchema } from "./compile-schema.ts"
import { issuePathText, kubeText } from "./issue.ts"

const schema: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 3 },
    size: { type: "integer", maximum: 5 },
    tags: {
      type: "array",
      maxItems: 3,
      "x-kubernetes-list-type": "set",
      items: { type: "string", maxLength: 3 },
    },
    ports: {
      type: "array",
      maxItems: 4,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
      items: {
        type: "object",
        required: ["port"],
        properties: { port: { type: "integer" }, mode: { type: "string", enum: ["a", "b"] } },
        "x-kubernetes-validations": [{ rule: "self.port > 10" }],
      },
    },
    more: { type: "object", additionalProperties: { type: "string", minLength: 2 } },
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.size) || self.size > 1", message: "too small" },
    { rule: "!has(oldSelf.size) || has(self.size)", message: "size stays" },
  ],
}

const compiled: CompiledSchema = compileSchema(schema, "value")

const value: fc.Arbitrary<JsonObject> = fc.record(
  {
    name: fc.oneof(fc.string({ maxLength: 5 }), fc.integer()),
    size: fc.oneof(fc.integer({ min: -2, max: 9 }), fc.constant("x")),
    tags: fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }),
    ports: fc.array(
      fc.record(
        { port: fc.integer({ min: 1, max: 20 }), mode: fc.constantFrom("a", "b", "c") },
        { requiredKeys: [] },
      ),
      { maxLength: 5 },
    ),
    more: fc.dictionary(fc.constantFrom("k", "l", "m"), fc.string({ maxLength: 4 })),
  },
  { requiredKeys: [] },
)

const said = (now: Json, old?: Json): string[] =>
  compiled
    .validate(now, old)
    .map((issue) => `${issuePathText(issue.path)}: ${issue.message}`)
    .filter((line) => !line.includes("were not checked"))

describe("what was wrong before", () => {
  test("is forgiven while nothing changes, whatever it is", () => {
    fc.assert(
      fc.property(value, (now) => {
        expect(said(now, structuredClone(now))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test("never makes an update worse off than a new object, as far as types and bounds go", () => {
    const ofRules = /size stays|too small|failed rule|for rule/
    fc.assert(
      fc.property(value, value, (now, old) => {
        const fresh = new Set(said(now))
        const extra = said(now, old).filter((line) => !fresh.has(line))
        expect(extra.filter((line) => !ofRules.test(line))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test("is forgiven of the one item of a map list that stays, in another place too", () => {
    const bad = { port: 5, mode: "c" }
    const old = { name: "a", ports: [bad] }
    expect(said({ name: "a", ports: [{ port: 11 }, bad] }, old)).toEqual([])
    expect(said({ name: "a", ports: [{ ...bad, mode: "d" }] }, old)).toEqual([
      'ports[0].mode: must be one of "a", "b"',
    ])
    expect(said({ name: "a", tags: ["long!", "x"] }, { name: "a", tags: ["x", "long!"] })).toEqual([
      "tags[0]: must not be longer than 3 characters",
    ])
  })
})

test("values of secrets are in no message, whoever words it", () => {
  const secret = compileSchema(
    {
      type: "object",
      properties: {
        key: {
          type: "object",
          "x-setpoint-secret": true,
          properties: {
            text: { type: "string", pattern: "^a", enum: ["abc"], format: "uuid" },
            list: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
          },
        },
      },
    },
    "value",
  )
  const issues = secret.validate({ key: { text: "hunter2", list: ["hunter2", "hunter2"] } })
  expect(issues).toHaveLength(4)
  expect(issues.map(kubeText).join()).not.toContain("hunter2")
})
