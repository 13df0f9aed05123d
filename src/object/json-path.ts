// The part of kubectl's JSONPath that printer columns and selectable fields use: members, quoted
// members, indexes, `[*]`, and a filter by one compared member. Compiled once; a path that is not
// understood does not compile. Never evaluates code.

import { isArray, isObject, type Json } from "../base/json.ts"

type Step = (values: readonly Json[]) => Json[]

export interface JsonPath {
  /** Everything the path finds; empty when it finds nothing. */
  find(value: Json): readonly Json[]
}

const pathMax = 1000
const valuesMax = 10_000

const member = /^\.((?:\\.|[^.[\]\\\s])+)/
const quoted = /^\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/
const index = /^\[(-?\d{1,9})\]/
const every = /^(?:\[\*\]|\.\*)/
const operand = /((?:\.(?:\\.|[^.[\]\\\s=!<>])+)+)/
const literal = /(?:'([^']*)'|"([^"]*)"|(true|false|-?\d+))/
const filter = new RegExp(
  String.raw`^\[\?\(\s*@${operand.source}\s*(==|!=)\s*${literal.source}\s*\)\]`,
)

/** Undefined when the text is no such path. `{.spec.x}` and `.spec.x` are both read. */
export function compileJsonPath(text: string): JsonPath | undefined {
  let rest = text.trim()
  if (rest.startsWith("{") && rest.endsWith("}")) rest = rest.slice(1, -1)
  if (rest.startsWith("$")) rest = rest.slice(1)
  if (rest.length > pathMax || !/^[.[]/.test(rest)) return undefined
  const steps: Step[] = []
  while (rest !== "" && rest !== ".") {
    const read = readStep(rest)
    if (read === undefined) return undefined
    steps.push(read.step)
    rest = rest.slice(read.length)
  }
  return {
    find(value) {
      let values: readonly Json[] = [value]
      for (const step of steps) values = step(values).slice(0, valuesMax)
      return values
    },
  }
}

function readStep(text: string): { step: Step; length: number } | undefined {
  const all = every.exec(text)
  if (all !== null) return { step: everyItem, length: all[0].length }
  const named = member.exec(text) ?? quoted.exec(text)
  if (named !== null) {
    return { step: memberStep(unescaped(named[1] ?? named[2] ?? "")), length: named[0].length }
  }
  const at = index.exec(text)
  if (at !== null) return { step: indexStep(Number(at[1])), length: at[0].length }
  const where = filter.exec(text)
  if (where === null) return undefined
  const [whole, path = "", operator, single, double, plain] = where
  const wanted = single ?? double ?? plain ?? ""
  const inner = compileJsonPath(path)
  if (inner === undefined) return undefined
  return { step: filterStep(inner, operator === "==", wanted), length: whole.length }
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, "$1")

function memberStep(name: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!isObject(value) || !Object.hasOwn(value, name)) return []
      const found = value[name]
      return found === undefined ? [] : [found]
    })
}

function indexStep(at: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = isArray(value) ? value.at(at) : undefined
      return found === undefined ? [] : [found]
    })
}

const everyItem: Step = (values) =>
  values.flatMap((value) => {
    if (isArray(value)) return [...value]
    if (!isObject(value)) return []
    return Object.values(value).filter((item) => item !== undefined)
  })

function filterStep(path: JsonPath, equal: boolean, wanted: string): Step {
  const matches = (item: Json) => path.find(item).some((found) => String(found) === wanted)
  return (values) =>
    values.flatMap((value) =>
      isArray(value) ? value.filter((item) => matches(item) === equal) : [],
    )
}
