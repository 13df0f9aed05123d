// Fields that a source gave away: an annotation on the object, which only the engine writes. While
// a field stands there the source neither sets nor owns it, whatever its manifest says.

import type { FieldPath } from "./field-path.ts"
import { FieldSet } from "./field-set.ts"
import type { ObjectMeta } from "./object.ts"

export const detachedAnnotation = "setpoint.dev/detached"

const fieldsMax = 50
const fieldText = /^(?:spec|data)(?:\.[A-Za-z_][\w-]*)*$|^metadata\.(?:labels|annotations)$/

/** `content` and `spec.content` mean the same; undefined when it is not the name of a field. */
export function fieldName(text: string): string | undefined {
  const trimmed = text.startsWith(".") ? text.slice(1) : text
  if (trimmed.length > 200) return undefined
  if (fieldText.test(trimmed)) return trimmed
  const inSpec = `spec.${trimmed}`
  return fieldText.test(inSpec) ? inSpec : undefined
}

export function detachedNames({ annotations }: ObjectMeta): readonly string[] {
  const names = (annotations?.[detachedAnnotation] ?? "").split(",")
  return names.filter((name) => fieldText.test(name)).slice(0, fieldsMax)
}

export function detachedText(names: readonly string[]): string | undefined {
  const kept = [...new Set(names)].sort().slice(0, fieldsMax)
  return kept.length === 0 ? undefined : kept.join(",")
}

const pathOf = (name: string): FieldPath => name.split(".").map((field) => ({ field }))

export function fieldSetOf(names: readonly string[]): FieldSet {
  return FieldSet.of(...names.map(pathOf))
}
