// The functions of the expression language: pure, each charged by the size of what it reads.
// Patterns are RE2: linear in the text whatever they are.

import { type CelCall, type CelFunction, type CelFunctions, patternOf } from "./cel-function.ts"
import { authzMethods } from "./cel-functions-authz.ts"
import { kubeFunctions, kubeMethods } from "./cel-functions-kube.ts"
import { listFunctions, listMethods } from "./cel-functions-list.ts"
import { textFunctions, textMethods } from "./cel-functions-text.ts"
import { timeFunctions, timeMethods } from "./cel-functions-time.ts"
import { isOpaque, makeBytes, makeType, makeUint, uintMax } from "./cel-opaque.ts"
import { checkedInt } from "./cel-operators.ts"
import { CelStop } from "./cel-run.ts"
import { durationText, timestampText } from "./cel-time.ts"
import {
  type CelType,
  type CelValue,
  isList,
  isMap,
  itemOf,
  keysOf,
  textCost,
  typeOf,
} from "./cel-value.ts"

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
    if (isOpaque(value, "bytes")) return BigInt((value.data as Uint8Array).length)
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
  if (isOpaque(value, "uint")) return checkedInt(value.data as bigint, at)
  if (isOpaque(value, "timestamp")) return (value.data as bigint) / 1_000_000_000n
  if (isOpaque(value, "duration")) return value.data as bigint
  if (typeof value === "number" && Number.isFinite(value)) {
    return checkedInt(BigInt(Math.trunc(value)), at)
  }
  if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) return checkedInt(BigInt(value), at)
  return undefined
}

const toUint: Conversion = (value, at) => {
  const whole = typeof value === "bigint" ? value : toInt(value, at)
  if (typeof whole !== "bigint") return undefined
  if (whole < 0n || whole > uintMax) throw new CelStop("the number does not fit a uint", at)
  return makeUint(whole)
}

const toBytes: Conversion = (value) =>
  typeof value === "string" ? makeBytes(Buffer.from(value, "utf8")) : undefined

const toDouble: Conversion = (value) => {
  if (isOpaque(value, "uint")) return Number(value.data as bigint)
  if (typeof value === "bigint") return Number(value)
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}

const toText: Conversion = (value, at) => {
  if (isOpaque(value)) {
    if (value.kind === "timestamp") return timestampText(value.data as bigint)
    if (value.kind === "duration") return durationText(value.data as bigint)
    if (value.kind !== "bytes") return value.identity
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(value.data as Uint8Array)
    } catch {
      throw new CelStop("the bytes are no text", at)
    }
  }
  return isList(value) || isMap(value) || value === null ? undefined : String(value)
}

const toBool: Conversion = (value) =>
  value === "true" ? true : value === "false" ? false : undefined

/** Called as f(x). */
export const functions: CelFunctions = {
  ...textFunctions,
  ...listFunctions,
  ...timeFunctions,
  ...kubeFunctions,
  size,
  uint: conversion("uint", toUint),
  bytes: conversion("bytes", toBytes),
  type: { arity: 1, apply: ([value = null]) => makeType(typeName(value)) },
  int: conversion("int", toInt),
  double: conversion("double", toDouble),
  string: conversion("string", toText),
  bool: conversion("bool", toBool),
  dyn: { arity: 1, apply: ([value = null]) => value },
}

const typeNames: Readonly<Partial<Record<CelType, string>>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
}

const typeName = (value: CelValue): string => typeNames[typeOf(value)] ?? typeOf(value)

const matches = ofTexts("matches", (left, right, { run, at }) => {
  run.charge((left.length * right.length) >> 5, at)
  return patternOf(right, at).matcher(left).find()
})

/** Called as x.f(y). */
export const methods: CelFunctions = {
  ...textMethods,
  ...listMethods,
  ...timeMethods,
  ...kubeMethods,
  ...authzMethods,
  size,
  startsWith: ofTexts("startsWith", (left, right) => left.startsWith(right)),
  endsWith: ofTexts("endsWith", (left, right) => left.endsWith(right)),
  contains: ofTexts("contains", (left, right, { run, at }) => {
    run.charge((left.length * right.length) >> 12, at)
    return left.includes(right)
  }),
  matches,
  lowerAscii: ofText("lowerAscii", (value) => value.replace(/[A-Z]+/g, (it) => it.toLowerCase())),
  upperAscii: ofText("upperAscii", (value) => value.replace(/[a-z]+/g, (it) => it.toUpperCase())),
  trim: ofText("trim", (value) => value.trim()),
  join: {
    arity: [1, 2],
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
