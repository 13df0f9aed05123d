// The keywords a schema may hold, and what each one's own value must look like. An unknown keyword
// is an issue: a misspelt "maxlength" that checks nothing is worse than a refused definition.

import { isArray, isObject, type Json } from "../base/json.ts"
import { compilePattern } from "./known-patterns.ts"

/** What the keyword's value must be, when it is not. */
type Check = (value: Json) => string | undefined

const ok = undefined
const isCount = (value: Json) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const bool: Check = (value) => (typeof value === "boolean" ? ok : "must be true or false")
const text: Check = (value) => (typeof value === "string" ? ok : "must be text")
const count: Check = (value) => (isCount(value) ? ok : "must be a whole number from 0")
const number: Check = (value) =>
  typeof value === "bigint" || Number.isFinite(value) ? ok : "must be a number"
const object: Check = (value) => (isObject(value) ? ok : "must be an object")
const objects: Check = (value) =>
  isArray(value) && value.length > 0 && value.every(isObject)
    ? ok
    : "must be a list of at least one schema"
const anything: Check = () => ok

const names: Check = (value) => {
  if (!isArray(value) || !value.every((name) => typeof name === "string")) {
    return "must be a list of names"
  }
  return new Set(value).size === value.length ? ok : "must not name anything twice"
}

const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && words.includes(value) ? ok : `must be one of ${words.join(", ")}`

export const patternLengthMax = 4096

const pattern: Check = (value) => {
  if (typeof value !== "string") return "must be text"
  if (value.length > patternLengthMax) return `must not be longer than ${patternLengthMax}`
  try {
    compilePattern(value)
    return ok
  } catch (error) {
    return `must be an RE2 expression: ${error instanceof Error ? error.message : String(error)}`
  }
}

const positive: Check = (value) =>
  number(value) === ok && Number(value) > 0 ? ok : "must be above 0"

const someValues: Check = (value) =>
  isArray(value) && value.length > 0 ? ok : "must be a list of at least one value"

const onlyTrue: Check = (value) => (value === true ? ok : "must be true or left out")

const rules: Check = (value) => {
  const isRule = (rule: Json) => isObject(rule) && typeof (rule.rule ?? "") === "string"
  return isArray(value) && value.every(isRule) ? ok : "must be a list of objects with a rule"
}

/** Keywords that only restrict values; these alone may stand inside allOf, anyOf, oneOf and not. */
export const valueKeywords: ReadonlyMap<string, Check> = new Map([
  ["enum", someValues],
  ["format", text],
  ["pattern", pattern],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", bool],
  ["exclusiveMaximum", bool],
  ["multipleOf", positive],
  ["minLength", count],
  ["maxLength", count],
  ["minItems", count],
  ["maxItems", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["required", names],
  ["properties", object],
  ["items", object],
  ["allOf", objects],
  ["anyOf", objects],
  ["oneOf", objects],
  ["not", object],
])

/** Keywords that give a node its shape. */
export const shapeKeywords: ReadonlyMap<string, Check> = new Map([
  ["type", oneOf("object", "array", "string", "integer", "number", "boolean")],
  ["nullable", bool],
  ["default", anything],
  [
    "additionalProperties",
    (value: Json) =>
      typeof value === "boolean" || isObject(value) ? ok : "must be true, false or a schema",
  ],
  ["x-kubernetes-int-or-string", bool],
  ["x-kubernetes-preserve-unknown-fields", onlyTrue],
  ["x-kubernetes-embedded-resource", bool],
  ["x-kubernetes-list-type", oneOf("atomic", "set", "map")],
  ["x-kubernetes-list-map-keys", names],
  ["x-kubernetes-map-type", oneOf("granular", "atomic")],
  ["x-kubernetes-validations", rules],
  ["x-setpoint-secret", bool],
  ["x-setpoint-scale", bool],
  ["x-setpoint-expiry", bool],
  ["x-setpoint-payload", bool],
])

/** Notes to the reader, kept and otherwise ignored. */
export const noteKeywords: ReadonlySet<string> = new Set([
  "description",
  "title",
  "example",
  "externalDocs",
  "$schema",
])

export const forbiddenKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "id",
  "$defs",
  "definitions",
  "dependencies",
  "patternProperties",
  "additionalItems",
  "deprecated",
  "discriminator",
  "readOnly",
  "writeOnly",
  "xml",
])
