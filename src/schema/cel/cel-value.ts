// CEL values: int is bigint, double is number, a list is an array, a map is a Map or a plain JSON
// object. JSON from outside is taken as it is and its numbers become int or double where they are
// read; only own members count, so that no expression reaches a prototype.

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

export type CelType = "null" | "bool" | "int" | "double" | "string" | "list" | "map"

/** A member of a JSON document as a CEL value. */
export function lift(raw: unknown): CelValue {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? BigInt(raw) : raw
  if (raw === undefined || raw === null) return null
  if (typeof raw === "object") return raw as RawMap
  if (typeof raw === "string" || typeof raw === "boolean" || typeof raw === "bigint") return raw
  return null
}

/** A list we made holds doubles as numbers; one that came from JSON has yet to say. */
const own = new WeakSet<readonly unknown[]>()

export function makeList(items: readonly CelValue[]): readonly unknown[] {
  own.add(items)
  return items
}

export function itemOf(list: readonly unknown[], index: number): CelValue {
  return own.has(list) ? (list[index] as CelValue) : lift(list[index])
}

export function typeOf(value: CelValue): CelType {
  if (value === null) return "null"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "bigint") return "int"
  if (typeof value === "number") return "double"
  if (typeof value === "string") return "string"
  return Array.isArray(value) ? "list" : "map"
}

export const isList = (value: CelValue): value is readonly unknown[] => Array.isArray(value)

export function isMap(value: CelValue): value is CelMap | RawMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function memberOf(map: CelMap | RawMap, key: CelValue): CelValue | undefined {
  if (map instanceof Map) return map.get(mapKey(key))
  if (typeof key !== "string" || !Object.hasOwn(map, key)) return undefined
  const raw = (map as RawMap)[key]
  return raw === undefined ? undefined : lift(raw)
}

export function keysOf(map: CelMap | RawMap): readonly CelKey[] {
  if (map instanceof Map) return [...map.keys()]
  return Object.keys(map).filter((key) => (map as RawMap)[key] !== undefined)
}

/** 1.0 and 1 are the same key. */
export function mapKey(key: CelValue): CelKey {
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
  if (typeof left === "bigint" && typeof right === "number") return Number(left) === right
  if (typeof left === "number" && typeof right === "bigint") return left === Number(right)
  return left === right
}

export const textCost = (text: string): number => text.length >> 4
