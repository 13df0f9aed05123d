// The functions of the expression language: pure, each charged by the size of what it reads.
// Patterns are RE2: linear in the text whatever they are.

import { RE2JS } from "re2js"
import { checkedInt } from "./cel-operators.ts"
import { type CelRun, CelStop } from "./cel-run.ts"
import {
  type CelType,
  type CelValue,
  isList,
  isMap,
  itemOf,
  keysOf,
  makeList,
  textCost,
  typeOf,
} from "./cel-value.ts"

export interface CelCall {
  readonly run: CelRun
  readonly at: number
}

export interface CelFunction {
  /** How many arguments, the receiver of a method included. */
  readonly arity: number
  apply(values: readonly CelValue[], call: CelCall): CelValue
}

const patternMax = 1000
const patternsKept = 200
const patterns = new Map<string, RE2JS>()

function patternOf(source: string, at: number): RE2JS {
  const known = patterns.get(source)
  if (known !== undefined) return known
  if (source.length > patternMax) throw new CelStop("the pattern is too long", at)
  try {
    const pattern = RE2JS.compile(source)
    if (patterns.size >= patternsKept) patterns.clear()
    patterns.set(source, pattern)
    return pattern
  } catch (error) {
    throw new CelStop(`the pattern can't be used: ${String(error)}`, at)
  }
}

function text(name: string, value: CelValue | undefined, { at }: CelCall): string {
  if (typeof value === "string") return value
  throw new CelStop(`no such overload: ${name} of ${typeOf(value ?? null)}`, at)
}

/** A function of two texts. */
function ofTexts(
  name: string,
  apply: (left: string, right: string, call: CelCall) => CelValue,
): CelFunction {
  return {
    arity: 2,
    apply: ([left, right], call) => {
      const [first, second] = [text(name, left, call), text(name, right, call)]
      call.run.charge(textCost(first) + textCost(second) + 1, call.at)
      return apply(first, second, call)
    },
  }
}

function ofText(name: string, apply: (value: string, call: CelCall) => CelValue): CelFunction {
  return {
    arity: 1,
    apply: ([value], call) => {
      const first = text(name, value, call)
      call.run.charge(textCost(first) + 1, call.at)
      return apply(first, call)
    },
  }
}

const size: CelFunction = {
  arity: 1,
  apply: ([value = null], { run, at }) => {
    if (isList(value)) return BigInt(value.length)
    if (typeof value === "string") {
      run.charge(textCost(value), at)
      return BigInt([...value].length)
    }
    if (!isMap(value)) throw new CelStop(`no such overload: size of ${typeOf(value)}`, at)
    const keys = keysOf(value)
    run.charge(keys.length, at)
    return BigInt(keys.length)
  },
}

type Conversion = (value: CelValue, at: number) => CelValue | undefined

function conversion(to: CelType, convert: Conversion): CelFunction {
  return {
    arity: 1,
    apply: ([value = null], { at }) => {
      const converted = typeOf(value) === to ? value : convert(value, at)
      if (converted !== undefined) return converted
      // Without the value: what went wrong is shown to people who may not see it.
      throw new CelStop(`cannot make a ${to} of this ${typeOf(value)}`, at)
    },
  }
}

const toInt: Conversion = (value, at) => {
  if (typeof value === "number" && Number.isFinite(value)) {
    return checkedInt(BigInt(Math.trunc(value)), at)
  }
  if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) return checkedInt(BigInt(value), at)
  return undefined
}

const toDouble: Conversion = (value) => {
  if (typeof value === "bigint") return Number(value)
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}

const toText: Conversion = (value) =>
  isList(value) || isMap(value) || value === null ? undefined : String(value)

const toBool: Conversion = (value) =>
  value === "true" ? true : value === "false" ? false : undefined

/** Called as f(x). */
export const functions: Readonly<Record<string, CelFunction>> = {
  size,
  int: conversion("int", toInt),
  double: conversion("double", toDouble),
  string: conversion("string", toText),
  bool: conversion("bool", toBool),
  dyn: { arity: 1, apply: ([value = null]) => value },
}

/** Called as x.f(y). */
export const methods: Readonly<Record<string, CelFunction>> = {
  size,
  startsWith: ofTexts("startsWith", (left, right) => left.startsWith(right)),
  endsWith: ofTexts("endsWith", (left, right) => left.endsWith(right)),
  contains: ofTexts("contains", (left, right, { run, at }) => {
    run.charge((left.length * right.length) >> 12, at)
    return left.includes(right)
  }),
  matches: ofTexts("matches", (left, right, { run, at }) => {
    run.charge((left.length * right.length) >> 3, at)
    return patternOf(right, at).matcher(left).find()
  }),
  lowerAscii: ofText("lowerAscii", (value) => value.replace(/[A-Z]+/g, (it) => it.toLowerCase())),
  upperAscii: ofText("upperAscii", (value) => value.replace(/[a-z]+/g, (it) => it.toUpperCase())),
  trim: ofText("trim", (value) => value.trim()),
  split: ofTexts("split", (left, right, { run, at }) => {
    const parts = left.split(right)
    run.charge(parts.length, at)
    return makeList(parts)
  }),
  join: {
    arity: 2,
    apply: ([list = null, separator = ""], call) => {
      if (!isList(list)) throw new CelStop(`no such overload: join of ${typeOf(list)}`, call.at)
      const between = text("join", separator, call)
      const parts = list.map((_, index) => {
        const part = text("join", itemOf(list, index), call)
        call.run.charge(textCost(part) + textCost(between) + 1, call.at)
        return part
      })
      const length = parts.reduce((sum, part) => sum + part.length + between.length, 0)
      if (length > 1 << 20) throw new CelStop("the text is too long", call.at, true)
      return parts.join(between)
    },
  },
}
