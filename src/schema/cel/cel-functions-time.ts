// Instants, spans and optionals: how they are made and read.

import {
  type CelCall,
  type CelFunction,
  type CelFunctions,
  dataArg,
  noOverload,
  textArg,
} from "./cel-function.ts"
import { isOpaque, makeDuration, makeOptional, makeTimestamp } from "./cel-opaque.ts"
import { CelStop } from "./cel-run.ts"
import { instantParts, parseDuration, parseTimestamp } from "./cel-time.ts"
import { type CelValue, isList, isMap, keysOf } from "./cel-value.ts"

const second = 1_000_000_000n

const made = (
  name: string,
  kind: "timestamp" | "duration",
  parse: (text: string) => bigint | undefined,
  ofInt: (value: bigint) => bigint,
): CelFunction => ({
  arity: 1,
  apply: ([value], call) => {
    if (isOpaque(value, kind)) return value
    const nanos = typeof value === "bigint" ? ofInt(value) : parse(textArg(name, value, call))
    if (nanos === undefined) throw new CelStop(`the text is no ${kind}`, call.at)
    return kind === "timestamp" ? makeTimestamp(nanos) : makeDuration(nanos)
  },
})

type Part = (date: Date, nanos: bigint) => number

const dayOfYear: Part = (date) => {
  const start = Date.UTC(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - start) / 86_400_000)
}

const parts: Readonly<Record<string, Part>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
}

const spans: Readonly<Record<string, bigint>> = {
  getHours: 3600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
  getMilliseconds: 1_000_000n,
}

function part(name: string, read: Part): CelFunction {
  return {
    arity: [1, 2],
    apply: ([value, zone], call) => {
      const span = spans[name]
      if (isOpaque(value, "duration") && span !== undefined && zone === undefined) {
        return (value.data as bigint) / span
      }
      const nanos = dataArg<bigint>(name, "timestamp", value, call)
      const date = instantParts(nanos, zone === undefined ? "UTC" : textArg(name, zone, call))
      if (date === undefined) throw new CelStop("the time zone is not known", call.at)
      return BigInt(read(date, nanos))
    },
  }
}

const optionalArg = (name: string, value: CelValue | undefined, call: CelCall) =>
  dataArg<CelValue | undefined>(name, "optional", value, call)

function isZero(value: CelValue): boolean {
  if (isList(value)) return value.length === 0
  if (isMap(value)) return keysOf(value).length === 0
  return value === null || value === false || value === 0n || value === 0 || value === ""
}

export const timeFunctions: CelFunctions = {
  timestamp: made("timestamp", "timestamp", parseTimestamp, (value) => value * second),
  duration: made("duration", "duration", parseDuration, (value) => value),
  "optional.of": { arity: 1, apply: ([value = null]) => makeOptional(value) },
  "optional.ofNonZeroValue": {
    arity: 1,
    apply: ([value = null]) => makeOptional(isZero(value) ? undefined : value),
  },
  "optional.none": { arity: 0, apply: () => makeOptional(undefined) },
}

export const timeMethods: CelFunctions = {
  ...Object.fromEntries(Object.entries(parts).map(([name, read]) => [name, part(name, read)])),
  hasValue: {
    arity: 1,
    apply: ([value], call) => optionalArg("hasValue", value, call) !== undefined,
  },
  value: {
    arity: 1,
    apply: ([value], call) => {
      const inner = optionalArg("value", value, call)
      if (inner === undefined) throw new CelStop("optional.none() dereference", call.at)
      return inner
    },
  },
  or: {
    arity: 2,
    apply: ([value, other], call) => {
      if (value === undefined || other === undefined) throw noOverload("or", value, call)
      return optionalArg("or", value, call) === undefined ? other : value
    },
  },
  orValue: {
    arity: 2,
    apply: ([value, other = null], call) => {
      const inner = optionalArg("orValue", value, call)
      return inner === undefined ? other : inner
    },
  },
}
