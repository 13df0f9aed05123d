import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseCel } from "./cel-library.ts"
import { type CelValue, compileCel, problemText } from "./compile-cel.ts"

const variables = { objects: "list<dyn>", signals: "map<string, dyn>" }
const admins = [
  { kind: "User", name: "ann", spec: { admin: true, port: 22, load: 0.5 } },
  { kind: "User", name: "bob", spec: { admin: false, port: 443, load: 2 } },
]

function evaluate(source: string, objects: readonly unknown[] = admins, budget?: number) {
  const options = { variables, ...(budget === undefined ? {} : { budget }) }
  const compiled = compileCel(source, options)
  if (compiled.kind === "problem") throw new Error(problemText(compiled.problem, source))
  return compiled.expression.evaluate({ objects, signals: new Map() })
}

function resultOf(source: string, objects?: readonly unknown[]): CelValue {
  const result = evaluate(source, objects)
  if (result.kind === "error") throw new Error(result.problem.message)
  return result.value
}

function errorOf(source: string, objects?: readonly unknown[]): string {
  const result = evaluate(source, objects)
  if (result.kind === "value") throw new Error(`it gave ${String(result.value)}`)
  return result.problem.message
}

describe("an expression", () => {
  it.each([
    ["objects.exists(o, o.spec.admin)", true],
    ["objects.all(o, o.spec.admin)", false],
    ["objects.exists_one(o, o.spec.port == 22)", true],
    ["objects.filter(o, o.spec.port < 100).size() == 1", true],
    ["objects.map(o, o.name) == ['ann', 'bob']", true],
    ["objects.map(o, o.spec.admin, o.name).join('+') == 'ann'", true],
    ["objects[1].spec.port + 1 == 444", true],
    ["objects.exists(o, o.spec.load > 1.5)", true],
    ["objects.exists(o, o.spec.load == 2)", true],
    ["objects.all(o, has(o.spec.admin)) && !objects.exists(o, has(o.spec.gone))", true],
    ["size(objects) > 1 ? 'many' : 'few'", "many"],
    ["'ann' in objects.map(o, o.name) && !('eve' in {'ann': 1})", true],
    ["cel.bind(n, objects.size(), n * n - 1) % 2 == 1", true],
    ["'/etc/ssh/sshd_config'.matches('^/etc/.*_config$')", true],
    ["'a,b'.split(',').size() + int('2') + int(3.9)", 7n],
    ["-7 / 2", -3n],
    ["string(7) + 'x' + string(true)", "7xtrue"],
    ["double(3) / 2.0", 1.5],
    ["{'a': [1, 2.0]} == {'a': [1.0, 2]}", true],
    ["'ÅBc'.lowerAscii() + ' x '.trim()", "Åbcx"],
  ])("%s", (source, value) => {
    expect(resultOf(source)).toEqual(value)
  })

  it("lets one side decide whatever the other stumbles over", () => {
    expect(resultOf("objects[9].spec.admin || true")).toBe(true)
    expect(resultOf("objects[9].spec.admin && false")).toBe(false)
    expect(resultOf("objects.exists(o, o.spec.gone || o.name == 'bob')")).toBe(true)
    expect(errorOf("objects.all(o, o.spec.gone == 1)")).toBe("no such member: gone")
  })

  it.each([
    ["objects[2]", "no such place in the list"],
    ["objects[0].spec.constructor", "no such member: constructor"],
    ["objects[0].__proto__", "no such member: __proto__"],
    ["objects[0]['toString']", "no such key"],
    ["objects[0].spec.port / 0", "division by zero"],
    ["9223372036854775807 + 1", "the number is too large for an int"],
    ["objects[0].spec.port + objects[0].spec.load", "no such overload: int + double"],
    ["int('12a')", "cannot make a int of this string"],
    ["objects[0].name.matches('(')", "the pattern can't be used"],
  ])("says what went wrong: %s", (source, message) => {
    expect(errorOf(source)).toContain(message)
  })

  it("names the items that decided it", () => {
    const names = (source: string) => {
      const result = evaluate(source)
      if (result.kind === "error") throw new Error(result.problem.message)
      return result.witnesses.map((one) => Reflect.get(Object(one), "name"))
    }
    expect(names("objects.all(o, o.spec.admin)")).toEqual(["bob"])
    expect(names("objects.all(o, o.spec.port > 500)")).toEqual(["ann", "bob"])
    expect(names("!objects.exists(o, o.spec.port == 22)")).toEqual(["ann"])
    expect(names("objects.all(o, objects.exists(p, p.name == o.name))")).toEqual([])
  })
})

describe("a text that is no usable expression", () => {
  it.each([
    ["", "line 1, column 1: it is empty"],
    ["objects.exists(o, ", "line 1, column 19"],
    ["true &&\n  nope.x", "line 2, column 3: Unknown variable: nope"],
    ["1 + 'a'", "no such overload: int + string"],
    ["objects.reduce(1)", "reduce"],
    ["x".repeat(10_001), "longer than"],
    [`${"(".repeat(300)}1${")".repeat(300)}`, "Exceeded maxDepth"],
  ])("is refused with its place: %s", (source, message) => {
    const compiled = compileCel(source, { variables })
    expect(compiled.kind).toBe("problem")
    if (compiled.kind === "problem") {
      expect(problemText(compiled.problem, source)).toContain(message)
    }
  })

  it("is refused when it can't give a bool and one is needed", () => {
    expect(compileCel("1 + 1", { variables, type: "bool" })).toMatchObject({
      problem: { message: "it gives a int, and a bool is needed" },
    })
    const late = compileCel("objects[0].name", { variables, type: "bool" })
    expect(late.kind === "expression" && late.expression.evaluate({ objects: admins })).toEqual({
      kind: "error",
      problem: { message: "it gave a string, and a bool is needed", at: 0 },
    })
  })
})

describe("what an expression costs", () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ spec: { n: index } }))

  it.each([
    "objects.all(a, objects.all(b, objects.all(c, a.spec.n + b.spec.n + c.spec.n >= 0)))",
    "objects.all(a, objects.all(b, objects == objects))",
    "objects.all(a, objects.map(b, objects).size() > 0)",
    "objects.all(a, objects.exists(b, 'x' in objects.map(c, string(c.spec.n))))",
  ])("is bounded: %s", (source) => {
    expect(errorOf(source, many)).toBe("it costs more than an expression may")
  })

  it("can't be doubled again and again", () => {
    let source = "x20.size() > 0"
    for (let depth = 20; depth > 0; depth--) {
      source = `cel.bind(x${depth}, x${depth - 1} + x${depth - 1}, ${source})`
    }
    source = `cel.bind(x0, '0123456789', ${source})`
    expect(errorOf(source)).toMatch(/too long|costs more/)
    const lists = source.replaceAll("'0123456789'", "[1, 2, 3]")
    expect(errorOf(lists)).toMatch(/too long|costs more/)
  })

  it("is bounded for patterns that other engines choke on", () => {
    const evil = [{ name: `${"a".repeat(50_000)}!` }]
    expect(resultOf("objects[0].name.matches('^(a+)+$')", evil)).toBe(false)
  })
})

const leaf = fc.oneof(
  fc.integer({ min: -50, max: 50 }).map(String),
  fc.constantFrom("true", "false", "'a'", "'ab'", "1.5", "[1, 2]", "objects.size()"),
  fc.constantFrom("objects[0].spec.port", "objects[1].name", "objects[0].spec.gone"),
)
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom("+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in"),
        tie("expression"),
      )
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    tie("expression").map((inner) => `objects.exists(o, ${inner} == o.name)`),
    tie("expression").map((inner) => `[${inner}].map(x, x)`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
  ),
}))

describe("any expression", () => {
  it("ends with a value, an error or a problem, and changes nothing it was given", () => {
    const before = JSON.stringify(admins)
    fc.assert(
      fc.property(fc.oneof(expression, fc.string({ maxLength: 60 })), (source) => {
        const compiled = compileCel(source, { variables, budget: 5000 })
        if (compiled.kind === "problem") return
        compiled.expression.evaluate({ objects: admins, signals: new Map() })
      }),
      { numRuns: 500 },
    )
    expect(JSON.stringify(admins)).toBe(before)
  })

  it("gives what the library's own evaluator gives, wherever both give a value", () => {
    const oracle = admins.map(({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, port: BigInt(spec.port) },
    }))
    fc.assert(
      fc.property(expression, (source) => {
        const parsed = parseCel(source, variables)
        const compiled = compileCel(source, { variables })
        if (!("evaluate" in parsed) || compiled.kind === "problem") return
        const ours = compiled.expression.evaluate({ objects: admins, signals: new Map() })
        let theirs: unknown
        try {
          theirs = parsed.evaluate({ objects: oracle, signals: {} })
        } catch {
          return
        }
        if (ours.kind === "value") expect(ours.value).toEqual(theirs)
      }),
      { numRuns: 500 },
    )
  })
})
