// The shapes of what the plane's views answer, as far as the tests look at them.

import type { JournalEntry } from "../../../src/contract/journal.ts"

export interface LoopView {
  readonly id: string
  readonly source?: {
    readonly state: string
    readonly objects?: number
    readonly revision?: string
    readonly issues?: readonly string[]
  }
  readonly objects: number
  readonly converged: number
  readonly inventory: number
  readonly states: Readonly<Record<string, number>>
  readonly oldest?: { readonly object: string; readonly state: string; readonly message: string }
  readonly plan?: { readonly name: string; readonly actions: number }
  readonly doubts: readonly string[]
  /** The checkpoint of what it last converged to; null before. */
  readonly lastGood: object | null
  readonly lastRound?: { readonly verdicts: string }
}

export interface StatusView {
  readonly plane: string
  readonly epoch: number
  readonly revision: number
  readonly stops: readonly { readonly loop: string; readonly scope: string; readonly by: string }[]
  readonly inFlight: number
  readonly connections: readonly unknown[]
  readonly loops: readonly LoopView[]
}

export interface HistoryView {
  readonly entries: readonly JournalEntry[]
}

export interface PlanView {
  readonly name: string
  readonly loop: string
  readonly hash: string
  readonly phase: string
  readonly note?: string
  readonly summary: string
  readonly actionCount: number
  readonly done: number
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
}

export interface InFlightView {
  readonly calls: readonly {
    readonly object: string
    readonly call: string
    readonly outcome: string
  }[]
}
