// From what a caller sent to an object that the rest may trust: right kind, bounded, pruned to its
// schema, nothing in metadata that only the server may say.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { WriteOptions } from "../contract/client.ts"
import type { ApiObject, ObjectMeta } from "../object/object.ts"
import { compileSchema } from "../schema/compile-schema.ts"
import { issuePathText } from "../schema/issue.ts"
import { checkShape } from "./check-shape.ts"
import { apiFault, causesText } from "./faults.ts"
import { withoutOwnerDuplicates } from "./owner-duplicates.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"

const metadataOnly = compileSchema({ type: "object" })

export interface ReadInput {
  readonly object: ApiObject
  readonly warnings: readonly string[]
}

function refuse(verb: string, resource: ServedResource, why: string): never {
  throw apiFault("SPT-API-006", { verb, what: `a ${resource.kind}`, why })
}

export function readInput(
  resource: ServedResource,
  input: unknown,
  verb: string,
  options: Pick<WriteOptions, "fieldValidation" | "duplicates">,
): ReadInput {
  checkShape(input)
  if (!isObject(input)) refuse(verb, resource, "it is not an object")
  const apiVersion = servedApiVersion(resource)
  if (input.apiVersion !== apiVersion || input.kind !== resource.kind) {
    const given = `${text(input.apiVersion)} ${text(input.kind)}`
    refuse(verb, resource, `the object is ${given}, expected ${apiVersion} ${resource.kind}`)
  }
  if (!isObject(input.metadata)) refuse(verb, resource, "metadata is missing")
  const { value, unknown } = resource.schema.prune(input)
  const validation = options.fieldValidation ?? "Warn"
  const flaws: FieldFlaw[] = [
    ...(options.duplicates ?? []).map((field) => ({ field, what: "duplicate field" })),
    ...unknown.map((path) => ({ field: issuePathText(path), what: "unknown field" })),
  ]
  if (flaws.length > 0 && validation === "Strict") refuseFlaws(resource, flaws)
  const lines = flaws.map(({ field, what }) => `${what} "${field}"`)
  const object = value as ApiObject
  const pruned = isObject(value.metadata) ? value.metadata : {}
  const { metadata, warnings } = withoutOwnerDuplicates(pruned)
  checkTypes(resource, metadata)
  const plain = { ...object, metadata: withoutNulls(metadata) }
  return {
    object: resource.rules.complete?.(plain) ?? plain,
    warnings: [...(validation === "Ignore" ? [] : lines.slice(0, 20)), ...warnings],
  }
}

const text = (value: Json | undefined) => (typeof value === "string" ? value : "(none)")

interface FieldFlaw {
  readonly field: string
  readonly what: string
}

function refuseFlaws(resource: ServedResource, flaws: readonly FieldFlaw[]): never {
  throw apiFault("SPT-API-007", {
    kind: resource.kind,
    version: resource.version,
    why: listed(flaws.map(({ field, what }) => `${what} "${field}"`)),
    causes: causesText(
      flaws.map(({ field, what }) => ({ field, reason: "FieldValueInvalid", message: what })),
    ),
  })
}

const flawsShown = 100

/** With commas, as clients expect it of a decoding error. */
function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, flawsShown).join(", ")
  return lines.length > flawsShown ? `${shown}, and ${lines.length - flawsShown} more` : shown
}

/** Metadata of wrong types can't even be looked at, so it is refused before anything else. */
function checkTypes(resource: ServedResource, metadata: Json | undefined): void {
  const [first] = metadataOnly.validate({ metadata })
  if (first === undefined) return
  refuse("read", resource, `${issuePathText(first.path)} ${first.message}`)
}

function hasNull(metadata: JsonObject): boolean {
  for (const name in metadata) if (metadata[name] === null) return true
  return false
}

function withoutNulls(metadata: JsonObject): ObjectMeta {
  if (!hasNull(metadata)) return metadata as Partial<ObjectMeta> as ObjectMeta
  const members = Object.entries(metadata).filter(([, value]) => value !== null)
  return Object.fromEntries(members) as Partial<ObjectMeta> as ObjectMeta
}
