// Functions of lists: Kubernetes' list library, CEL's list and set extensions.

import {
  type CelCall,
  type CelFunction,
  type CelFunctions,
  intArg,
  listArg,
  noOverload,
} from "./cel-function.ts"
import { isOpaque, makeDuration, makeOptional } from "./cel-opaque.ts"
import { binaryRules, compareValues } from "./cel-operators.ts"
import { CelStop } from "./cel-run.ts"
import { type CelValue, equal, isList, isMap, itemOf, keysOf, makeList } from "./cel-value.ts"

const itemsOf = (list: readonly unknown[]): CelValue[] =>
  list.map((_, index) => itemOf(list, index))

export function placeInList([list, wanted = null]: readonly CelValue[], call: CelCall): bigint {
  const items = itemsOf(listArg("indexOf", list, call))
  return BigInt(items.findIndex((item) => equal(item, wanted, call.run, call.at)))
}

export function lastPlaceInList([list, wanted = null]: readonly CelValue[], call: CelCall): bigint {
  const items = itemsOf(listArg("lastIndexOf", list, call))
  return BigInt(items.findLastIndex((item) => equal(item, wanted, call.run, call.at)))
}

export function reversedList(list: readonly unknown[], call: CelCall): CelValue {
  call.run.charge(list.length, call.at)
  return makeList(itemsOf(list).reverse())
}

function compare(left: CelValue, right: CelValue, call: CelCall): number {
  const sign = compareValues(left, right, call.run, call.at)
  if (sign === undefined) throw noOverload("an order", left, call)
  return sign
}

const isSorted: CelFunction = {
  arity: 1,
  apply: ([list], call) => {
    const items = itemsOf(listArg("isSorted", list, call))
    return items.every(
      (item, index) => index === 0 || compare(items[index - 1] ?? null, item, call) <= 0,
    )
  },
}

const sum: CelFunction = {
  arity: 1,
  apply: ([list], call) => {
    const items = itemsOf(listArg("sum", list, call))
    const add = binaryRules["+"]
    const [first] = items
    const zero: CelValue =
      typeof first === "number" ? 0 : isOpaque(first, "duration") ? makeDuration(0n) : 0n
    if (add === undefined) return zero
    return items.reduce((total, item, index) => {
      return index === 0 ? item : add(total, item, call.run, call.at)
    }, zero)
  },
}

const extreme = (name: string, sign: 1 | -1): CelFunction => ({
  arity: 1,
  apply: ([list], call) => {
    const items = itemsOf(listArg(name, list, call))
    const [first] = items
    if (first === undefined) throw new CelStop(`${name} called on empty list`, call.at)
    return items.reduce((best, item) => (compare(item, best, call) * sign > 0 ? item : best), first)
  },
})

const includes: CelFunction = {
  arity: 2,
  apply: ([among = null, wanted = null], call) => {
    if (isMap(among)) {
      return keysOf(among).some((key) => equal(key, wanted, call.run, call.at))
    }
    return placeInList([among, wanted], call) >= 0n
  },
}

const distinct: CelFunction = {
  arity: 1,
  apply: ([list], call) => {
    const kept: CelValue[] = []
    for (const item of itemsOf(listArg("distinct", list, call))) {
      if (!kept.some((other) => equal(item, other, call.run, call.at))) kept.push(item)
    }
    return makeList(kept)
  },
}

const sort: CelFunction = {
  arity: 1,
  apply: ([list], call) =>
    makeList(itemsOf(listArg("sort", list, call)).sort((a, b) => compare(a, b, call))),
}

const slice: CelFunction = {
  arity: 3,
  apply: ([list, from, to], call) => {
    const items = itemsOf(listArg("slice", list, call))
    const [start, end] = [intArg("slice", from, call), intArg("slice", to, call)]
    if (start < 0 || end > items.length || start > end) {
      throw new CelStop(`cannot slice(${start}, ${end}), list is length ${items.length}`, call.at)
    }
    return makeList(items.slice(start, end))
  },
}

const end = (name: string, at: 0 | -1): CelFunction => ({
  arity: 1,
  apply: ([list], call) => makeOptional(itemsOf(listArg(name, list, call)).at(at)),
})

const flatten: CelFunction = {
  arity: [1, 2],
  apply: ([list, depth = 1n], call) => {
    const levels = intArg("flatten", depth, call)
    if (levels < 0) throw new CelStop("level must be non-negative", call.at)
    const flat = (items: readonly unknown[], left: number): CelValue[] =>
      itemsOf(items).flatMap((item) => {
        call.run.charge(1, call.at)
        return isList(item) && left > 0 ? flat(item, left - 1) : [item]
      })
    return makeList(flat(listArg("flatten", list, call), Math.min(levels, 32)))
  },
}

const rangeMax = 100_000

const range: CelFunction = {
  arity: 1,
  apply: ([count], call) => {
    const length = intArg("lists.range", count, call)
    if (length > rangeMax) throw new CelStop("the list is too long", call.at, true)
    call.run.charge(Math.max(0, length), call.at)
    return makeList(Array.from({ length: Math.max(0, length) }, (_, index) => BigInt(index)))
  },
}

const holdsAll = (whole: readonly CelValue[], part: readonly CelValue[], call: CelCall): boolean =>
  part.every((item) => whole.some((other) => equal(item, other, call.run, call.at)))

const ofSets = (
  name: string,
  holds: (left: CelValue[], right: CelValue[], call: CelCall) => boolean,
): CelFunction => ({
  arity: 2,
  apply: ([left, right], call) =>
    holds(itemsOf(listArg(name, left, call)), itemsOf(listArg(name, right, call)), call),
})

export const listFunctions: CelFunctions = {
  "lists.range": range,
  "sets.contains": ofSets("sets.contains", holdsAll),
  "sets.equivalent": ofSets(
    "sets.equivalent",
    (left, right, call) => holdsAll(left, right, call) && holdsAll(right, left, call),
  ),
  "sets.intersects": ofSets("sets.intersects", (left, right, call) =>
    left.some((item) => holdsAll(right, [item], call)),
  ),
}

export const listMethods: CelFunctions = {
  isSorted,
  sum,
  min: extreme("min", -1),
  max: extreme("max", 1),
  includes,
  distinct,
  sort,
  slice,
  first: end("first", 0),
  last: end("last", -1),
  flatten,
}
