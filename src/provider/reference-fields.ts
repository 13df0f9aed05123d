// Generates `fooFrom` beside every field `foo` that was marked with ref(), and the condition that
// exactly one of both is given (at most one where `foo` is optional).

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { type Place, refuse } from "./schema-place.ts"

export interface WithReferences {
  readonly properties: Readonly<Record<string, JsonObject>>
  readonly required?: readonly string[]
  readonly allOf?: readonly JsonObject[]
}

export function referenceFields(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
  place: Place,
): WithReferences {
  const all: Record<string, JsonObject> = {}
  const conditions: JsonObject[] = []
  const stillRequired = new Set(required)
  for (const [name, schema] of Object.entries(properties)) {
    all[name] = schema
    const mark = schema["x-setpoint-ref"]
    if (!isObject(mark)) continue
    const from = `${name}From`
    if (properties[from] !== undefined) {
      throw refuse(place, `already has ${from}`, `ref() makes ${from}; give yours another name`)
    }
    if (schema.default !== undefined) {
      const hint = "a default would always fill it; make the field optional instead"
      throw refuse(place, `has a default for ${name}, which is marked with ref()`, hint)
    }
    all[from] = fromSchema(name, mark)
    if (!stillRequired.delete(name)) conditions.push({ not: { required: [name, from] } })
    else conditions.push({ oneOf: [{ required: [name] }, { required: [from] }] })
  }
  return {
    properties: all,
    ...(stillRequired.size === 0 ? {} : { required: [...stillRequired] }),
    ...(conditions.length === 0 ? {} : { allOf: conditions }),
  }
}

function fromSchema(name: string, mark: JsonObject): JsonObject {
  const text = (description: string, byDefault: Json | undefined): JsonObject => ({
    type: "string",
    minLength: 1,
    maxLength: 253,
    description,
    ...(byDefault === undefined ? {} : { default: byDefault }),
  })
  return {
    type: "object",
    description: `Takes ${name} from a field of another object; waits until that is known.`,
    "x-setpoint-reference": name,
    "x-kubernetes-map-type": "atomic",
    properties: {
      kind: text("Kind of the other object.", mark.kind),
      name: text("Name of the other object.", undefined),
      field: text("Dotted path into its spec or status.", mark.field),
      apiVersion: text("Group and version, where the kind's name is not unique.", mark.apiVersion),
      namespace: text("Its namespace; the same as this object's by default.", undefined),
    },
    required: ["kind", "name", "field"],
  }
}
