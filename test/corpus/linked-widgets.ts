// Widgets whose color may be taken from another object, for circles of references.

import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import type { Desire, KindProvider, Reference } from "../../src/contract/provider.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { widget } from "../sim/site.ts"

/** The same kind with `colorFrom` beside `color`. */
export function linked(kind: KindProvider): KindProvider {
  const from = '"colorFrom":{"type":"object","x-kubernetes-preserve-unknown-fields":true}'
  const text = JSON.stringify(kind.definition)
    .replace('"required":["size","color"]', '"required":["size"]')
    .replace('"properties":{"name"', `"properties":{${from},"name"`)
  return { ...kind, definition: JSON.parse(text) as ApiObject, desire }
}

function desire(spec: JsonObject, lookup: (reference: Reference) => Json | undefined): Desire {
  const { colorFrom, adopt: _, ...desired } = spec
  if (!isObject(colorFrom)) return { desired, missing: [] }
  const reference = { kind: "Widget", name: String(colorFrom.name), field: String(colorFrom.field) }
  const color = lookup(reference)
  if (color === undefined) return { desired, missing: [reference] }
  return { desired: { ...desired, color }, missing: [] }
}

export function linkedWidget(name: string, from: string, field = "spec.color"): ApiObject {
  const { color: _, ...spec } = widget(name).spec ?? {}
  return { ...widget(name), spec: { ...spec, colorFrom: { name: from, field } } }
}
