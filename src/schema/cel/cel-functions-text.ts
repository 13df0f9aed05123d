// Functions of text beyond the core: those of CEL's string extension and Kubernetes' regex library.
// Places are counted in code points, as CEL has it.

import { formatText } from "./cel-format.ts"
import {
  type CelCall,
  type CelFunction,
  type CelFunctions,
  intArg,
  listArg,
  noOverload,
  patternOf,
  textArg,
} from "./cel-function.ts"
import { lastPlaceInList, placeInList, reversedList } from "./cel-functions-list.ts"
import { CelStop } from "./cel-run.ts"
import { type CelValue, isList, makeList } from "./cel-value.ts"

const resultMax = 1 << 20

function bounded(text: string, { at }: CelCall): string {
  if (text.length > resultMax) throw new CelStop("the text is too long", at, true)
  return text
}

function place(index: number, points: readonly string[], { at }: CelCall): number {
  if (index < 0 || index > points.length) throw new CelStop(`index out of range: ${index}`, at)
  return index
}

/** Where one run of code points begins in another; -1 when nowhere. */
function find(points: readonly string[], wanted: readonly string[], from: number, step: 1 | -1) {
  const last = points.length - wanted.length
  for (let start = Math.min(from, last); start >= 0 && start <= last; start += step) {
    if (wanted.every((point, index) => points[start + index] === point)) return start
  }
  return -1
}

const indexOf: CelFunction = {
  arity: [2, 3],
  apply: (values, call) => {
    const [target, wanted, from] = values
    if (target !== undefined && isList(target)) return placeInList(values, call)
    const points = [...textArg("indexOf", target, call)]
    const sought = [...textArg("indexOf", wanted, call)]
    call.run.charge((points.length * sought.length) >> 6, call.at)
    const start = from === undefined ? 0 : place(intArg("indexOf", from, call), points, call)
    return BigInt(start + sought.length > points.length ? -1 : find(points, sought, start, 1))
  },
}

const lastIndexOf: CelFunction = {
  arity: [2, 3],
  apply: (values, call) => {
    const [target, wanted, from] = values
    if (target !== undefined && isList(target)) return lastPlaceInList(values, call)
    const points = [...textArg("lastIndexOf", target, call)]
    const sought = [...textArg("lastIndexOf", wanted, call)]
    call.run.charge((points.length * sought.length) >> 6, call.at)
    const end = from === undefined ? points.length : intArg("lastIndexOf", from, call)
    return BigInt(find(points, sought, place(end, points, call), -1))
  },
}

const substring: CelFunction = {
  arity: [2, 3],
  apply: ([value, from, to], call) => {
    const points = [...textArg("substring", value, call)]
    const start = place(intArg("substring", from, call), points, call)
    const end =
      to === undefined ? points.length : place(intArg("substring", to, call), points, call)
    if (start > end) {
      throw new CelStop(`invalid substring range. start: ${start}, end: ${end}`, call.at)
    }
    return points.slice(start, end).join("")
  },
}

const split: CelFunction = {
  arity: [2, 3],
  apply: ([value, separator, limit], call) => {
    const text = textArg("split", value, call)
    const between = textArg("split", separator, call)
    const parts = between === "" ? [...text] : text.split(between)
    call.run.charge(parts.length, call.at)
    const most = limit === undefined ? -1 : intArg("split", limit, call)
    if (most < 0 || parts.length <= most) return makeList(parts)
    if (most === 0) return makeList([])
    return makeList([...parts.slice(0, most - 1), parts.slice(most - 1).join(between)])
  },
}

const replace: CelFunction = {
  arity: [3, 4],
  apply: ([value, old, fresh, limit], call) => {
    const text = textArg("replace", value, call)
    const [before, after] = [textArg("replace", old, call), textArg("replace", fresh, call)]
    const most = limit === undefined ? -1 : intArg("replace", limit, call)
    const parts = text.split(before)
    call.run.charge(parts.length, call.at)
    if (parts.length * after.length > resultMax) {
      throw new CelStop("the text is too long", call.at, true)
    }
    if (most < 0 || most >= parts.length - 1) return parts.join(after)
    return [parts.slice(0, most + 1).join(after), ...parts.slice(most + 1)].join(before)
  },
}

const charAt: CelFunction = {
  arity: 2,
  apply: ([value, at], call) => {
    const points = [...textArg("charAt", value, call)]
    return points[place(intArg("charAt", at, call), points, call)] ?? ""
  },
}

const reverse: CelFunction = {
  arity: 1,
  apply: ([value], call) => {
    if (value !== undefined && isList(value)) return reversedList(value, call)
    return [...textArg("reverse", value, call)].reverse().join("")
  },
}

const findOne: CelFunction = {
  arity: 2,
  apply: ([value, pattern], call) => found(value, pattern, 1, call)[0] ?? "",
}

const findAll: CelFunction = {
  arity: [2, 3],
  apply: ([value, pattern, limit], call) => {
    const most = limit === undefined ? -1 : intArg("findAll", limit, call)
    return makeList(found(value, pattern, most < 0 ? Number.MAX_SAFE_INTEGER : most, call))
  },
}

function found(
  value: CelValue | undefined,
  pattern: CelValue | undefined,
  most: number,
  call: CelCall,
): string[] {
  const text = textArg("find", value, call)
  const source = textArg("find", pattern, call)
  call.run.charge((text.length * source.length) >> 5, call.at)
  const matcher = patternOf(source, call.at).matcher(text)
  const parts: string[] = []
  while (parts.length < most && matcher.find()) {
    call.run.charge(1, call.at)
    parts.push(matcher.group() ?? "")
  }
  return parts
}

const quotes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
}

const quote: CelFunction = {
  arity: 1,
  apply: ([value], call) => {
    const text = textArg("strings.quote", value, call)
    return `"${[...text].map((point) => quotes[point] ?? point).join("")}"`
  },
}

const format: CelFunction = {
  arity: 2,
  apply: ([value, list], call) => {
    const text = textArg("format", value, call)
    return bounded(formatText(text, listArg("format", list, call), call), call)
  },
}

const matches: CelFunction = {
  arity: 2,
  apply: ([value, pattern], call) => {
    if (typeof value !== "string") throw noOverload("matches", value, call)
    return found(value, pattern, 1, call).length > 0
  },
}

export const textFunctions: CelFunctions = { "strings.quote": quote, matches }

export const textMethods: CelFunctions = {
  charAt,
  indexOf,
  lastIndexOf,
  substring,
  split,
  replace,
  reverse,
  find: findOne,
  findAll,
  format,
}
