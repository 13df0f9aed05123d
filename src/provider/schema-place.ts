// Where in a schema the lowering is, so that a refusal can name the field.

import type { JsonObject } from "../base/json.ts"
import { providerFault } from "./faults.ts"

export interface Place {
  readonly kind: string
  readonly path: string
  readonly depth: number
  /** What local references may name. */
  readonly definitions: JsonObject
}

export function refuse(place: Place, cause: string, hint: string): Error {
  const path = place.path === "" ? "spec" : `spec.${place.path}`
  return providerFault("SPT-PROV-003", { kind: place.kind, path, cause, hint })
}

export function inside(place: Place, name: string): Place {
  const dot = place.path === "" || name.startsWith("[") ? "" : "."
  return { ...place, path: `${place.path}${dot}${name}`, depth: place.depth + 1 }
}
