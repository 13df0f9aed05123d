// Invariants and signals as the engine works with them: what must be true of a loop's targets, and
// the numbers it may depend on.

import type { Json, JsonObject } from "../base/json.ts"

export type InvariantState = "Holding" | "Broken" | "Unknown"

export interface Correction {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly spec: JsonObject
}

export interface InvariantSpec {
  /** Name of a loop in the invariant's namespace. */
  readonly loop: string
  readonly expression: string
  /** Kinds whose targets the expression sees as `objects`; none = it is about signals only. */
  readonly kinds: readonly string[]
  readonly over: readonly ("Observed" | "Predicted")[]
  readonly signals: readonly string[]
  readonly onBroken: "Report" | "StopDeletes" | "StopLoop"
  /** So long it must be broken, or unknown, before that is told and answered. */
  readonly forMs: number
  readonly correction?: Correction
  readonly message?: string
}

/** What an expression is evaluated over; the types are those of CEL. */
export const invariantVariables = {
  objects: "list<dyn>",
  signals: "map<string, dyn>",
} as const

export interface Threshold {
  readonly above?: number
  readonly below?: number
}

export type Probe =
  | {
      readonly kind: "http"
      readonly url: string
      readonly read: string
      readonly expectStatus?: number
    }
  | { readonly kind: "prometheus"; readonly url: string; readonly query: string }
  | { readonly kind: "sql"; readonly connection: string; readonly query: string }
  | {
      readonly kind: "command"
      readonly argv: readonly string[]
      readonly read: "exitCode" | "stdout"
    }
  | {
      readonly kind: "log"
      readonly path: string
      readonly pattern: string
      readonly windowMs: number
    }

export interface SignalSpec {
  readonly probe: Probe
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly staleAfterMs: number
  readonly breach: Threshold
  readonly clear: Threshold
  readonly for: number
}

export type SignalState = "Ok" | "Breached"

/** The last good reading, as an invariant sees it. */
export interface SignalReading {
  readonly value: number
  readonly ageSeconds: number
  readonly state: SignalState
  readonly stale: boolean
}

export const probeKinds = ["http", "prometheus", "sql", "command", "log"] as const

/** A number, or a text that is one; undefined for anything else. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === "boolean") return Number(value)
  const number =
    typeof value === "string" && value.trim() !== "" && value.length < 100 ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}
