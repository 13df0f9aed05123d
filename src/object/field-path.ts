// Names one place in a document as Kubernetes names it: a member, a list item by its map keys, a
// set item by its value, or an index. Elements compare by their FieldsV1 text, which is canonical.

import { canonicalJson, isObject, type Json, type JsonObject } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import { objectFault } from "./faults.ts"

export type PathElement =
  | { readonly field: string }
  | { readonly key: JsonObject }
  | { readonly value: Json }
  | { readonly index: number }

export type FieldPath = readonly PathElement[]

const plainName = /^[A-Za-z_$][\w$-]*$/

/** `spec.labels["a.b/c"]`, `ports[port=80,protocol="TCP"]`, `tags[="x"]`, `args[0]`. */
export function pathText(path: FieldPath): string {
  let text = ""
  for (const element of path) text += elementText(element, text === "")
  return text
}

/** The same as Kubernetes names it in a conflict: `.spec.ports[port=80]`; names are not quoted. */
export function fieldText(path: FieldPath): string {
  return path
    .map((element) => ("field" in element ? `.${element.field}` : elementText(element, false)))
    .join("")
}

function elementText(element: PathElement, first: boolean): string {
  if ("field" in element) {
    if (!plainName.test(element.field)) return `[${JSON.stringify(element.field)}]`
    return first ? element.field : `.${element.field}`
  }
  if ("key" in element) {
    const key = element.key
    const parts = Object.keys(key)
      .sort()
      .map((name) => `${name}=${canonicalJson(key[name])}`)
    return `[${parts.join(",")}]`
  }
  return "value" in element ? `[=${canonicalJson(element.value)}]` : `[${element.index}]`
}

/** The element as a FieldsV1 key: `f:name`, `k:{"port":80}`, `v:"x"` or `i:0`. */
export function elementKey(element: PathElement): string {
  if ("field" in element) return `f:${element.field}`
  if ("key" in element) return `k:${canonicalJson(element.key)}`
  return "value" in element ? `v:${canonicalJson(element.value)}` : `i:${element.index}`
}

/** The inverse of `elementKey`. */
export function parseElementKey(text: string): PathElement {
  const body = text.slice(2)
  switch (text.slice(0, 2)) {
    case "f:":
      return { field: body }
    case "k:": {
      const key = jsonOf(text, body)
      if (!isObject(key)) break
      return { key }
    }
    case "v:":
      return { value: jsonOf(text, body) }
    case "i:":
      if (/^\d{1,9}$/.test(body)) return { index: Number(body) }
  }
  throw objectFault("SPT-OBJECT-001", { cause: `"${text.slice(0, 80)}" is no path element` })
}

function jsonOf(text: string, body: string): Json {
  try {
    return parseJson(body)
  } catch (error) {
    const cause = `"${text.slice(0, 80)}" does not hold JSON`
    throw objectFault("SPT-OBJECT-001", { cause }, error)
  }
}

const kindOrder = "fkvi"

/** Orders FieldsV1 keys as Kubernetes writes them: fields, keys, values, indexes. */
export function compareElementKeys(left: string, right: string): number {
  const kinds = kindOrder.indexOf(left.charAt(0)) - kindOrder.indexOf(right.charAt(0))
  if (kinds !== 0) return kinds
  const numbers = left.charAt(0) === "f" ? 0 : compareNumbers(left.slice(2), right.slice(2))
  if (numbers !== 0) return numbers
  return left < right ? -1 : left > right ? 1 : 0
}

/** Numbers by size and before everything else. */
function compareNumbers(left: string, right: string): number {
  const [l, r] = [Number(left), Number(right)]
  if (Number.isNaN(l) || Number.isNaN(r)) return Number(Number.isNaN(l)) - Number(Number.isNaN(r))
  return l - r
}
