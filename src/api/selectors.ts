// Label and field selectors: text to a predicate. Whatever is not understood is refused with 400,
// since a selector taken for "all" would make a collection delete too large.

import { oneNameOf, parseFieldSelector } from "../object/field-selector.ts"
import type { ApiObject } from "../object/object.ts"
import { apiFault } from "./faults.ts"
import { isLabelValue, isQualifiedName } from "./metadata-rules.ts"
import type { ServedResource } from "./served-resource.ts"

export type Selector = (object: ApiObject) => boolean

type Labels = Readonly<Record<string, string>>

function refuse(what: string, text: string): never {
  throw apiFault("SPT-API-006", { verb: "read", what, why: `"${text}" is not understood` })
}

/** Splits at commas that stand outside parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = []
  let [start, depth] = [0, 0]
  // In one pass: a pattern that looks ahead from every comma takes its time with many of them.
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++
    else if (text[at] === ")") depth--
    else if (text[at] === "," && depth <= 0) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...parts, text.slice(start).trim()]
}

function readRequirement(text: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text)
  if (set !== null) {
    const [, key = "", operator, list = ""] = set
    const values = list.split(",").map((value) => value.trim())
    checkParts(text, key, values)
    const isIn = (labels: Labels) =>
      values.includes(labels[key] ?? "") && Object.hasOwn(labels, key)
    return operator === "in" ? isIn : (labels) => !isIn(labels)
  }
  const equality = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/.exec(text)
  if (equality !== null) {
    const [, key = "", operator, value = ""] = equality
    checkParts(text, key, [value])
    const same = (labels: Labels) => Object.hasOwn(labels, key) && labels[key] === value
    return operator === "!=" ? (labels) => !same(labels) : same
  }
  const order = /^([^\s=!<>]+)\s*([<>])\s*(-?\d{1,18})$/.exec(text)
  if (order !== null) {
    const [, key = "", operator, bound = ""] = order
    checkParts(text, key, [])
    return (labels) => {
      const value = Object.hasOwn(labels, key) ? (labels[key] ?? "") : ""
      if (!/^-?\d{1,18}$/.test(value)) return false
      return operator === ">" ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
    }
  }
  const key = text.startsWith("!") ? text.slice(1).trim() : text
  checkParts(text, key, [])
  if (text.startsWith("!")) return (labels) => !Object.hasOwn(labels, key)
  return (labels) => Object.hasOwn(labels, key)
}

function checkParts(text: string, key: string, values: readonly string[]): void {
  if (!isQualifiedName(key) || !values.every(isLabelValue)) refuse("the label selector", text)
}

/** Undefined when it selects everything. */
export function readLabelSelector(text: string | undefined): Selector | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const requirements = splitRequirements(text).map(readRequirement)
  return (object) => {
    const labels = object.metadata.labels ?? {}
    return requirements.every((matches) => matches(labels))
  }
}

/** Fields that are not the object's name; each resource may have a few. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  namespaces: ["status.phase"],
  plans: ["spec.loop", "status.phase"],
}

function fieldText(object: ApiObject, path: string): string {
  let value: unknown = object
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return ""
    value = Reflect.get(value, name)
  }
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    return String(value)
  }
  return typeof value === "string" ? value : ""
}

export interface FieldSelection {
  /** Set when the selector asks for exactly one name. */
  readonly name?: string
  readonly selector?: Selector
}

/** What a field selector may name depends on the kind. */
export type SelectableKind = Pick<
  ServedResource,
  "resource" | "builtIn" | "selectableFields" | "rules"
>

export function readFieldSelector(text: string | undefined, kind: SelectableKind): FieldSelection {
  if (text === undefined || text === "") return {}
  const extra = kind.builtIn ? (extraFields[kind.resource] ?? []) : []
  const declared = kind.selectableFields.map((path) => path.slice(1))
  const { fields = {} } = kind.rules
  const known = Object.keys(fields)
  const allowed = ["metadata.name", "metadata.namespace", ...extra, ...known, ...declared]
  const parsed = parseFieldSelector(text) ?? refuse("the field selector", text)
  const terms = parsed.map(({ field: path, is, value }) => {
    if (!allowed.includes(path)) {
      const why = `field label not supported: ${path}`
      throw apiFault("SPT-API-006", { verb: "read", what: "the field selector", why })
    }
    const special = known.includes(path) ? fields[path] : undefined
    const same = (object: ApiObject) => (special?.(object) ?? fieldText(object, path)) === value
    return is ? same : (object: ApiObject) => !same(object)
  })
  const name = oneNameOf(parsed)
  const selector: Selector = (object) => terms.every((matches) => matches(object))
  return name === undefined ? { selector } : { name, selector }
}

/** Both selectors as one; undefined when everything is selected. */
export function readSelectors(
  labelSelector: string | undefined,
  fieldSelector: string | undefined,
  kind: SelectableKind,
): Selector | undefined {
  const labels = readLabelSelector(labelSelector)
  const fields = readFieldSelector(fieldSelector, kind).selector
  if (labels === undefined) return fields
  if (fields === undefined) return labels
  return (object) => labels(object) && fields(object)
}
