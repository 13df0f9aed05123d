// What a function of the expression language is, and the small readers of arguments that all of
// them share. Every function is pure and charges for the size of what it reads.

import { RE2JS } from "re2js"
import { isOpaque, type OpaqueKind } from "./cel-opaque.ts"
import { type CelRun, CelStop } from "./cel-run.ts"
import { type CelValue, isList, textCost, typeOf } from "./cel-value.ts"

export interface CelCall {
  readonly run: CelRun
  readonly at: number
}

export interface CelFunction {
  /** How many arguments, the receiver of a method included: exactly, or from and to. */
  readonly arity: number | readonly [number, number]
  apply(values: readonly CelValue[], call: CelCall): CelValue
}

export type CelFunctions = Readonly<Record<string, CelFunction>>

export function takes({ arity }: CelFunction, count: number): boolean {
  return typeof arity === "number" ? arity === count : count >= arity[0] && count <= arity[1]
}

export function noOverload(name: string, value: CelValue | undefined, { at }: CelCall): CelStop {
  return new CelStop(`no such overload: ${name} of ${typeOf(value ?? null)}`, at)
}

/** A text; reading it is charged. */
export function textArg(name: string, value: CelValue | undefined, call: CelCall): string {
  if (typeof value !== "string") throw noOverload(name, value, call)
  call.run.charge(textCost(value) + 1, call.at)
  return value
}

export function intArg(name: string, value: CelValue | undefined, call: CelCall): number {
  if (typeof value !== "bigint") throw noOverload(name, value, call)
  return Number(value)
}

export function listArg(
  name: string,
  value: CelValue | undefined,
  call: CelCall,
): readonly unknown[] {
  if (value === undefined || !isList(value)) throw noOverload(name, value, call)
  call.run.charge(value.length, call.at)
  return value
}

export function dataArg<T>(
  name: string,
  kind: OpaqueKind,
  value: CelValue | undefined,
  call: CelCall,
): T {
  if (!isOpaque(value, kind)) throw noOverload(name, value, call)
  return value.data as T
}

const patternMax = 1000
const patternsKept = 200
const patterns = new Map<string, RE2JS>()

/** Linear in the text, whatever the pattern is. */
export function patternOf(source: string, at: number): RE2JS {
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
