import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isFault } from "../base/faults.ts"
import { elementKey, type FieldPath, type PathElement, pathText } from "./field-path.ts"
import { FieldSet } from "./field-set.ts"

const field = (name: string): PathElement => ({ field: name })

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom("a", "b", "a.b/c", ".", "__proto__").map(field),
  fc.record({ port: fc.nat(2), protocol: fc.constantFrom("TCP", "UDP") }).map((key) => ({ key })),
  fc.constantFrom("x", 1, true, null).map((value) => ({ value })),
  fc.nat(2).map((index) => ({ index })),
)
const path: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 3 })
const set = fc.array(path, { maxLength: 8 }).map((paths) => FieldSet.of(...paths))

describe("field paths", () => {
  test("read like the document they point into", () => {
    expect(pathText([field("spec"), field("labels"), field("a.b/c")])).toBe('spec.labels["a.b/c"]')
    expect(pathText([field("ports"), { key: { protocol: "TCP", port: 80 } }])).toBe(
      'ports[port=80,protocol="TCP"]',
    )
    expect(pathText([field("tags"), { value: "x" }])).toBe('tags[="x"]')
    expect(pathText([field("args"), { index: 3 }, field("name")])).toBe("args[3].name")
    expect(pathText([field("a b")])).toBe('["a b"]')
    expect(pathText([])).toBe("")
  })
})

describe("FieldsV1", () => {
  test("is written as Kubernetes writes it", () => {
    const ports = field("ports")
    const item: PathElement = { key: { protocol: "TCP", port: 80 } }
    const fields = FieldSet.of(
      [field("tags"), { value: "x" }],
      [ports, item, field("name")],
      [ports, item],
      [ports, { key: { protocol: "TCP", port: 9 } }],
    ).toFieldsV1()
    expect(JSON.stringify(fields)).toBe(
      JSON.stringify({
        "f:ports": {
          'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} },
          'k:{"port":9,"protocol":"TCP"}': {},
        },
        "f:tags": { 'v:"x"': {} },
      }),
    )
  })

  test("orders set items by number where they are numbers", () => {
    const fields = FieldSet.of([{ value: 10 }], [{ value: 9 }], [{ value: "a" }]).toFieldsV1()
    expect(Object.keys(fields)).toEqual(["v:9", "v:10", 'v:"a"'])
  })

  test("comes back as the same set", () => {
    fc.assert(
      fc.property(set, (fields) => {
        const wire = JSON.parse(JSON.stringify(fields.toFieldsV1()))
        expect(FieldSet.fromFieldsV1(wire).equals(fields)).toBe(true)
      }),
    )
  })

  test.each([
    [{ "x:a": {} }],
    [{ "k:[]": {} }],
    [{ "v:{": {} }],
    [{ "i:-1": {} }],
    [{ "f:a": 3 as never }],
    [JSON.parse(`${'{"f:a":'.repeat(5000)}{}${"}".repeat(5000)}`)],
  ])("that is not FieldsV1 is refused with a code", (fields) => {
    const read = () => FieldSet.fromFieldsV1(fields)
    expect(read).toThrow(expect.objectContaining({ code: "SPT-OBJECT-001" }))
  })
})

describe("field sets", () => {
  const texts = (fields: FieldSet) => new Set([...fields.paths()].map(textOf))
  const textOf = (one: FieldPath) => one.map(elementKey).join("\n")

  test("obey the algebra of sets", () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const [l, r] = [texts(left), texts(right)]
        expect(texts(left.union(right))).toEqual(l.union(r))
        expect(texts(left.intersection(right))).toEqual(l.intersection(r))
        expect(texts(left.difference(right))).toEqual(l.difference(r))
        expect(left.union(right).equals(right.union(left))).toBe(true)
        expect(left.difference(right).union(left.intersection(right)).equals(left)).toBe(true)
        expect(left.difference(left)).toBe(FieldSet.empty)
        for (const one of left.paths()) expect(left.has(one)).toBe(true)
        for (const one of right.difference(left).paths()) expect(left.has(one)).toBe(false)
      }),
    )
  })

  test("give back an operand when it is the result", () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const both = left.union(right)
        expect(both.union(left)).toBe(both)
        expect(left.intersection(both)).toBe(left)
        const rest = left.difference(right)
        expect(rest.difference(right)).toBe(rest)
      }),
    )
  })

  test("take away what lies below only when asked to", () => {
    const whole = FieldSet.of([field("a")], [field("a"), field("b")], [field("c")])
    const a = FieldSet.of([field("a")])
    expect([...whole.difference(a).paths()].map(pathText)).toEqual(["a.b", "c"])
    expect([...whole.differenceDeep(a).paths()].map(pathText)).toEqual(["c"])
  })

  test("name their leaves without the members above them", () => {
    const whole = FieldSet.of([field("a")], [field("a"), field("b")], [field("c")])
    expect([...whole.leaves()].map(pathText)).toEqual(["a.b", "c"])
    expect([...whole.paths()].map(pathText)).toEqual(["a", "a.b", "c"])
  })

  test("hold no place for an unreadable set", () => {
    try {
      FieldSet.fromFieldsV1({ q: {} })
      expect.unreachable()
    } catch (error) {
      expect(isFault(error) && error.hint).toContain("managedFields")
    }
  })
})
