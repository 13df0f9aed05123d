// Arithmetic and comparison. An int has 64 bits and never wraps; kinds are not mixed in arithmetic.

import {
  isOpaque,
  makeBytes,
  makeDuration,
  makeTimestamp,
  makeUint,
  uintMax,
} from "./cel-opaque.ts"
import { type CelRun, CelStop } from "./cel-run.ts"
import {
  type CelValue,
  isList,
  itemKey,
  itemOf,
  type ListMark,
  makeList,
  markOf,
  textCost,
  typeOf,
} from "./cel-value.ts"

export type BinaryRule = (left: CelValue, right: CelValue, run: CelRun, at: number) => CelValue

const intMax = 2n ** 63n - 1n
const intMin = -(2n ** 63n)
const textMax = 1 << 20
const listMax = 100_000

export function checkedInt(value: bigint, at: number): bigint {
  if (value > intMax || value < intMin) throw new CelStop("the number is too large for an int", at)
  return value
}

function noOverload(symbol: string, left: CelValue, right: CelValue, at: number): CelStop {
  return new CelStop(`no such overload: ${typeOf(left)} ${symbol} ${typeOf(right)}`, at)
}

const add: BinaryRule = (left, right, run, at) => {
  if (typeof left === "bigint" && typeof right === "bigint") return checkedInt(left + right, at)
  if (typeof left === "number" && typeof right === "number") return left + right
  if (typeof left === "string" && typeof right === "string") {
    run.charge(textCost(left) + textCost(right), at)
    if (left.length + right.length > textMax) throw new CelStop("the text is too long", at, true)
    return left + right
  }
  if (isOpaque(left) || isOpaque(right)) return addOpaque(left, right, at)
  if (!isList(left) || !isList(right)) throw noOverload("+", left, right, at)
  const mark = markOf(left)
  if (mark !== undefined) return joinLists(left, right, mark, run, at)
  run.charge(left.length + right.length, at)
  if (left.length + right.length > listMax) throw new CelStop("the list is too long", at, true)
  const items = (list: readonly unknown[]) => list.map((_, index) => itemOf(list, index))
  return makeList([...items(left), ...items(right)])
}

/** Sets and map lists join as Kubernetes' apply would: what is there already is not added twice. */
function joinLists(
  left: readonly unknown[],
  right: readonly unknown[],
  mark: ListMark,
  run: CelRun,
  at: number,
): CelValue {
  run.charge(left.length + right.length, at)
  const joined = new Map<string, CelValue>()
  for (const list of [left, right]) {
    for (let index = 0; index < list.length; index++) {
      const item = itemOf(list, index)
      joined.set(itemKey(item, mark), item)
    }
  }
  return makeList([...joined.values()], mark)
}

function addOpaque(left: CelValue, right: CelValue, at: number): CelValue {
  if (isOpaque(left, "uint") && isOpaque(right, "uint")) {
    return checkedUint((left.data as bigint) + (right.data as bigint), at)
  }
  if (isOpaque(left, "bytes") && isOpaque(right, "bytes")) {
    return makeBytes(Buffer.concat([left.data as Uint8Array, right.data as Uint8Array]))
  }
  const times = [left, right].filter((side) => isOpaque(side, "timestamp")).length
  const spans = [left, right].filter((side) => isOpaque(side, "duration")).length
  if (!isOpaque(left) || !isOpaque(right) || times + spans !== 2 || times === 2) {
    throw noOverload("+", left, right, at)
  }
  const nanos = (left.data as bigint) + (right.data as bigint)
  return times === 1 ? makeTimestamp(nanos) : makeDuration(nanos)
}

function checkedUint(value: bigint, at: number): CelValue {
  if (value < 0n || value > uintMax) throw new CelStop("the number does not fit a uint", at)
  return makeUint(value)
}

/** Differences of times; undefined when these are none. */
function subtractTimes(left: CelValue, right: CelValue): CelValue | undefined {
  if (!isOpaque(left) || !isOpaque(right)) return undefined
  const nanos = (left.data as bigint) - (right.data as bigint)
  const [from, what] = [left.kind, right.kind]
  if (from === "timestamp" && what === "timestamp") return makeDuration(nanos)
  if (from === "timestamp" && what === "duration") return makeTimestamp(nanos)
  return from === "duration" && what === "duration" ? makeDuration(nanos) : undefined
}

function arithmetic(
  symbol: string,
  ints: (left: bigint, right: bigint) => bigint,
  doubles?: (left: number, right: number) => number,
): BinaryRule {
  return (left, right, _run, at) => {
    if (typeof left === "bigint" && typeof right === "bigint") {
      const divides = symbol === "/" || symbol === "%"
      if (divides && right === 0n) throw new CelStop("division by zero", at)
      return checkedInt(ints(left, right), at)
    }
    if (doubles !== undefined && typeof left === "number" && typeof right === "number") {
      return doubles(left, right)
    }
    if (isOpaque(left, "uint") && isOpaque(right, "uint")) {
      const [first, second] = [left.data as bigint, right.data as bigint]
      if ((symbol === "/" || symbol === "%") && second === 0n) {
        throw new CelStop("division by zero", at)
      }
      return checkedUint(ints(first, second), at)
    }
    const times = symbol === "-" ? subtractTimes(left, right) : undefined
    if (times !== undefined) return times
    throw noOverload(symbol, left, right, at)
  }
}

/** Below, equal or above zero; NaN compares as nothing, undefined when there is no order. */
export function compareValues(
  left: CelValue,
  right: CelValue,
  run: CelRun,
  at: number,
): number | undefined {
  const [first, second] = [plainNumber(left), plainNumber(right)]
  if (first !== undefined && second !== undefined) {
    if (first < second) return -1
    if (first > second) return 1
    return first >= second ? 0 : Number.NaN
  }
  if (typeof left === "string" && typeof right === "string") {
    run.charge(textCost(left), at)
    return compareText(left, right)
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right)
  if (!isOpaque(left) || !isOpaque(right) || left.kind !== right.kind) return undefined
  if (left.kind === "bytes") {
    return Buffer.compare(left.data as Uint8Array, right.data as Uint8Array)
  }
  if (left.kind !== "timestamp" && left.kind !== "duration") return undefined
  const [a, b] = [left.data as bigint, right.data as bigint]
  return a < b ? -1 : a > b ? 1 : 0
}

function plainNumber(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value
  return isOpaque(value, "uint") ? (value.data as bigint) : undefined
}

function ordering(symbol: string, holds: (sign: number) => boolean): BinaryRule {
  return (left, right, run, at) => {
    const sign = compareValues(left, right, run, at)
    if (sign === undefined) throw noOverload(symbol, left, right, at)
    return holds(sign)
  }
}

const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0

export const binaryRules: Readonly<Record<string, BinaryRule>> = {
  "+": add,
  "-": arithmetic(
    "-",
    (left, right) => left - right,
    (left, right) => left - right,
  ),
  "*": arithmetic(
    "*",
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  "/": arithmetic(
    "/",
    (left, right) => left / right,
    (left, right) => left / right,
  ),
  "%": arithmetic("%", (left, right) => left % right),
  "<": ordering("<", (sign) => sign < 0),
  "<=": ordering("<=", (sign) => sign <= 0),
  ">": ordering(">", (sign) => sign > 0),
  ">=": ordering(">=", (sign) => sign >= 0),
}
