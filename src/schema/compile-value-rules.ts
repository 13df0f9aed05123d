// Turns the value keywords of one node into closures, by the type of value they look at. Keywords
// for another type than the value's say nothing, as in JSON Schema.

import { canonicalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { integerFormats, stringFormats } from "./formats.ts"
import { compilePattern } from "./known-patterns.ts"
import type { SchemaNode } from "./schema-node.ts"
import type { ValidationWalk } from "./validation-walk.ts"

type Rule<T> = (value: T, walk: ValidationWalk) => void

export interface ValueRules {
  readonly text: readonly Rule<string>[]
  readonly number: readonly Rule<number | bigint>[]
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
        const body = `should be at least ${min} chars long`
        walk.report("Invalid", `must be at least ${min} characters long`, { value, body })
      }
    })
  }
  if (max !== undefined) {
    rules.push((value, walk) => {
      if (value.length > max && (value.length > max * 2 || lengthOf(value) > max)) {
        const says = `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`
        walk.report("TooLong", `must not be longer than ${max} characters`, { says })
      }
    })
  }
  if (typeof source.pattern === "string") rules.push(patternRule(source.pattern))
  const format = typeof source.format === "string" ? source.format : ""
  const passes = stringFormats.get(format)
  if (passes !== undefined) {
    rules.push((value, walk) => {
      if (passes(value)) return
      const body = `must be of type ${format}: ${JSON.stringify(value)}`
      const detail = walk.hidden > 0 ? { body: `must be of type ${format}` } : { value, body }
      walk.report("Invalid", `must be in format ${format}`, { code: "TypeInvalid", ...detail })
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
  const expression = compilePattern(pattern)
  return (value, walk) => {
    if (value.length > patternInputMax) {
      walk.report("TooLong", `must not be longer than ${patternInputMax} to be matched`)
    } else if (!expression.test(value)) {
      const body = `should match '${pattern}'`
      walk.report("Invalid", `must match ${JSON.stringify(pattern)}`, { value, body })
    }
  }
}

/** The same where a bigint may stand. */
const boundAt = (source: JsonObject, name: string): number | bigint | undefined => {
  const value = source[name]
  return typeof value === "number" || typeof value === "bigint" ? value : undefined
}

function numberRules(source: JsonObject): Rule<number | bigint>[] {
  const rules: Rule<number | bigint>[] = []
  const min = boundAt(source, "minimum")
  const max = boundAt(source, "maximum")
  const step = boundAt(source, "multipleOf")
  if (min !== undefined) {
    const open = source.exclusiveMinimum === true
    const message = open ? `must be above ${min}` : `must be at least ${min}`
    const body = `should be greater than ${open ? "" : "or equal to "}${min}`
    rules.push((value, walk) => {
      if (open ? !(value > min) : value < min) walk.report("Invalid", message, { value, body })
    })
  }
  if (max !== undefined) {
    const open = source.exclusiveMaximum === true
    const message = open ? `must be below ${max}` : `must be at most ${max}`
    const body = `should be less than ${open ? "" : "or equal to "}${max}`
    rules.push((value, walk) => {
      if (open ? !(value < max) : value > max) walk.report("Invalid", message, { value, body })
    })
  }
  if (step !== undefined) {
    rules.push((value, walk) => {
      if (isMultiple(value, step)) return
      const body = `should be a multiple of ${step}`
      walk.report("Invalid", `must be a multiple of ${step}`, { value, body })
    })
  }
  const range = integerFormats.get(typeof source.format === "string" ? source.format : "")
  if (range !== undefined) {
    rules.push((value, walk) => {
      if (value < range.min || value > range.max) {
        const format = String(source.format)
        walk.report("Invalid", `must be in format ${format}`, {
          value,
          says: `Checked value must be of type integer with format ${format}`,
        })
      }
    })
  }
  return rules
}

/** 0.3 is a multiple of 0.1 although the binary fractions disagree. */
function isMultiple(value: number | bigint, step: number | bigint): boolean {
  const whole = typeof value === "bigint" || typeof step === "bigint"
  if (whole && isWhole(value) && isWhole(step)) return BigInt(value) % BigInt(step) === 0n
  const quotient = Number(value) / Number(step)
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * 4 * Math.max(1, quotient)
}

const isWhole = (value: number | bigint) => typeof value === "bigint" || Number.isInteger(value)

const atMost = (max: number): string => `must have at most ${max} ${max === 1 ? "item" : "items"}`

function objectRules(source: JsonObject): Rule<JsonObject>[] {
  const min = numberAt(source, "minProperties") ?? 0
  const max = numberAt(source, "maxProperties") ?? Number.POSITIVE_INFINITY
  if (min === 0 && max === Number.POSITIVE_INFINITY) return []
  const rule: Rule<JsonObject> = (value, walk) => {
    let members = 0
    for (const name in value) if (value[name] !== undefined) members++
    if (members < min) {
      const body = `should have at least ${min} properties`
      walk.report("Invalid", `must have at least ${min} members`, { value: members, body })
    }
    if (members > max) {
      const message = `must not have more than ${max} members`
      walk.report("TooMany", message, { value: members, says: atMost(max) })
    }
  }
  return [rule]
}

function listRules(node: SchemaNode): Rule<readonly Json[]>[] {
  const rules: Rule<readonly Json[]>[] = []
  const min = numberAt(node.source, "minItems")
  const max = numberAt(node.source, "maxItems")
  if (min !== undefined) {
    rules.push((value, walk) => {
      if (value.length >= min) return
      const body = `should have at least ${min} items`
      walk.report("Invalid", `must have at least ${min} items`, { value: value.length, body })
    })
  }
  if (max !== undefined) {
    rules.push((value, walk) => {
      if (value.length <= max) return
      const detail = { value: value.length, says: atMost(max) }
      walk.report("TooMany", `must not have more than ${max} items`, detail)
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
  const shownKey = (item: Json): Json => {
    if (listType === "set" || !isObject(item)) return item
    const names = [...listMapKeys].sort()
    return Object.fromEntries(names.map((name) => [name, item[name] ?? null]))
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
      else {
        const shown = shownKey(value[index] ?? null)
        walk.reportAt(index, "Duplicate", `is a second ${what}, after [${first}]`, { value: shown })
      }
    }
  }
}

function enumRules(source: JsonObject): Rule<Json>[] {
  if (!isArray(source.enum)) return []
  const allowed = source.enum
  const texts = new Set(allowed.map(canonicalJson))
  const shown = allowed.slice(0, 20).map((value) => canonicalJson(value))
  const message = `must be one of ${shown.join(", ")}${allowed.length > 20 ? " ..." : ""}`
  const quoted = allowed.map((value) =>
    JSON.stringify(typeof value === "string" ? value : jsonText(value)),
  )
  const says = `supported values: ${quoted.join(", ")}`
  const plain: ReadonlySet<Json> = new Set(allowed.filter((value) => typeof value !== "object"))
  const rule: Rule<Json> = (value, walk) => {
    if (plain.has(value)) return
    if (typeof value === "object" && texts.has(canonicalJson(value))) return
    walk.report("NotSupported", message, { value, says })
  }
  return [rule]
}
