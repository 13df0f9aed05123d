// Which fields a new object's writer owns depends on where it has values, not on the values: what
// was worked out for one object holds for the next one of the same shape. Most creates of a kind
// share a few shapes, and walking one costs a fraction of making field sets.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { ApiObject, ManagedFieldsEntry } from "../object/object.ts"
import type { ServedResource } from "./served-resource.ts"

type FieldsV1 = ManagedFieldsEntry["fieldsV1"]

const shapesPerKind = 64
const shapeTextMax = 2048
const itemsMax = 32

/** A changed definition makes another resource: nothing outlives the schema it was made by. */
const known = new WeakMap<ServedResource, Map<string, FieldsV1>>()

/** The entries as `make` answers for the first object of a shape, with the time of this one. */
export function ownedByCreator(
  resource: ServedResource,
  object: ApiObject,
  who: { readonly manager: string; readonly apiVersion: string; readonly time: string },
  make: () => readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const shape = shapeText(object)
  if (shape === undefined) return make()
  const shapes = shapesOf(resource)
  const fieldsV1 = shapes.get(shape)
  if (fieldsV1 !== undefined) {
    const { manager, apiVersion, time } = who
    return [{ manager, operation: "Update", apiVersion, time, fieldsType: "FieldsV1", fieldsV1 }]
  }
  const made = make()
  const [only] = made
  if (made.length === 1 && only?.fieldsV1 !== undefined) {
    if (shapes.size >= shapesPerKind) shapes.clear()
    shapes.set(shape, only.fieldsV1)
  }
  return made
}

function shapesOf(resource: ServedResource): Map<string, FieldsV1> {
  const found = known.get(resource)
  if (found !== undefined) return found
  const shapes = new Map<string, FieldsV1>()
  known.set(resource, shapes)
  return shapes
}

/** Every member's name and whether it holds a map, a list or a value; undefined when too long. */
function shapeText(object: ApiObject): string | undefined {
  const text = mapText(object as JsonObject, "")
  return text.length > shapeTextMax ? undefined : text
}

const tooLong = "?".repeat(shapeTextMax + 1)

function mapText(map: JsonObject, before: string): string {
  let text = `${before}{`
  for (const name in map) {
    // A recorded hash stands for a value: what looks like one is left to the long way.
    if (name === "$hash" || text.length > shapeTextMax) return tooLong
    text += `${name.length}:${name}`
    text = partText(map[name], text)
  }
  return `${text}}`
}

function partText(value: Json | undefined, before: string): string {
  if (value === null) return `${before}n`
  if (value === undefined) return `${before}u`
  if (typeof value !== "object") return `${before}s`
  if (isObject(value)) return mapText(value, before)
  // Items are owned by their keys or values.
  if (value.length > itemsMax) return tooLong
  return `${before}${jsonText(value)}`
}
