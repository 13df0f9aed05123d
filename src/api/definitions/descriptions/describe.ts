// Puts descriptions into a schema by path: "" is the kind itself, "spec.paths[].path" a field of
// the items of a list. Texts stand apart from the rules, so that both can be read.

import { isObject, type Json, type JsonObject } from "../../../base/json.ts"

export type Descriptions = Readonly<Record<string, string>>

/** What a schema says itself stays. */
export function describe(schema: JsonObject, texts: Descriptions, path = ""): JsonObject {
  const text = texts[path]
  const out: Record<string, Json | undefined> =
    text === undefined ? { ...schema } : { description: text, ...schema }
  const { properties, items } = schema
  if (isObject(items)) out.items = describe(items, texts, `${path}[]`)
  if (isObject(properties)) {
    const prefix = path === "" ? "" : `${path}.`
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [
        name,
        isObject(one) ? describe(one, texts, `${prefix}${name}`) : one,
      ]),
    )
  }
  return out
}

/** The same texts below another path. */
export function below(path: string, texts: Descriptions): Descriptions {
  const entries = Object.entries(texts)
  return Object.fromEntries(
    entries.map(([name, text]) => [name === "" ? path : `${path}.${name}`, text]),
  )
}
