// What an action destroys, judged by effect and not by verb: an update that empties a list is a
// delete in all but name. Pure.

import { isHashedValue } from "../base/hash.ts"
import { isArray, isObject, type Json } from "../base/json.ts"
import type { Action, FieldChange, Verb } from "../contract/action.ts"

/** Fields of a kind whose smaller value destroys something. */
export interface EffectMarks {
  /** A number of things: to zero means all of them. */
  readonly scale: ReadonlySet<string>
  /** How long something lives on: less of it destroys. */
  readonly expiry: ReadonlySet<string>
  /** Text that the thing is there to hold: none of it destroys. */
  readonly payload: ReadonlySet<string>
}

export interface Effect {
  readonly kind: "delete" | "replace" | "to-zero" | "emptied" | "item-removed" | "expires-sooner"
  readonly path: string
  readonly count: number
}

export function effectsOf(
  { verb, changes }: { readonly verb: Verb; readonly changes: Action["changes"] },
  marks: EffectMarks,
): readonly Effect[] {
  if (verb === "delete") return [{ kind: "delete", path: "", count: 1 }]
  if (verb === "replace") return [{ kind: "replace", path: "", count: 1 }]
  if (verb === "create" || verb === "loosen") return []
  const held = changes.some((change) => fills(change, marks)) ? { ...marks, payload: none } : marks
  const effects = changes.flatMap((change) => effectOf(change, held) ?? [])
  // What goes out of one set goes together.
  return effects.filter(({ path }, index) => {
    const set = setOf(path)
    return set === undefined || effects.findIndex((one) => setOf(one.path) === set) === index
  })
}

/** The set that an item without a key belongs to: `tags` of `tags[="a"]`. */
function setOf(path: string): string | undefined {
  const opened = itemAt(path)
  return opened === undefined || path[opened + 1] !== "=" ? undefined : path.slice(0, opened)
}

export const countDestroyed = (effects: readonly Effect[]): number =>
  effects.reduce((sum, effect) => sum + effect.count, 0)

/** "empties records" */
export function effectText({ kind, path, count }: Effect): string {
  switch (kind) {
    case "delete":
      return "deletes it"
    case "replace":
      return "replaces it"
    case "to-zero":
      return `takes ${path} from ${count} to zero`
    case "emptied":
      return `empties ${path}`
    case "item-removed":
      return `removes ${path}`
    case "expires-sooner":
      return `lets ${path} end sooner`
  }
}

function effectOf(change: FieldChange, marks: EffectMarks): Effect | undefined {
  const { path, before, after } = change
  if (before === undefined) return undefined
  const field = fieldOf(path)
  if (marks.scale.has(field) && isNumber(before) && before > 0) {
    if (after === 0 || after === undefined) return { kind: "to-zero", path, count: Number(before) }
  }
  if (marks.expiry.has(field) && endsSooner(before, after)) {
    return { kind: "expires-sooner", path, count: 1 }
  }
  if (marks.payload.has(field) && isDrained(change)) return { kind: "emptied", path, count: 1 }
  if (after === undefined && itemAt(path) !== undefined)
    return { kind: "item-removed", path, count: 1 }
  const empties = sizeOf(before) > 0 && (after === undefined || isEmpty(after))
  return empties ? { kind: "emptied", path, count: 1 } : undefined
}

const none: ReadonlySet<string> = new Set()

const isNumber = (value: Json): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint"

const isText = (value: Json | undefined): boolean =>
  (typeof value === "string" && value !== "") || (value !== undefined && isHashedValue(value))

/** The same may be said in another field: text as bytes is no loss. */
const fills = ({ path, after }: FieldChange, marks: EffectMarks): boolean =>
  marks.payload.has(fieldOf(path)) && isText(after)

/** What was always meant to be empty is drift, and the correction of drift is not counted. */
const isDrained = ({ before, after, why }: FieldChange): boolean =>
  why !== "drift" && isText(before) && (after === undefined || after === "")

const isEmpty = (value: Json): boolean => (isArray(value) || isObject(value)) && sizeOf(value) === 0

/** A compacted value is a long text: nothing in it can be counted. */
function sizeOf(value: Json): number {
  if (isHashedValue(value)) return 0
  if (isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

function endsSooner(before: Json, after: Json | undefined): boolean {
  if (after === undefined) return false // Without an end it lives on.
  if (isNumber(before) && isNumber(after)) return after < before
  if (typeof before !== "string" || typeof after !== "string") return true
  const [then, now] = [Date.parse(before), Date.parse(after)]
  return Number.isNaN(then) || Number.isNaN(now) ? before !== after : now < then
}

/** The path without what tells list items apart. */
function fieldOf(path: string): string {
  return path.replaceAll(/\[[^[\]]*\]/g, "")
}

/** Where the last element begins when it is an item: `rules[name="ssh"]`, `tags[="a"]`. */
function itemAt(path: string): number | undefined {
  if (!path.endsWith("]")) return undefined
  let quoted = false
  let opened = -1
  for (let index = 0; index < path.length; index++) {
    const sign = path[index]
    if (quoted && sign === "\\") index++
    else if (sign === '"') quoted = !quoted
    else if (!quoted && sign === "[") opened = index
  }
  return opened >= 0 && path[opened + 1] !== '"' ? opened : undefined
}
