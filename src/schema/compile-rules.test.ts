import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../base/json.ts"
import { compileSchema } from "./compile-schema.ts"
import { issuePathText, kubeText } from "./issue.ts"

const text: JsonObject = { type: "string" }

function ruled(rules: readonly JsonObject[], properties: JsonObject = {}) {
  const schema = compileSchema(
    { type: "object", properties, "x-kubernetes-validations": rules },
    "value",
  )
  return (value: Json, old?: Json): string[] =>
    schema.validate(value, old).map((one) => `${issuePathText(one.path)}: ${kubeText(one)}`)
}

describe("a rule", () => {
  test("says its message, its computed message, or itself", () => {
    const a = { a: { type: "integer" } }
    const small = { rule: "self.a < 3" }
    expect(ruled([small], a)({ a: 5 })).toEqual([": Invalid value: failed rule: self.a < 3"])
    expect(ruled([{ ...small, message: "small" }], a)({ a: 5 })).toEqual([": Invalid value: small"])
    const worded = { ...small, message: "small", messageExpression: "'not %d'.format([self.a])" }
    expect(ruled([worded], a)({ a: 5 })).toEqual([": Invalid value: not 5"])
    const broken = { ...small, message: "small", messageExpression: "string(1 / (self.a - 5))" }
    expect(ruled([broken], a)({ a: 5 })).toEqual([": Invalid value: small"])
  })

  test("names the field and the reason it is given", () => {
    const rule = { rule: "false", message: "no", fieldPath: ".a.b", reason: "FieldValueDuplicate" }
    const judge = ruled([rule], { a: { type: "object", properties: { b: text } } })
    expect(judge({ a: {} })).toEqual(["a.b: Duplicate value: no"])
  })

  test("about the old value runs where there is one", () => {
    const n = { n: { type: "integer" } }
    const grows = ruled([{ rule: "self.n >= oldSelf.n", message: "shrinks" }], n)
    expect(grows({ n: 1 })).toEqual([])
    expect(grows({ n: 1 }, { n: 2 })).toEqual([": Invalid value: shrinks"])
    const optional = ruled(
      [
        {
          rule: "oldSelf.hasValue() || self.n == 1",
          message: "starts at one",
          optionalOldSelf: true,
        },
      ],
      n,
    )
    expect(optional({ n: 2 })).toEqual([": Invalid value: starts at one"])
    expect(optional({ n: 2 }, { n: 9 })).toEqual([])
  })

  test("that stumbles is a cause, not an accident", () => {
    const judge = ruled([{ rule: "self.labels['a'] == 'x'" }], {
      labels: { type: "object", additionalProperties: text },
    })
    expect(judge({ labels: {} })).toEqual([
      ": Invalid value: \"object\": no such key evaluating rule: self.labels['a'] == 'x'",
    ])
  })

  test("that costs too much ends, and so do those after it", () => {
    const numbers = { type: "array", maxItems: 1000, items: { type: "integer" } }
    const judge = ruled(
      [
        { rule: "self.numbers.all(a, self.numbers.all(b, a + b >= 0))", message: "pairs" },
        { rule: "false", message: "after" },
      ],
      { numbers },
    )
    expect(judge({ numbers: [1, 2, 3] })).toEqual([": Invalid value: after"])
    const [first, second] = judge({ numbers: Array.from({ length: 1000 }, (_, index) => index) })
    expect(first).toContain("call cost exceeds limit for rule")
    expect(second).toContain("running out of cost budget")
  })

  test("sees values as the schema types them", () => {
    const judge = ruled([{ rule: "self.x / 2.0 == 1.5 && self.at.getFullYear() == 2024" }], {
      x: { type: "number" },
      at: { type: "string", format: "date-time" },
    })
    expect(judge({ x: 3, at: "2024-05-01T00:00:00Z" })).toEqual([])
  })

  test("is not asked of null, and finds what is missing with has()", () => {
    const inner = {
      type: "object",
      nullable: true,
      properties: { b: text },
      "x-kubernetes-validations": [{ rule: "self.b == 'x'" }],
    }
    const judge = ruled([{ rule: "!has(self.c) || has(self.a)" }], { a: inner, c: text })
    expect(judge({ a: null, c: "c" })).toEqual([])
    expect(judge({ c: "c" })).toHaveLength(1)
  })
})

test("rules of a whole object see its names and nothing else of its metadata", () => {
  const root = (rule: string) => ({
    type: "object",
    properties: {},
    "x-kubernetes-validations": [{ rule, message: "no" }],
  })
  const schema = compileSchema(root("self.metadata.name == 'a' && self.kind == 'Box'"))
  const box = { apiVersion: "x/v1", kind: "Box", metadata: { name: "a" } }
  expect(schema.validate(box)).toEqual([])
  expect(schema.validate({ ...box, metadata: { name: "b" } })).toHaveLength(1)
  expect(() => compileSchema(root("has(self.metadata.labels)"))).toThrow("undefined field 'labels'")
})
