// What a compiled expression consists of: steps over variables, each of which may stop the run.

import { type CelRun, CelStop } from "./cel-run.ts"
import { type CelValue, typeOf } from "./cel-value.ts"

/** Variables by name; the innermost first. */
export interface CelScope {
  readonly name: string
  readonly value: CelValue
  readonly outer: CelScope | undefined
}

export type CelStep = (scope: CelScope | undefined, run: CelRun) => CelValue

export function truth(value: CelValue, at: number): boolean {
  if (typeof value === "boolean") return value
  throw new CelStop(`a bool is needed, not a ${typeOf(value)}`, at)
}

/** An error that another side may outweigh; a spent budget never is one. */
export function absorbed(error: unknown): CelStop {
  if (error instanceof CelStop && !error.fatal) return error
  throw error
}
