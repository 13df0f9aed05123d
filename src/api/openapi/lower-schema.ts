// A schema in the words of OpenAPI 2, which knows less: no null, no alternatives, and old clients
// refuse unknown fields wherever properties are listed. What can't be said is left out, so that
// they accept rather than refuse what the server would take.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { mapBelow } from "./schema-parts.ts"

const alternatives = ["allOf", "oneOf", "anyOf", "not", "nullable"]

export function lowerSchema(schema: JsonObject): JsonObject {
  if (typeof schema.$ref === "string") return { ...schema, $ref: `#/definitions/${schema.$ref}` }
  const out: Record<string, Json | undefined> = { ...schema }
  for (const name of alternatives) delete out[name]
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true
  if (schema.nullable === true) delete out.type
  if (schema.nullable === true || isOpen) {
    delete out.items
    delete out.properties
  }
  if (out.type === "array" && !isObject(out.items)) delete out.type
  if (out.type === "object" && isOpen) delete out.type
  // Old clients take an empty list of properties for "none allowed".
  if (isObject(out.properties) && Object.keys(out.properties).length === 0) delete out.properties
  if (out.properties !== undefined || schema.nullable === true) out.required = requiredOf(schema)
  if (out.required === undefined) delete out.required
  return mapBelow(out, lowerSchema)
}

/** Without those that may be null: null counts as missing there. */
function requiredOf(schema: JsonObject): Json | undefined {
  const { required, properties, nullable } = schema
  if (!isArray(required) || nullable === true) return undefined
  const kept = required.filter((name) => {
    const property = isObject(properties) ? properties[String(name)] : undefined
    return !(isObject(property) && property.nullable === true)
  })
  return kept.length === 0 ? undefined : kept
}

/** The model of a whole kind: one that keeps unknown fields lists none at all. */
export function lowerModel(model: JsonObject): JsonObject {
  if (model["x-kubernetes-preserve-unknown-fields"] !== true) return lowerSchema(model)
  const kinds = model["x-kubernetes-group-version-kind"]
  const description = model.description
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(kinds === undefined ? {} : { "x-kubernetes-group-version-kind": kinds }),
  }
}
