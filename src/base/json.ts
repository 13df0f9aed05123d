// JSON values: the types, equality that ignores key order, and one canonical encoding for hashes.
// Objects that come from outside never become prototypes: readers refuse the dangerous keys.

import { jsonText, parseJson } from "./json-text.ts"

/** A bigint is an integer whose digits no number keeps; json-text.ts reads and writes it. */
export type JsonPrimitive = string | number | bigint | boolean | null
export type Json = JsonPrimitive | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Keys that could reach a prototype; every reader of outside text refuses them. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * Deep equality; key order does not matter and an undefined member equals a missing one. A large
 * number that came as 1e18 equals the integer it is written as.
 */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (typeof left === "bigint" || typeof right === "bigint") return sameDigits(left, right)
  if (isArray(left)) {
    if (!isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => equalJson(item, right[index]))
  }
  if (!isObject(left) || !isObject(right) || isArray(right)) return false
  let members = 0
  for (const key in left) {
    if (left[key] === undefined) continue
    members++
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false
  }
  for (const key in right) if (right[key] !== undefined) members--
  return members === 0
}

/** Whether two numbers, of which one is a bigint, are written the same. */
export function sameDigits(left: Json | undefined, right: Json | undefined): boolean {
  const both = [left, right].every((one) => typeof one === "bigint" || typeof one === "number")
  return both && String(left) === String(right)
}

/** One text per value: keys sorted, no white space. Digests and hashes are made over this. */
export function canonicalJson(value: Json | undefined): string {
  return canonical(value)
}

/** The same of a document of our own, which is JSON although its type has no index signature. */
export function canonicalDocument(document: object): string {
  return canonical(document)
}

function canonical(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value === "bigint") return String(value)
  if (!isObject(value)) return JSON.stringify(value ?? null)
  let members = ""
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    members += `${members === "" ? "" : ","}${quoted(key)}:${canonical(member)}`
  }
  return `{${members}}`
}

/** Nothing in it that JSON would escape. */
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The value at a path of member names, or undefined. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined
    current = current[name]
  }
  return current
}

/** A document of our own as plain JSON: what it would be after a trip over the wire. */
export function toPlainJson(document: object): Json {
  return parseJson(jsonText(document))
}
