// Invariant objects to what is evaluated: the spec, its compiled expression, how a result reads.

import { parseDuration } from "../base/clock.ts"
import { isArray, isObject, type Json } from "../base/json.ts"
import {
  type InvariantSpec,
  invariantVariables,
  type SignalReading,
} from "../contract/invariant.ts"
import { loopId } from "../contract/loop.ts"
import type { Checked } from "../guard/judge-invariant.ts"
import type { ApiObject } from "../object/object.ts"
import {
  type CelExpression,
  type CelValue,
  compileCel,
  problemText,
} from "../schema/cel/compile-cel.ts"

/** A target as an expression sees it. */
export interface StateObject {
  readonly uid: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The facts, in the shape of the spec. */
  readonly spec: Json
}

export interface CompiledInvariant {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly generation: number
  /** Id of its loop. */
  readonly loop: string
  readonly spec: InvariantSpec
  /** What stops it from being evaluated at all. */
  readonly problem?: string
  evaluate(
    objects: readonly StateObject[],
    signals: ReadonlyMap<string, SignalReading | undefined>,
  ): Checked
}

const texts = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((one) => typeof one === "string") : []

/** The API checked the shape when it was written. */
export function invariantSpecOf({ spec = {} }: ApiObject): InvariantSpec {
  const { loop, expression, onBroken, correction, message } = spec
  const over = texts(spec.over).filter((one) => one === "Observed" || one === "Predicted")
  return {
    loop: String(loop ?? ""),
    expression: String(expression ?? ""),
    kinds: texts(spec.kinds),
    over: over.length === 0 ? ["Observed", "Predicted"] : over,
    signals: texts(spec.signals),
    forMs: parseDuration(String(spec.for ?? "")) ?? 5000,
    onBroken: onBroken === "StopLoop" || onBroken === "StopDeletes" ? onBroken : "Report",
    ...(typeof message === "string" ? { message } : {}),
    ...(isObject(correction) ? { correction: correctionOf(correction) } : {}),
  }
}

function correctionOf({
  apiVersion,
  kind,
  name,
  spec,
}: Readonly<Record<string, Json | undefined>>) {
  return {
    apiVersion: String(apiVersion ?? ""),
    kind: String(kind ?? ""),
    name: String(name ?? ""),
    spec: isObject(spec) ? spec : {},
  }
}

export function compileInvariant(object: ApiObject): CompiledInvariant {
  const spec = invariantSpecOf(object)
  const { namespace = "", name, uid = "", generation = 0 } = object.metadata
  const loop = loopId(namespace, spec.loop)
  const identity = { namespace, name, uid, generation, loop, spec }
  const compiled = compileCel(spec.expression, { variables: invariantVariables, type: "bool" })
  if (compiled.kind === "problem") {
    const problem = problemText(compiled.problem, spec.expression)
    return { ...identity, problem, evaluate: () => ({ kind: "unknown", cause: problem }) }
  }
  const { expression } = compiled
  return {
    ...identity,
    evaluate: (objects, signals) => evaluate(expression, objects, signals),
  }
}

function evaluate(
  expression: CelExpression,
  objects: readonly StateObject[],
  signals: ReadonlyMap<string, SignalReading | undefined>,
): Checked {
  const readings = new Map<string, CelValue>()
  for (const [name, reading] of signals) {
    if (reading === undefined) return { kind: "unknown", cause: `signal ${name} has no value` }
    if (reading.stale) return { kind: "unknown", cause: `signal ${name} is stale` }
    const { value, ageSeconds, state } = reading
    readings.set(name, new Map<string, CelValue>(Object.entries({ value, ageSeconds, state })))
  }
  const result = expression.evaluate({ objects, signals: readings })
  if (result.kind === "error") {
    return { kind: "unknown", cause: problemText(result.problem, expression.source) }
  }
  if (result.value === true) return { kind: "holds" }
  const witnesses = result.witnesses.filter(isStateObject)
  return {
    kind: "broken",
    failing: result.failing ? witnesses.map(({ uid }) => uid) : [],
    evidence: witnesses.map(({ kind, name }) => `${kind} ${name}`),
  }
}

function isStateObject(value: unknown): value is StateObject {
  return typeof value === "object" && value !== null && "uid" in value && "kind" in value
}
