// Turns the value keywords of one node into closures, by the type of value they look at. Keywords
// for another type than the value's say nothing, as in JSON Schema.

import { RE2JS } from "re2js"
import { canonicalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { integerFormats, stringFormats } from "./formats.ts"
import type { SchemaNode } from "./schema-node.ts"
import type { ValidationWalk } from "./validation-walk.ts"

type Rule<T> = (value: T, walk: ValidationWalk) => void

export interface ValueRules {
  readonly text: readonly Rule<string>[]
  readonly number: readonly Rule<number>[]
  readonly list: readonly Rule<readonly Json[]>[]
  readonly object: readonly Rule<JsonObject>[]
  readonly any: readonly Rule<Json>[]
}

export function compileValueRules(node: SchemaNode): ValueRules {
  const { source } = node
  return {
    text: textRules(source),
    number: numberRules(source),
    list: listRules(node),
    object: objectRules(source),
    any: enumRules(source),
  }
}

const numberAt = (source: JsonObject, name: string): number | undefined => {
  const value = source[name]
  return typeof value === "number" ? value : undefined
}

/** A pattern is linear in the length, but a megabyte against a large one still takes its time. */
const patternInputMax = 262_144

function textRules(source: JsonObject): Rule<string>[] {
  const rules: Rule<string>[] = []
  const min = numberAt(source, "minLength")
  const max = numberAt(source, "maxLength")
  if (min !== undefined) {
    rules.push((value, walk) => {
      if (value.length < min * 2 && lengthOf(value) < min) {
        walk.report("Invalid", `must be at least ${min} characters long`)
      }
    })
  }
  if (max !== undefined) {
    rules.push((value, walk) => {
      if (value.length > max && (value.length > max * 2 || lengthOf(value) > max)) {
        walk.report("TooLong", `must not be longer than ${max} characters`)
      }
    })
  }
  if (typeof source.pattern === "string") rules.push(patternRule(source.pattern))
  const format = typeof source.format === "string" ? source.format : ""
  const passes = stringFormats.get(format)
  if (passes !== undefined) {
    rules.push((value, walk) => {
      if (!passes(value)) walk.report("Invalid", `must be in format ${format}`)
    })
  }
  return rules
}

/** Code points, as JSON Schema counts. */
function lengthOf(value: string): number {
  let length = 0
  for (const _ of value) length++
  return length
}

function patternRule(pattern: string): Rule<string> {
  const expression = RE2JS.compile(pattern)
  return (value, walk) => {
    if (value.length > patternInputMax) {
      walk.report("TooLong", `must not be longer than ${patternInputMax} to be matched`)
    } else if (!expression.test(value)) {
      walk.report("Invalid", `must match ${JSON.stringify(pattern)}`)
    }
  }
}

function numberRules(source: JsonObject): Rule<number>[] {
  const rules: Rule<number>[] = []
  const min = numberAt(source, "minimum")
  const max = numberAt(source, "maximum")
  const step = numberAt(source, "multipleOf")
  if (min !== undefined) {
    const open = source.exclusiveMinimum === true
    const message = open ? `must be above ${min}` : `must be at least ${min}`
    rules.push((value, walk) => {
      if (value < min || (open && value === min)) walk.report("Invalid", message)
    })
  }
  if (max !== undefined) {
    const open = source.exclusiveMaximum === true
    const message = open ? `must be below ${max}` : `must be at most ${max}`
    rules.push((value, walk) => {
      if (value > max || (open && value === max)) walk.report("Invalid", message)
    })
  }
  if (step !== undefined) {
    rules.push((value, walk) => {
      if (!isMultiple(value, step)) walk.report("Invalid", `must be a multiple of ${step}`)
    })
  }
  const range = integerFormats.get(typeof source.format === "string" ? source.format : "")
  if (range !== undefined) {
    rules.push((value, walk) => {
      if (value < range.min || value > range.max) {
        walk.report("Invalid", `must be in format ${String(source.format)}`)
      }
    })
  }
  return rules
}

/** 0.3 is a multiple of 0.1 although the binary fractions disagree. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * 4 * Math.max(1, quotient)
}

function objectRules(source: JsonObject): Rule<JsonObject>[] {
  const min = numberAt(source, "minProperties") ?? 0
  const max = numberAt(source, "maxProperties") ?? Number.POSITIVE_INFINITY
  if (min === 0 && max === Number.POSITIVE_INFINITY) return []
  const rule: Rule<JsonObject> = (value, walk) => {
    let members = 0
    for (const name in value) if (value[name] !== undefined) members++
    if (members < min) walk.report("Invalid", `must have at least ${min} members`)
    if (members > max) walk.report("TooMany", `must not have more than ${max} members`)
  }
  return [rule]
}

function listRules(node: SchemaNode): Rule<readonly Json[]>[] {
  const rules: Rule<readonly Json[]>[] = []
  const min = numberAt(node.source, "minItems")
  const max = numberAt(node.source, "maxItems")
  if (min !== undefined) {
    rules.push((value, walk) => {
      if (value.length < min) walk.report("Invalid", `must have at least ${min} items`)
    })
  }
  if (max !== undefined) {
    rules.push((value, walk) => {
      if (value.length > max) walk.report("TooMany", `must not have more than ${max} items`)
    })
  }
  if (node.listType !== "atomic") rules.push(uniqueRule(node))
  return rules
}

function uniqueRule(node: SchemaNode): Rule<readonly Json[]> {
  const { listType, listMapKeys, items } = node
  const keyOf = (item: Json): string | undefined => {
    if (listType === "set") return typeof item === "string" ? `"${item}` : canonicalJson(item)
    if (!isObject(item)) return undefined
    let key = ""
    for (const name of listMapKeys) {
      const own = Object.hasOwn(item, name) ? item[name] : undefined
      const part = own ?? items?.properties.get(name)?.default
      if (part === undefined || part === null) return undefined
      key += `${typeof part === "string" ? JSON.stringify(part) : canonicalJson(part)},`
    }
    return key
  }
  const what = listType === "set" ? "item" : `item with this ${listMapKeys.join(" and ")}`
  return (value, walk) => {
    if (value.length < 2) return
    const seen = new Map<string, number>()
    for (let index = 0; index < value.length; index++) {
      const key = keyOf(value[index] ?? null)
      if (key === undefined) continue
      const first = seen.get(key)
      if (first === undefined) seen.set(key, index)
      else walk.reportAt(index, "Duplicate", `is a second ${what}, after [${first}]`)
    }
  }
}

function enumRules(source: JsonObject): Rule<Json>[] {
  if (!isArray(source.enum)) return []
  const allowed = source.enum
  const texts = new Set(allowed.map(canonicalJson))
  const shown = allowed.slice(0, 20).map((value) => JSON.stringify(value))
  const message = `must be one of ${shown.join(", ")}${allowed.length > 20 ? " ..." : ""}`
  const plain: ReadonlySet<Json> = new Set(allowed.filter((value) => typeof value !== "object"))
  const rule: Rule<Json> = (value, walk) => {
    if (plain.has(value)) return
    if (typeof value === "object" && texts.has(canonicalJson(value))) return
    walk.report("NotSupported", message)
  }
  return [rule]
}
