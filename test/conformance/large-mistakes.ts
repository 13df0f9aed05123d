// Every way in which a value of a large definition can be of a wrong type, one at a time: at each
// kind of value in each kind of place, with the field that has to be named.

import type { Json, JsonObject } from "../../src/base/json.ts"
import type { Shape } from "./large-definition.ts"

export interface Mistake {
  /** "keyed in list: the same key twice" */
  readonly what: string
  readonly field: string
  readonly reason: "TypeInvalid" | "Duplicate" | "Required"
  readonly spec: Json
}

type Put = (wrong: Json) => Json

export function* mistakesIn(
  shape: Shape,
  value: Json,
  field = "spec",
  place = "root",
  put: Put = (wrong) => wrong,
): Generator<Mistake> {
  const what = `${shape.type} in ${place}`
  if (place !== "root") {
    const wrong = wrongFor[shape.type]
    yield {
      what: `${what}: ${JSON.stringify(wrong)}`,
      field,
      reason: "TypeInvalid",
      spec: put(wrong),
    }
  }
  yield* ownMistakes(shape, value, field, what, put)
  for (const [part, inner, name, at] of partsOf(shape, value)) {
    const putIn: Put = (wrong) => put(at(wrong))
    yield* mistakesIn(inner, part, `${field}${name}`, shape.type, putIn)
  }
}

const wrongFor: Readonly<Record<Shape["type"], Json>> = {
  string: 5,
  integer: "five",
  boolean: "yes",
  intOrString: true,
  anything: "text",
  embedded: 5,
  map: ["a"],
  list: { a: 1 },
  set: "a",
  keyed: { name: "a" },
  object: "text",
}

/** What can be wrong although every type is right. */
function* ownMistakes(
  shape: Shape,
  value: Json,
  field: string,
  what: string,
  put: Put,
): Generator<Mistake> {
  if (shape.type === "embedded") {
    const { kind: _, ...rest } = value as JsonObject
    yield { what: `${what}: no kind`, field: `${field}.kind`, reason: "Required", spec: put(rest) }
  }
  if (shape.type !== "set" && shape.type !== "keyed") return
  const items = value as readonly Json[]
  const [first = null] = items
  const twice = put([...items, first])
  const last = `${field}[${items.length}]`
  yield { what: `${what}: one twice`, field: last, reason: "Duplicate", spec: twice }
  if (shape.type === "set") return
  const { name: _, ...nameless } = first as JsonObject
  const without = put([nameless, ...items.slice(1)])
  const key = `${field}[0].name`
  yield { what: `${what}: no key`, field: key, reason: "Required", spec: without }
}

type Part = readonly [value: Json, shape: Shape, name: string, at: Put]

function* partsOf(shape: Shape, value: Json): Generator<Part> {
  if (shape.type === "object" || shape.type === "map") {
    const members = value as JsonObject
    for (const [name, member = null] of Object.entries(members)) {
      const inner = shape.type === "object" ? shape.members.get(name) : shape.item
      if (inner !== undefined)
        yield [member, inner, `.${name}`, (one) => ({ ...members, [name]: one })]
    }
  }
  if (shape.type !== "list" && shape.type !== "set" && shape.type !== "keyed") return
  const items = value as readonly Json[]
  for (const [index, item] of items.entries()) {
    yield [item, shape.item, `[${index}]`, (one) => items.with(index, one)]
  }
}

/** The first few of each sort. */
export function fewOfEach(all: Iterable<Mistake>, count: number): readonly Mistake[] {
  const found = new Map<string, Mistake[]>()
  for (const mistake of all) {
    const same = found.get(mistake.what) ?? []
    found.set(mistake.what, same)
    if (same.length < count) same.push(mistake)
  }
  return [...found.values()].flat()
}
