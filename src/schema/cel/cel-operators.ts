// Arithmetic and comparison. An int has 64 bits and never wraps; kinds are not mixed in arithmetic.

import { type CelRun, CelStop } from "./cel-run.ts"
import { type CelValue, isList, itemOf, makeList, textCost, typeOf } from "./cel-value.ts"

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
  if (!isList(left) || !isList(right)) throw noOverload("+", left, right, at)
  run.charge(left.length + right.length, at)
  if (left.length + right.length > listMax) throw new CelStop("the list is too long", at, true)
  const items = (list: readonly unknown[]) => list.map((_, index) => itemOf(list, index))
  return makeList([...items(left), ...items(right)])
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
    throw noOverload(symbol, left, right, at)
  }
}

function ordering(symbol: string, holds: (sign: number) => boolean): BinaryRule {
  return (left, right, run, at) => {
    if (isNumber(left) && isNumber(right)) {
      if (left < right) return holds(-1)
      if (left > right) return holds(1)
      return left >= right && holds(0) // Nothing holds for NaN.
    }
    if (typeof left === "string" && typeof right === "string") {
      run.charge(textCost(left), at)
      return holds(compareText(left, right))
    }
    if (typeof left === "boolean" && typeof right === "boolean") {
      return holds(Number(left) - Number(right))
    }
    throw noOverload(symbol, left, right, at)
  }
}

const isNumber = (value: CelValue): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number"

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
