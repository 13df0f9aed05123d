// A definition as large as the largest that people have: six versions, thousands of fields eight
// levels deep, of every shape. Made from a seed, together with values for it and what the server
// must make of them by a model that shares nothing with the code.

import type { Json, JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"

export type Shape =
  | { readonly type: "string" | "integer" | "boolean"; readonly fallback?: Json }
  | { readonly type: "intOrString" | "anything" | "embedded" }
  | { readonly type: "map" | "list" | "set"; readonly item: Shape }
  | { readonly type: "keyed"; readonly item: Extract<Shape, { type: "object" }> }
  | {
      readonly type: "object"
      readonly members: ReadonlyMap<string, Shape>
      readonly ruled: boolean
    }

export class Dice {
  #state: number
  constructor(seed: number) {
    this.#state = seed
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }
}

const leaves = ["string", "integer", "boolean"] as const
const nests = ["object", "object", "map", "list", "keyed"] as const
const odd = ["intOrString", "anything", "embedded", "set"] as const

export function shapeOf(dice: Dice, depth: number): Shape {
  if (depth === 0) return leafOf(dice)
  const type = dice.pick(nests)
  if (type === "object") return objectShape(dice, depth)
  if (type === "keyed") return { type, item: objectShape(dice, depth) }
  return { type, item: shapeOf(dice, depth - 1) }
}

export function objectShape(dice: Dice, depth: number): Extract<Shape, { type: "object" }> {
  const members = new Map<string, Shape>([["name", { type: "string" }]])
  for (let index = 0; index < 3; index++) members.set(`leaf${index}`, leafOf(dice))
  const oddType = dice.pick(odd)
  const item: Shape = { type: "string" }
  members.set("odd", oddType === "set" ? { type: "set", item } : { type: oddType })
  for (let index = 0; index < 3; index++) members.set(`deep${index}`, shapeOf(dice, depth - 1))
  return { type: "object", members, ruled: depth > 5 }
}

function leafOf(dice: Dice): Shape {
  const type = dice.pick(leaves)
  const fallback = { string: "by default", integer: 7, boolean: true }[type]
  return dice.below(3) === 0 ? { type, fallback } : { type }
}

export function schemaOf(shape: Shape): JsonObject {
  switch (shape.type) {
    case "intOrString":
      return { "x-kubernetes-int-or-string": true }
    case "anything":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    case "embedded":
      return {
        ...{ type: "object", "x-kubernetes-embedded-resource": true },
        "x-kubernetes-preserve-unknown-fields": true,
      }
    case "map":
      return { type: "object", additionalProperties: schemaOf(shape.item) }
    case "list":
    case "set": {
      const kind = shape.type === "set" ? "set" : "atomic"
      return { type: "array", "x-kubernetes-list-type": kind, items: schemaOf(shape.item) }
    }
    case "keyed":
      return {
        ...{
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        items: { ...schemaOf(shape.item), required: ["name"] },
      }
    case "object": {
      const properties = [...shape.members].map(([name, member]) => [name, schemaOf(member)])
      const rule = { rule: "!has(self.name) || self.name != 'forbidden'", message: "not that name" }
      return {
        ...{ type: "object", properties: Object.fromEntries(properties) },
        ...(shape.ruled ? { "x-kubernetes-validations": [rule] } : {}),
      }
    }
    default: {
      const { type, fallback } = shape
      const bound = type === "string" ? { maxLength: 64 } : {}
      return { type, ...bound, ...(fallback === undefined ? {} : { default: fallback }) }
    }
  }
}

/** A value and what must be stored of it. */
export interface Sample {
  readonly sent: Json
  readonly kept: Json
}

const both = (value: Json): Sample => ({ sent: value, kept: value })

/** With members that the schema does not know, and members left to their defaults. */
export function sampleOf(shape: Shape, dice: Dice, reach: number): Sample {
  switch (shape.type) {
    case "string":
      return both(`text-${dice.below(100)}`)
    case "integer":
      return both(dice.below(1000))
    case "boolean":
      return both(dice.below(2) === 0)
    case "intOrString":
      return both(dice.below(2) === 0 ? 80 : "80%")
    case "anything":
      return both({ whatever: { is: [1, "here"] } })
    case "embedded": {
      const kept = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { free: 1 } }
      return { sent: { ...kept, metadata: { ...kept.metadata, odd: 1 } }, kept }
    }
    case "set":
      return both(["a", "b", `c${dice.below(9)}`])
    case "map":
    case "list":
    case "keyed":
      return gathered(shape, dice, reach)
    case "object":
      return members(shape, dice, reach)
  }
}

function gathered(
  shape: Extract<Shape, { type: "map" | "list" | "set" | "keyed" }>,
  dice: Dice,
  reach: number,
): Sample {
  const items = [0, 1].map((index): Sample => {
    const { sent, kept } = sampleOf(shape.item, dice, reach - 1)
    if (shape.type !== "keyed") return { sent, kept }
    const name = { name: `item-${index}` }
    return {
      sent: { ...(sent as JsonObject), ...name },
      kept: { ...(kept as JsonObject), ...name },
    }
  })
  const gather = (pick: (sample: Sample) => Json): Json =>
    shape.type === "map"
      ? Object.fromEntries(items.map((item, index) => [`key${index}`, pick(item)]))
      : items.map(pick)
  return { sent: gather(({ sent }) => sent), kept: gather(({ kept }) => kept) }
}

function members(shape: Extract<Shape, { type: "object" }>, dice: Dice, reach: number): Sample {
  const sent: Record<string, Json> = { unknownMember: { a: 1 } }
  const kept: Record<string, Json> = {}
  for (const [name, member] of shape.members) {
    const isTooFar = name.startsWith("deep") && reach <= 0
    if (isTooFar || dice.below(3) === 0) {
      if ("fallback" in member && member.fallback !== undefined) kept[name] = member.fallback
      continue
    }
    const sample = sampleOf(member, dice, reach - 1)
    sent[name] = sample.sent
    kept[name] = sample.kept
  }
  return { sent, kept }
}

export const countFields = (shape: Shape): number => {
  if (shape.type === "object") {
    return [...shape.members.values()].reduce((sum, member) => sum + countFields(member), 1)
  }
  return "item" in shape ? 1 + countFields(shape.item) : 1
}

export const versions = ["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"] as const

/** The oldest version has no place for these. */
export const younger: readonly string[] = ["deep1", "odd"]

type ObjectShape = Extract<Shape, { type: "object" }>

function olderShape(shape: ObjectShape): ObjectShape {
  const members = [...shape.members].filter(([name]) => !younger.includes(name))
  return { ...shape, members: new Map(members) }
}

export function largeDefinition(shape: ObjectShape): ApiObject {
  const schema = { type: "object", properties: { spec: schemaOf(shape) } }
  const older = { type: "object", properties: { spec: schemaOf(olderShape(shape)) } }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "giants.large.example.dev" },
    spec: {
      ...{ group: "large.example.dev", scope: "Namespaced" },
      names: { plural: "giants", singular: "giant", kind: "Giant", listKind: "GiantList" },
      versions: versions.map((name, index) => ({
        ...{ name, served: true, storage: index === 0 },
        schema: { openAPIV3Schema: name === "v1alpha1" ? older : schema },
      })),
    },
  }
}
