// The CEL type of a schema node: only what the schema declares is visible, under names a rule can
// write. What has no bound of its own is bounded by the size of a request.

import { isArray } from "../../base/json.ts"
import { parseNode, type SchemaNode, untypedNode } from "../schema-node.ts"
import { listOf, type MapShape, plain, type Shape, type ShapeField, withMax } from "./cel-shape.ts"

export const requestBytesMax = 3 * 1024 * 1024

interface Sized {
  readonly shape: Shape
  /** The least bytes a value takes in a request. */
  readonly least: number
}

const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
)

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
}

/** How a rule writes a member's name; undefined when it can't. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][\w.\-/]*$/.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part)
}

/** Undefined when rules can't see the value at all. `whole`: an object with metadata. */
export function shapeOf(node: SchemaNode, whole: boolean): Shape | undefined {
  return sizedOf(node, whole)?.shape
}

/** How many values of the node fit into one request. */
export function countMax(node: SchemaNode, whole: boolean): number {
  return Math.floor(requestBytesMax / ((sizedOf(node, whole)?.least ?? 1) + 1))
}

const known = new WeakMap<SchemaNode, Sized | "hidden">()

function sizedOf(node: SchemaNode, whole: boolean): Sized | undefined {
  const cached = known.get(node)
  if (cached !== undefined) return cached === "hidden" ? undefined : cached
  const sized = makeSized(node, whole)
  known.set(node, sized ?? "hidden")
  return sized
}

const numberAt = (node: SchemaNode, name: string): number | undefined => {
  const value = node.source[name]
  return typeof value === "number" ? value : undefined
}

function makeSized(node: SchemaNode, whole: boolean): Sized | undefined {
  if (node === untypedNode) return undefined
  if (node.intOrString) return { shape: withMax(plain("dyn"), textMax(node)), least: 1 }
  switch (node.type) {
    case "boolean":
      return { shape: plain("bool"), least: 4 }
    case "number":
      return { shape: plain("double"), least: 1 }
    case "integer":
      return { shape: plain("int"), least: 1 }
    case "string":
      return textShape(node)
    case "array":
      return listShape(node)
    case "object":
      return node.additional === undefined ? objectShape(node, whole) : mapShape(node)
    default:
      return undefined
  }
}

function textMax(node: SchemaNode): number {
  const declared = numberAt(node, "maxLength")
  if (declared !== undefined) return declared * 4
  const { enum: values } = node.source
  if (isArray(values) && values.length > 0) {
    return Math.max(...values.map((value) => (typeof value === "string" ? value.length : 0)))
  }
  return requestBytesMax - 2
}

function textShape(node: SchemaNode): Sized {
  switch (node.source.format) {
    case "byte":
      return {
        shape: withMax(plain("bytes"), numberAt(node, "maxLength") ?? requestBytesMax - 2),
        least: 2,
      }
    case "duration":
      return { shape: plain("duration"), least: 2 }
    case "date":
      return { shape: plain("timestamp"), least: 12 }
    case "date-time":
      return { shape: plain("timestamp"), least: 22 }
    default:
      return { shape: withMax(plain("string"), textMax(node)), least: 2 }
  }
}

function listShape(node: SchemaNode): Sized | undefined {
  const { items, listType, listMapKeys } = node
  const item = items === undefined ? undefined : sizedOf(items, items.embeddedResource)
  if (item === undefined) return undefined
  const max = numberAt(node, "maxItems") ?? Math.floor((requestBytesMax - 2) / (item.least + 1))
  const list = listOf(item.shape, max)
  if (listType === "atomic") return { shape: list, least: 2 }
  const keys = listMapKeys.map((key) => escapeName(key) ?? key)
  return { shape: { ...list, kind: "list", item: item.shape, listType, keys }, least: 2 }
}

function mapShape(node: SchemaNode): Sized | undefined {
  const { additional } = node
  const value = additional && sizedOf(additional, additional.embeddedResource)
  if (value === undefined) return undefined
  const max =
    numberAt(node, "maxProperties") ?? Math.floor((requestBytesMax - 2) / (value.least + 6))
  // Kubernetes counts the keys of a map as free: with their real size common rules would not pass.
  const key = withMax(plain("string"), 0)
  const shape: MapShape = { kind: "map", key, value: value.shape, max }
  return { shape, least: 2 }
}

const textNode = parseNode({ type: "string" })
const identity = ["name", "generateName"]

function objectShape(node: SchemaNode, whole: boolean): Sized {
  const fields = new Map<string, ShapeField>()
  let least = 2
  for (const [name, member] of visibleMembers(node, whole)) {
    const sized = sizedOf(member, member.embeddedResource)
    if (sized === undefined) continue
    const escaped = escapeName(name)
    if (escaped !== undefined) fields.set(escaped, { name, shape: sized.shape })
    if (node.required.includes(name) && member.default === undefined) {
      least += name.length + sized.least + 4
    }
  }
  return { shape: { kind: "object", fields }, least }
}

/** Of a whole object, apiVersion, kind and the names are visible whatever the schema says. */
function visibleMembers(node: SchemaNode, whole: boolean): ReadonlyMap<string, SchemaNode> {
  if (!whole) return node.properties
  const members = new Map(node.properties)
  for (const name of ["apiVersion", "kind"]) members.set(name, members.get(name) ?? textNode)
  const own = members.get("metadata")
  const names = identity.map((name) => [name, own?.properties.get(name) ?? textNode] as const)
  members.set("metadata", { ...parseNode({ type: "object" }), properties: new Map(names) })
  return members
}
