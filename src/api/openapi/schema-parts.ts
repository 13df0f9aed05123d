// Short forms for writing models, and one way to walk through a schema. A reference stands as the
// bare name of a model; each form of the document writes it in its own way.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"

export type Models = ReadonlyMap<string, JsonObject>

export const string = (description: string, more: JsonObject = {}): JsonObject => ({
  type: "string",
  description,
  ...more,
})
export const integer = (description: string, format = "int64"): JsonObject => ({
  type: "integer",
  format,
  description,
})
export const boolean = (description: string): JsonObject => ({ type: "boolean", description })
export const listOf = (items: JsonObject, description: string, more: JsonObject = {}) => ({
  type: "array",
  items,
  description,
  ...more,
})
export const mapOfText = (description: string): JsonObject => ({
  type: "object",
  additionalProperties: { type: "string" },
  description,
})
export const model = (description: string, properties: JsonObject, more: JsonObject = {}) => ({
  type: "object",
  description,
  properties,
  ...more,
})
export const reference = (name: string, description?: string): JsonObject => ({
  $ref: name,
  ...(description === undefined ? {} : { description }),
})

/** The schemas right below this one, replaced; everything else stays as it is. */
export function mapBelow(
  schema: JsonObject,
  change: (below: JsonObject) => JsonObject,
): JsonObject {
  const out: Record<string, Json | undefined> = { ...schema }
  const { properties, items, additionalProperties, not } = schema
  if (isObject(properties)) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, isObject(one) ? change(one) : one]),
    )
  }
  if (isObject(items)) out.items = change(items)
  if (isObject(additionalProperties)) out.additionalProperties = change(additionalProperties)
  if (isObject(not)) out.not = change(not)
  for (const name of ["allOf", "anyOf", "oneOf"]) {
    const all = schema[name]
    if (isArray(all)) out[name] = all.map((one) => (isObject(one) ? change(one) : one))
  }
  return out
}

/** Names of the models that a schema speaks of. */
export function referencesIn(schema: JsonObject, into: Set<string> = new Set()): Set<string> {
  if (typeof schema.$ref === "string") into.add(schema.$ref)
  mapBelow(schema, (below) => {
    referencesIn(below, into)
    return below
  })
  return into
}

/** The members of an object as text, without the braces around them. */
export const members = (value: object): string => jsonText(value).slice(1, -1)

export const joinMembers = (texts: readonly string[]): string =>
  texts.filter((text) => text !== "").join(",")
