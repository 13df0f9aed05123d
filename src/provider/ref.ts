// References between objects. ref() marks a field; the schema then has `fooFrom` beside `foo`. The
// rest is pure: it finds the references in a spec and fills them in from what a lookup finds. It
// never reads the store and never waits: what can't be filled is said to be missing.

import type { z } from "zod"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Desire, KindProvider, Reference } from "../contract/provider.ts"
import type { ApiObject } from "../object/object.ts"
import { specSchemaOf } from "./spec-schema.ts"

export interface RefDefaults {
  readonly kind?: string
  readonly apiVersion?: string
  /** Dotted path, for example `status.address`. */
  readonly field?: string
}

/** A reference, and the field that it fills, for example `listeners[0].address`. */
export interface FieldReference extends Reference {
  readonly path: string
}

export interface MissingReference extends FieldReference {
  readonly reason: string
}

export interface Resolved extends Desire {
  readonly missing: readonly MissingReference[]
}

/** The value of the reference's field; undefined when there is none yet. */
export type Lookup = (reference: FieldReference) => Json | undefined

/** Lets the field be taken from another object: `fooFrom: {kind, name, field}` instead of `foo`. */
export function ref<T extends z.ZodType>(schema: T, defaults: RefDefaults = {}): T {
  return schema.meta({ "x-setpoint-ref": { ...defaults } })
}

/** Every reference in a spec, in the order of its fields. */
export function references(kind: KindProvider, spec: JsonObject): readonly FieldReference[] {
  return resolveReferences(specSchemaOf(kind), spec, () => undefined).missing.map(
    ({ reason: _, ...reference }) => reference,
  )
}

/** The spec as providers get it: references filled in, `adopt` and `fooFrom` taken out. */
export function resolveReferences(schema: JsonObject, spec: JsonObject, lookup: Lookup): Resolved {
  const missing: MissingReference[] = []
  const fill: Fill = (reference, wanted) => {
    const value = lookup(reference)
    const { kind, name, field } = reference
    const reason =
      value === undefined ? `${kind} ${name} has no ${field} yet` : mistyped(value, wanted)
    if (reason === undefined) return value
    missing.push({ ...reference, reason })
    return undefined
  }
  const desired = walk(schema, spec, "", fill)
  return { desired: isObject(desired) ? desired : {}, missing }
}

/** A dotted path into metadata, spec or status; numbers go into lists. */
export function readField(object: ApiObject, field: string): Json | undefined {
  const [part = "", ...rest] = field.split(".")
  if (part !== "spec" && part !== "status" && part !== "metadata") return undefined
  let current: Json | undefined = part === "metadata" ? plainMeta(object) : object[part]
  for (const name of rest) {
    if (isArray(current) && /^\d{1,6}$/.test(name)) current = current[Number(name)]
    else if (isObject(current) && Object.hasOwn(current, name)) current = current[name]
    else return undefined
  }
  return current
}

function plainMeta({ metadata }: ApiObject): JsonObject {
  const { name, namespace, uid } = metadata
  return { name, namespace, uid }
}

type Fill = (reference: FieldReference, schema: JsonObject) => Json | undefined

function walk(schema: Json | undefined, value: Json | undefined, path: string, fill: Fill): Json {
  if (isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined
    return value.map((item, index) => walk(items, item, `${path}[${index}]`, fill))
  }
  if (!isObject(value) || !isObject(schema)) return value ?? null
  const properties = isObject(schema.properties) ? schema.properties : {}
  const out: Record<string, Json> = {}
  for (const [name, member] of Object.entries(value)) {
    const child = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    const known = isObject(child) ? child : {}
    if (member === undefined || known["x-setpoint-engine"] === true) continue
    const fills = known["x-setpoint-reference"]
    if (typeof fills !== "string") out[name] = walk(child, member, join(path, name), fill)
    else if (isObject(member)) {
      const target = properties[fills]
      const filled = fill(referenceOf(join(path, fills), member), isObject(target) ? target : {})
      if (filled !== undefined) out[fills] = filled
    }
  }
  return out
}

function referenceOf(path: string, member: JsonObject): FieldReference {
  const { apiVersion, namespace } = member
  return {
    path,
    kind: String(member.kind),
    name: String(member.name),
    field: String(member.field),
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
    ...(typeof namespace === "string" ? { namespace } : {}),
  }
}

function join(path: string, name: string): string {
  const step = /^[A-Za-z_][\w-]*$/.test(name) ? name : `[${JSON.stringify(name)}]`
  return path === "" || step.startsWith("[") ? `${path}${step}` : `${path}.${step}`
}

function mistyped(value: Json, schema: JsonObject): string | undefined {
  const wanted = schema.type
  if (typeof wanted !== "string") return undefined
  const plain = typeof value === "bigint" ? "number" : typeof value
  const found = isArray(value) ? "array" : value === null ? "null" : plain
  const fits =
    found === wanted ||
    (wanted === "integer" && (typeof value === "bigint" || Number.isInteger(value))) ||
    (found === "null" && schema.nullable === true)
  return fits ? undefined : `its value is of type ${found}, and ${wanted} is needed`
}
