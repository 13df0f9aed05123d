// The three-way difference between what we last applied, what is desired and what was observed,
// leaf by leaf. What only the target has is the target's own and never a difference.

import { equalCompacted, isHashedValue } from "../base/hash.ts"
import { isArray, isObject, type Json, type JsonObject, sameDigits } from "../base/json.ts"
import { type FieldPath, pathText } from "../object/field-path.ts"
import type { SchemaNode } from "./schema-node.ts"
import { noParts, type Part, partsOf } from "./typed-value.ts"

export type DifferenceWhy = "requested" | "drift" | "adopt" | "conflict"

export interface FieldDifference {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
  readonly why: DifferenceWhy
}

/** The same with the path as elements. */
export interface PathDifference extends Omit<FieldDifference, "path"> {
  readonly path: FieldPath
}

export interface Sides {
  readonly applied?: JsonObject | undefined
  readonly desired: JsonObject
  /** Undefined when the target is absent. */
  readonly observed?: JsonObject | undefined
}

/** Sorted by path, so that digests made over it do not depend on the order of members. */
export function diffThreeWay(node: SchemaNode, sides: Sides): readonly FieldDifference[] {
  const found = diffPaths(node, sides).map((one) => ({ ...one, path: pathText(one.path) }))
  return found.sort((left, right) => (left.path < right.path ? -1 : 1))
}

export function diffPaths(node: SchemaNode, sides: Sides): readonly PathDifference[] {
  const walk: Walk = { found: [], absent: sides.observed === undefined, path: [] }
  compare(walk, node, sides.applied, sides.desired, sides.observed)
  return walk.found
}

interface Walk {
  readonly found: PathDifference[]
  /** The whole target is absent: what was applied before has drifted, the rest is requested. */
  readonly absent: boolean
  readonly path: FieldPath
}

type Side = Json | undefined

function compare(walk: Walk, node: SchemaNode, applied: Side, desired: Side, observed: Side): void {
  if (desired === undefined && (applied === undefined || observed === undefined)) return
  // Then whatever else was applied is not there any more either.
  if (equalDeep(desired, observed)) return
  const wanted = partsOf(node, desired)
  const found = partsOf(node, observed)
  const former = partsOf(node, applied)
  const divides =
    (wanted !== undefined || (desired === undefined && former !== undefined)) &&
    (found !== undefined || observed === undefined) &&
    sameKind(desired ?? applied, observed)
  if (!divides) {
    judge(walk, applied, desired, observed, equalDeep(applied, observed))
    return
  }
  const wantedParts = wanted ?? noParts
  const formerParts = former ?? noParts
  if (wantedParts.size === 0 && (formerParts.size === 0 || observed === undefined)) {
    compareEmpty(walk, node, applied, desired, observed)
    return
  }
  for (const [key, part] of wantedParts) {
    comparePart(walk, part, formerParts.get(key)?.value, part.value, found?.get(key)?.value)
  }
  for (const [key, part] of formerParts) {
    if (wantedParts.has(key)) continue
    comparePart(walk, part, part.value, undefined, found?.get(key)?.value)
  }
}

function comparePart(walk: Walk, part: Part, applied: Side, desired: Side, observed: Side): void {
  const below: Walk = { ...walk, path: [...walk.path, part.element] }
  const whole = !("field" in part.element) && (desired === undefined || observed === undefined)
  // A list item comes and goes as a whole: without its keys the rest of it would mean nothing.
  if (!whole) compare(below, part.node, applied, desired, observed)
  else if (desired !== undefined || observed !== undefined) {
    judge(below, applied, desired, observed, covers(part.node, applied, observed))
  }
}

/** An empty map or list says only that there is one; what the target keeps in it is its own. */
function compareEmpty(
  walk: Walk,
  node: SchemaNode,
  applied: Side,
  desired: Side,
  observed: Side,
): void {
  if (walk.path.length === 0) return
  if (desired !== undefined && observed !== undefined) return
  const full = observed !== undefined && (partsOf(node, observed)?.size ?? 0) > 0
  if (!full) judge(walk, applied, desired, observed, equalDeep(applied, observed))
}

function judge(walk: Walk, applied: Side, desired: Side, observed: Side, untouched: boolean): void {
  if (equalDeep(desired, observed)) return
  walk.found.push({
    path: walk.path,
    ...(observed === undefined ? {} : { before: observed }),
    ...(desired === undefined ? {} : { after: desired }),
    why: whyOf(walk, applied, desired, untouched),
  })
}

function whyOf(walk: Walk, applied: Side, desired: Side, untouched: boolean): DifferenceWhy {
  if (walk.absent) return applied === undefined ? "requested" : "drift"
  if (untouched) return "requested"
  if (equalDeep(applied, desired)) return "drift"
  return applied === undefined ? "adopt" : "conflict"
}

/** Whether everything in the part is found in the whole, which may hold more. */
function covers(node: SchemaNode, part: Side, whole: Side): boolean {
  if (part === undefined || whole === undefined) return part === whole
  const walk: Walk = { found: [], absent: false, path: [] }
  compare(walk, node, undefined, part, whole)
  return walk.found.length === 0
}

function sameKind(left: Side, right: Side): boolean {
  return left === undefined || right === undefined || isArray(left) === isArray(right)
}

/** Equality in which a recorded hash, at any depth, equals the value it stands for. */
function equalDeep(left: Side, right: Side): boolean {
  if (left === right) return true
  if (typeof left === "bigint" || typeof right === "bigint") return sameDigits(left, right)
  if (isHashedValue(left) || isHashedValue(right)) return equalCompacted(left, right)
  if (isArray(left)) {
    if (!isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => equalDeep(item, right[index]))
  }
  if (!isObject(left) || !isObject(right)) return false
  let members = 0
  for (const name of Object.keys(left)) {
    if (left[name] === undefined) continue
    members++
    if (!Object.hasOwn(right, name) || !equalDeep(left[name], right[name])) return false
  }
  for (const name of Object.keys(right)) if (right[name] !== undefined) members--
  return members === 0
}
