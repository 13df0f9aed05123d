// Widgets whose color and tags may be taken from other objects, as `ref()` makes it, and which say
// what color they really have as an output.

import type { JsonObject } from "../../src/base/json.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { resolveReferences } from "../../src/provider/ref.ts"
import { specSchemaOf } from "../../src/provider/spec-schema.ts"
import { widget } from "./site.ts"

const text = { type: "string", maxLength: 253 }
const properties = { kind: text, name: text, field: text, apiVersion: text, namespace: text }
const from = (field: string) => ({
  type: "object",
  properties,
  required: ["kind", "name", "field"],
  "x-setpoint-reference": field,
})

export function wired(kind: KindProvider): KindProvider {
  const more = JSON.stringify({ colorFrom: from("color") }).slice(1, -1)
  const definition = JSON.parse(
    JSON.stringify(kind.definition)
      .replace('"required":["size","color"]', '"required":["size"]')
      .replace('"properties":{"name"', `"properties":{${more},"name"`),
  ) as ApiObject
  const schema = specSchemaOf({ definition, version: kind.version })
  const { observe } = kind
  return {
    ...kind,
    definition,
    desire: (spec, lookup) => {
      const { adopt: _, ...plain } = spec
      return resolveReferences(schema, plain, lookup)
    },
    ...(observe === undefined
      ? {}
      : {
          observe: async (target, context) => {
            const seen = await observe(target, context)
            if (seen.kind !== "present") return seen
            return { ...seen, outputs: { color: seen.value.color ?? null } }
          },
        }),
  }
}

export function colored(name: string, colorFrom: JsonObject): ApiObject {
  const { color: _, ...spec } = widget(name).spec ?? {}
  return { ...widget(name), spec: { ...spec, colorFrom } }
}

export const outputOf = (name: string): JsonObject => ({
  kind: "Widget",
  name,
  field: "status.outputs.color",
})

export const secretOf = (name: string, key = "password"): JsonObject => ({
  kind: "Secret",
  name,
  field: `data.${key}`,
})
