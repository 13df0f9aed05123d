// Definitions whose patterns and rules look small and cost much: each is either refused, or what it
// judges is judged in time.

interface Bomb {
  readonly name: string
  readonly kind: string
  readonly definition: object
  readonly spec: object
}

function bomb(name: string, kind: string, properties: object, spec: object): Bomb {
  const plural = `${kind.toLowerCase()}s`
  const schema = { type: "object", properties: { spec: { type: "object", ...properties } } }
  const versions = [
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
  ]
  const names = { plural, singular: kind.toLowerCase(), kind }
  return {
    ...{ name, kind, spec },
    definition: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.bombs.dev` },
      spec: { group: "bombs.dev", scope: "Namespaced", names, versions },
    },
  }
}

const text = (pattern: string) => ({ properties: { a: { type: "string", pattern } } })
const list = { type: "array", items: { type: "array", items: { type: "string" } } }
const rule = (expression: string) => ({
  properties: { a: list },
  "x-kubernetes-validations": [{ rule: expression }],
})
const longText = { a: `${"a".repeat(100_000)}!` }
const longList = { a: Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => "a")) }

let nestedSchema: object = { type: "string" }
for (let level = 0; level < 2000; level++) {
  nestedSchema = { type: "object", properties: { a: nestedSchema } }
}

export const definitionBombs: readonly Bomb[] = [
  bomb("a pattern that goes back and forth", "Backone", text("^(a+)+$"), longText),
  bomb("a pattern of choices", "Backtwo", text("^(a|a|aa)*$"), longText),
  bomb("counts of counts of counts", "Counted", text("((a{1,100}){1,100}){1,100}"), longText),
  bomb("a pattern of a megabyte", "Longpattern", text("a?".repeat(500_000)), longText),
  bomb(
    "a pattern in brackets, 20,000 deep",
    "Deeppattern",
    text(`${"(".repeat(20_000)}a`),
    longText,
  ),
  bomb(
    "a rule that compares everything with everything",
    "Looped",
    rule(
      "self.a.all(x, self.a.all(y, x.all(p, y.all(q, self.a.all(z, z.all(r, p == q && q == r))))))",
    ),
    longList,
  ),
  bomb(
    "a rule in brackets, 10,000 deep",
    "Deeprule",
    rule(`${"(".repeat(10_000)}true${")".repeat(10_000)}`),
    longList,
  ),
  bomb("a rule of a megabyte", "Longrule", rule(`${"true && ".repeat(120_000)}true`), longList),
  bomb(
    "a rule that doubles a text",
    "Doubled",
    rule(`${"[self.a].map(x, x + x)".repeat(1)}.all(x, x.map(y, y + y).map(z, z + z).size() > 0)`),
    longList,
  ),
  bomb(
    "a rule with a hostile pattern",
    "Matched",
    rule("self.a.all(x, x.all(y, y.matches('^(a+)+$')))"),
    longList,
  ),
  bomb("a schema 2,000 levels deep", "Deepschema", { properties: { a: nestedSchema } }, { a: {} }),
]
