// What the checker knows of a value before it runs: its type, which members it has, and how large
// it can be at most. Sizes travel with the type, so that the cost of a rule follows from it.

import type { OpaqueKind } from "./cel-opaque.ts"

export type PlainKind =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "double"
  | "string"
  | Exclude<OpaqueKind, "optional">

export interface ShapeField {
  /** As it stands in the document; the key of the map is the escaped name. */
  readonly name: string
  readonly shape: Shape
}

export type Shape =
  | { readonly kind: PlainKind; readonly max?: number }
  | {
      readonly kind: "list"
      readonly item: Shape
      readonly max?: number
      /** How items of the same list find each other: sets by value, maps by these members. */
      readonly listType?: "set" | "map"
      readonly keys?: readonly string[]
    }
  | { readonly kind: "map"; readonly key: Shape; readonly value: Shape; readonly max?: number }
  | {
      readonly kind: "object"
      readonly fields: ReadonlyMap<string, ShapeField>
      readonly max?: number
    }
  | { readonly kind: "optional"; readonly of: Shape; readonly max?: number }
  | { readonly kind: "param"; readonly name: string; readonly max?: number }

export type ListShape = Extract<Shape, { kind: "list" }>
export type ObjectShape = Extract<Shape, { kind: "object" }>
export type MapShape = Extract<Shape, { kind: "map" }>

/** By the name that a rule escapes, or by the plain one where that can be written. */
export function fieldOf({ fields }: ObjectShape, name: string): ShapeField | undefined {
  const found = fields.get(name)
  if (found !== undefined) return found
  for (const field of fields.values()) if (field.name === name) return field
  return undefined
}

export const plain = (kind: PlainKind): Shape => plains[kind]
export const listOf = (item: Shape, max?: number): Shape => ({ kind: "list", item, ...sized(max) })
export const mapOf = (key: Shape, value: Shape, max?: number): Shape => ({
  kind: "map",
  key,
  value,
  ...sized(max),
})
export const optionalOf = (of: Shape): Shape => ({ kind: "optional", of })

const sized = (max: number | undefined) => (max === undefined ? {} : { max })

export const withMax = (shape: Shape, max: number | undefined): Shape =>
  max === undefined || shape.max === max ? shape : { ...shape, max }

const kinds: readonly PlainKind[] = [
  "dyn",
  "null",
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "timestamp",
  "duration",
  "type",
  "quantity",
  "url",
  "ip",
  "cidr",
  "semver",
  "format",
  "authorizer",
  "pathcheck",
  "groupcheck",
  "resourcecheck",
  "decision",
]
const plains = Object.fromEntries(kinds.map((kind) => [kind, { kind }])) as Readonly<
  Record<PlainKind, Shape>
>

const kindNames: Readonly<Record<string, string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  quantity: "kubernetes.Quantity",
  url: "kubernetes.URL",
  ip: "net.IP",
  cidr: "net.CIDR",
  semver: "kubernetes.Semver",
  format: "kubernetes.NamedFormat",
  authorizer: "kubernetes.authorization.Authorizer",
  pathcheck: "kubernetes.authorization.PathCheck",
  groupcheck: "kubernetes.authorization.GroupCheck",
  resourcecheck: "kubernetes.authorization.ResourceCheck",
  decision: "kubernetes.authorization.Decision",
}

export function shapeText(shape: Shape): string {
  switch (shape.kind) {
    case "list":
      return `list(${shapeText(shape.item)})`
    case "map":
      return `map(${shapeText(shape.key)}, ${shapeText(shape.value)})`
    case "optional":
      return `optional_type(${shapeText(shape.of)})`
    case "param":
      return shape.name
    default:
      return kindNames[shape.kind] ?? shape.kind
  }
}

/** What the parameters of a signature stand for in one call. */
export type Bindings = Map<string, Shape>

/** Whether a value of the given shape may stand where the wanted one is asked for. */
export function fits(wanted: Shape, given: Shape, bindings: Bindings): boolean {
  if (wanted.kind === "param") {
    const bound = bindings.get(wanted.name)
    if (bound === undefined || bound.kind === "dyn") {
      bindings.set(wanted.name, given)
      return true
    }
    return fits(bound, given, bindings) || (fits(given, bound, bindings) && widen())
  }
  function widen(): boolean {
    if (wanted.kind === "param") bindings.set(wanted.name, given)
    return true
  }
  if (wanted.kind === "dyn" || given.kind === "dyn" || given.kind === "param") return true
  // Null stands for a missing object, as cel-go has it; a plain value is never null.
  const nullable = ["object", "timestamp", "duration", "optional"]
  if (given.kind === "null") return wanted.kind === "null" || nullable.includes(wanted.kind)
  if (wanted.kind === "null") return nullable.includes(given.kind)
  if (wanted.kind === "list") {
    return given.kind === "list" && fits(wanted.item, given.item, bindings)
  }
  if (wanted.kind === "map") {
    if (given.kind !== "map") return false
    return fits(wanted.key, given.key, bindings) && fits(wanted.value, given.value, bindings)
  }
  if (wanted.kind === "optional") {
    return given.kind === "optional" && fits(wanted.of, given.of, bindings)
  }
  if (wanted.kind === "object") return given.kind === "object" && sameFields(wanted, given)
  return wanted.kind === given.kind
}

function sameFields(left: ObjectShape, right: ObjectShape): boolean {
  if (left.fields === right.fields) return true
  if (left.fields.size !== right.fields.size) return false
  return [...left.fields.keys()].every((name) => right.fields.has(name))
}

/** The shape with its parameters replaced; an unbound one may be anything. */
export function bound(shape: Shape, bindings: Bindings): Shape {
  switch (shape.kind) {
    case "param":
      return bindings.get(shape.name) ?? plain("dyn")
    case "list":
      return { ...shape, item: bound(shape.item, bindings) }
    case "map":
      return { ...shape, key: bound(shape.key, bindings), value: bound(shape.value, bindings) }
    case "optional":
      return { ...shape, of: bound(shape.of, bindings) }
    default:
      return shape
  }
}
