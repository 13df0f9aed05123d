// CEL values: int is bigint, double is number, a list is an array, a map is a Map or a plain JSON
// object. JSON from outside is taken as it is and its numbers become int or double where they are
// read; only own members count, so that no expression reaches a prototype.

import { MapView } from "./cel-map-view.ts"
import { CelOpaque, isOpaque, type OpaqueKind } from "./cel-opaque.ts"
import { type CelRun, CelStop } from "./cel-run.ts"

export type CelKey = string | bigint | boolean
export type CelMap = ReadonlyMap<CelKey, CelValue>
/** Read from JSON, with numbers not yet told apart. */
export type RawMap = Readonly<Record<string, unknown>>
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly unknown[]
  | CelMap
  | RawMap
  | CelOpaque
  | MapView

export type CelType = "null" | "bool" | "int" | "double" | "string" | "list" | "map" | OpaqueKind

/** A member of a JSON document as a CEL value. */
export function lift(raw: unknown): CelValue {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? BigInt(raw) : raw
  if (raw === undefined || raw === null) return null
  if (typeof raw === "object") return raw as RawMap
  if (typeof raw === "string" || typeof raw === "boolean" || typeof raw === "bigint") return raw
  return null
}

/** How the items of a list are told apart: as a set by value, as a map by these members. */
export interface ListMark {
  readonly listType: "set" | "map"
  readonly keys: readonly string[]
}

/** A list we made holds doubles as numbers; one that came from JSON has yet to say. */
const own = new WeakMap<readonly unknown[], ListMark | undefined>()

export function makeList(items: readonly CelValue[], mark?: ListMark): readonly unknown[] {
  own.set(items, mark)
  return items
}

export const markOf = (list: readonly unknown[]): ListMark | undefined => own.get(list)

export function itemOf(list: readonly unknown[], index: number): CelValue {
  return own.has(list) ? (list[index] as CelValue) : lift(list[index])
}

export function typeOf(value: CelValue): CelType {
  if (value === null) return "null"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "bigint") return "int"
  if (typeof value === "number") return "double"
  if (typeof value === "string") return "string"
  if (value instanceof CelOpaque) return value.kind
  return Array.isArray(value) ? "list" : "map"
}

export const isList = (value: CelValue): value is readonly unknown[] => Array.isArray(value)

export type AnyMap = CelMap | RawMap | MapView

export function isMap(value: CelValue): value is AnyMap {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return !(value instanceof CelOpaque)
}

export function memberOf(map: AnyMap, key: CelValue): CelValue | undefined {
  if (map instanceof MapView) return map.get(key)
  if (map instanceof Map) return map.get(mapKey(key))
  if (typeof key !== "string" || !Object.hasOwn(map, key)) return undefined
  const raw = (map as RawMap)[key]
  return raw === undefined ? undefined : lift(raw)
}

export function keysOf(map: AnyMap): readonly CelKey[] {
  if (map instanceof MapView) return map.names()
  if (map instanceof Map) return [...map.keys()]
  return Object.keys(map).filter((key) => (map as RawMap)[key] !== undefined)
}

/** 1.0 and 1 are the same key. */
export function mapKey(key: CelValue): CelKey {
  if (isOpaque(key, "uint")) return key.data as bigint
  if (typeof key === "number" && Number.isSafeInteger(key)) return BigInt(key)
  if (typeof key === "string" || typeof key === "bigint" || typeof key === "boolean") return key
  throw new CelStop(`a ${typeOf(key)} can't be a key`, 0)
}

const depthMax = 64

/** Numbers of both kinds compare by value; other kinds never equal each other. */
export function equal(
  left: CelValue,
  right: CelValue,
  run: CelRun,
  at: number,
  depth = 0,
): boolean {
  run.charge(1, at)
  if (depth > depthMax) throw new CelStop("values lie too deep to be compared", at)
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false
    const mark = markOf(left) ?? markOf(right)
    if (mark !== undefined) return sameMembers(left, right, { mark, run, at, depth })
    for (let index = 0; index < left.length; index++) {
      if (!equal(itemOf(left, index), itemOf(right, index), run, at, depth + 1)) return false
    }
    return true
  }
  if (isMap(left) || isMap(right)) {
    if (!isMap(left) || !isMap(right)) return false
    const keys = keysOf(left)
    run.charge(keys.length, at)
    if (keys.length !== keysOf(right).length) return false
    return keys.every((key) => {
      const other = memberOf(right, key)
      return other !== undefined && equal(memberOf(left, key) ?? null, other, run, at, depth + 1)
    })
  }
  if (typeof left === "string" && typeof right === "string") run.charge(textCost(left), at)
  if (left instanceof CelOpaque || right instanceof CelOpaque) {
    return sameOpaque(left, right, run, at, depth)
  }
  if (typeof left === "bigint" && typeof right === "number") return Number(left) === right
  if (typeof left === "number" && typeof right === "bigint") return left === Number(right)
  return left === right
}

function sameOpaque(
  left: CelValue,
  right: CelValue,
  run: CelRun,
  at: number,
  depth: number,
): boolean {
  const [first, second] = [left, right].map((side) =>
    isOpaque(side, "uint") ? (side.data as bigint) : side,
  )
  if (!(first instanceof CelOpaque) || !(second instanceof CelOpaque)) {
    const plain = !(first instanceof CelOpaque) && !(second instanceof CelOpaque)
    return plain && equal(first ?? null, second ?? null, run, at, depth + 1)
  }
  if (first.kind !== second.kind || first.identity !== second.identity) return false
  if (first.kind !== "optional" || first.data === undefined) return true
  return equal(first.data as CelValue, second.data as CelValue, run, at, depth + 1)
}

interface Comparing {
  readonly mark: ListMark
  readonly run: CelRun
  readonly at: number
  readonly depth: number
}

/** Sets and map lists are equal whatever order they are written in. */
function sameMembers(
  left: readonly unknown[],
  right: readonly unknown[],
  { mark, run, at, depth }: Comparing,
): boolean {
  const others = new Map<string, CelValue[]>()
  for (let index = 0; index < right.length; index++) {
    const item = itemOf(right, index)
    const key = itemKey(item, mark)
    const found = others.get(key)
    if (found === undefined) others.set(key, [item])
    else found.push(item)
  }
  return left.every((_, index) => {
    const item = itemOf(left, index)
    const among = others.get(itemKey(item, mark)) ?? []
    return among.some((other) => equal(item, other, run, at, depth + 1))
  })
}

/** Equal items have equal keys; the reverse need not hold. */
export function itemKey(item: CelValue, mark: ListMark): string {
  if (mark.listType === "map" && isMap(item)) {
    return mark.keys.map((key) => plainKey(memberOf(item, key) ?? null)).join()
  }
  return plainKey(item)
}

function plainKey(value: CelValue): string {
  if (isList(value)) return `list${value.length}`
  if (isMap(value)) return "map"
  if (value instanceof CelOpaque) return value.identity
  return typeof value === "string" ? JSON.stringify(value) : String(value)
}

export const textCost = (text: string): number => text.length >> 4
