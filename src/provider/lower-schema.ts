// Lowers what an author wrote (a zod object or JSON Schema) to the structural schema that the API
// validates by. What a structural schema can't say is refused with the field's path: a rule that
// silently did not hold would be worse than none.

import { z } from "zod"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { schemaIssues } from "../schema/compile-schema.ts"
import { issueText } from "../schema/issue.ts"
import { lowerUnion } from "./lower-union.ts"
import { referenceFields } from "./reference-fields.ts"
import { inside, type Place, refuse } from "./schema-place.ts"

const depthMax = 32
const copied = [
  "description",
  "title",
  "default",
  "enum",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "multipleOf",
  "nullable",
  "allOf",
  "not",
]
const dropped = new Set(["$schema", "$id", "id", "contentEncoding", "examples", "example"])
const handled = new Set([
  ...copied,
  ...dropped,
  ...[
    "$defs",
    "definitions",
    "$ref",
    "type",
    "additionalItems",
    "prefixItems",
    "const",
    "properties",
    "required",
    "items",
  ],
  ...["additionalProperties", "propertyNames", "exclusiveMinimum", "exclusiveMaximum"],
  ...["anyOf", "oneOf"],
])

export const isZod = (schema: unknown): schema is z.ZodType =>
  typeof schema === "object" && schema !== null && "_zod" in schema

/** The structural schema of a kind's spec. */
export function lowerSchema(source: z.ZodType | JsonObject, kind: string): JsonObject {
  const raw = isZod(source) ? fromZod(source, kind) : source
  const definitions = { ...objectAt(raw.definitions), ...objectAt(raw.$defs) }
  const lowered = lowerNode(raw, { kind, path: "", depth: 0, definitions })
  const issue = schemaIssues(lowered, "value")[0]
  if (issue !== undefined) {
    const hint = "write the shape outside of conditions, with one type for each field"
    const cause = `is not structural: ${issueText(issue)}`
    throw refuse({ kind, path: "", depth: 0, definitions }, cause, hint)
  }
  return lowered
}

function fromZod(schema: z.ZodType, kind: string): JsonObject {
  const place = { kind, path: "", depth: 0, definitions: {} }
  const convert = (io: "input" | "output") =>
    z.toJSONSchema(schema, {
      io,
      target: "draft-7",
      cycles: "throw",
      override: ({ zodSchema, path }) =>
        refuseHidden(zodSchema, { ...place, path: path.join(".") }),
    })
  try {
    convert("output") // Transforms only show on this side; they would make desired lie.
    return JSON.parse(JSON.stringify(convert("input"))) as JsonObject
  } catch (error) {
    if (error instanceof Error && "setpointFault" in error) throw error
    const cause = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)
    const hint = "use plain JSON types; z.unknown() takes any value, schemas can't be recursive"
    throw refuse(place, `can't be written as a schema: ${cause}`, hint)
  }
}

/** Rules that live in code, not in the schema, would not be enforced by the API. */
function refuseHidden(schema: z.core.$ZodType, place: Place): void {
  const hint = "use regex, min, max, enum or .meta with x-kubernetes-validations (CEL) instead"
  for (const check of schema._zod.def.checks ?? []) {
    if (check._zod.def.check === "custom") throw refuse(place, "has a refinement in code", hint)
    const pattern: unknown = Reflect.get(check._zod.def, "pattern")
    if (pattern instanceof RegExp && /[ims]/.test(pattern.flags)) {
      throw refuse(place, `has a pattern with flags /${pattern.flags}`, "write it without flags")
    }
  }
}

function lowerNode(raw: Json | undefined, place: Place): JsonObject {
  if (place.depth > depthMax) {
    throw refuse(place, `is nested more than ${depthMax} deep`, "schemas can't be recursive")
  }
  if (raw === true) return { "x-kubernetes-preserve-unknown-fields": true }
  if (!isObject(raw)) throw refuse(place, "is not a schema", "every field needs a type")
  if (typeof raw.$ref === "string") return lowerReference(raw, raw.$ref, place)
  for (const word of Object.keys(raw)) {
    if (!handled.has(word) && !word.startsWith("x-")) {
      throw refuse(place, `uses ${word}`, "structural schemas don't have it; say it another way")
    }
  }
  if (raw.type === undefined && (raw.anyOf ?? raw.oneOf) !== undefined) {
    return { ...lowerUnion(raw, place, lowerNode), ...marksOf(raw, undefined) }
  }
  return lowerTyped(raw, place)
}

function lowerReference(raw: JsonObject, reference: string, place: Place): JsonObject {
  const name = /^#\/(?:definitions|\$defs)\/(.+)$/.exec(reference)?.[1]
  const found = name === undefined ? undefined : place.definitions[name]
  if (found === undefined)
    throw refuse(place, `refers to ${reference}`, "write the schema in place")
  const { $ref: _, ...rest } = raw
  return lowerNode({ ...objectAt(found), ...rest }, { ...place, depth: place.depth + 1 })
}

function lowerTyped(raw: JsonObject, place: Place): JsonObject {
  const { type, nullable } = typeOf(raw, place)
  const out: Record<string, Json | undefined> = type === undefined ? {} : { type }
  for (const word of copied) if (raw[word] !== undefined) out[word] = raw[word]
  if (nullable) out.nullable = true
  if (raw.const !== undefined) out.enum = [raw.const]
  if (isArray(raw.oneOf)) out.oneOf = raw.oneOf
  if (isArray(raw.anyOf)) out.anyOf = raw.anyOf
  lowerNumber(raw, type, out)
  lowerText(raw, out)
  if (type === "array") lowerList(raw, place, out)
  if (type === "object") lowerObject(raw, place, out)
  Object.assign(out, marksOf(raw, type))
  const open =
    out["x-kubernetes-preserve-unknown-fields"] === true ||
    out["x-kubernetes-int-or-string"] === true
  if (type === undefined && !open) out["x-kubernetes-preserve-unknown-fields"] = true
  return out
}

function typeOf(raw: JsonObject, place: Place): { type: string | undefined; nullable: boolean } {
  const listed = isArray(raw.type) ? raw.type : raw.type === undefined ? [] : [raw.type]
  const names = listed.filter((name) => name !== "null")
  if (names.length > 1)
    throw refuse(place, "has several types", "give it one type, or null as well")
  if (names.length === 0 && listed.length > 0) {
    throw refuse(place, "can only be null", "leave the field out")
  }
  const values = isArray(raw.enum) ? raw.enum : raw.const === undefined ? [] : [raw.const]
  const guesses = new Set(values.map((value) => typeof value))
  if (names.length === 0 && values.length > 0) {
    if (guesses.size > 1) throw refuse(place, "mixes types in one enum", "use values of one type")
    return { type: String([...guesses][0]), nullable: false }
  }
  const type = names[0] === undefined ? undefined : String(names[0])
  return { type, nullable: listed.includes("null") }
}

function lowerNumber(raw: JsonObject, type: string | undefined, out: Record<string, unknown>) {
  if (type === "integer") {
    if (raw.maximum === Number.MAX_SAFE_INTEGER) delete out.maximum
    if (raw.minimum === Number.MIN_SAFE_INTEGER) delete out.minimum
  }
  const bounds = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" } as const
  for (const [exclusive, plain] of Object.entries(bounds)) {
    const bound = raw[exclusive]
    if (typeof bound === "number") Object.assign(out, { [plain]: bound, [exclusive]: true })
    else if (bound === true) out[exclusive] = true
  }
}

function lowerText(raw: JsonObject, out: Record<string, unknown>): void {
  if (typeof raw.format === "string" && raw.format.includes("_")) delete out.format
}

function lowerList(raw: JsonObject, place: Place, out: Record<string, unknown>): void {
  if (!isObject(raw.items)) {
    throw refuse(place, "is a tuple or a list without items", "use an object, or z.array(item)")
  }
  out.items = lowerNode(raw.items, inside(place, "[*]"))
}

function lowerObject(raw: JsonObject, place: Place, out: Record<string, unknown>): void {
  const names = objectAt(raw.propertyNames)
  const extra = raw.additionalProperties
  if (isArray(names.enum)) {
    const child = lowerNode(extra, inside(place, "[*]"))
    out.properties = Object.fromEntries(names.enum.map((name) => [String(name), child]))
    if (raw.required !== undefined) out.required = raw.required
    return
  }
  const rules = Object.keys(names).filter((word) => word !== "type")
  if (rules.length > 0) {
    throw refuse(
      place,
      `restricts its keys by ${rules.join(", ")}`,
      "use z.string() or z.enum keys",
    )
  }
  if (raw.properties === undefined) {
    const open = extra === undefined || extra === true || isEmpty(extra)
    if (open) out["x-kubernetes-preserve-unknown-fields"] = true
    else if (isObject(extra)) out.additionalProperties = lowerNode(extra, inside(place, "[*]"))
    return
  }
  if (extra !== undefined && extra !== false) out["x-kubernetes-preserve-unknown-fields"] = true
  const properties: Record<string, JsonObject> = {}
  for (const [name, child] of Object.entries(objectAt(raw.properties))) {
    properties[name] = lowerNode(child, inside(place, name))
  }
  const required = isArray(raw.required) ? raw.required.map(String) : []
  Object.assign(out, referenceFields(properties, required, place))
}

/** Extension words: Kubernetes' own as they are, ours translated where Kubernetes has a word. */
function marksOf(raw: JsonObject, type: string | undefined): Record<string, Json> {
  const out: Record<string, Json> = {}
  for (const [word, value] of Object.entries(raw)) {
    if (!word.startsWith("x-") || value === undefined) continue
    if (word !== "x-setpoint-atomic") out[word] = value
    else out[type === "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type"] = "atomic"
  }
  return out
}

function isEmpty(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function objectAt(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
