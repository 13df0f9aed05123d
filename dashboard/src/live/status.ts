// The shapes of /setpoint/v1/status and of what it shows, as far as the pages use them.

import { computed, type ReadonlySignal } from "@preact/signals"
import { openView, statusPath, type View } from "./view.ts"

export interface StopView {
  readonly loop: string
  readonly provider?: string
  readonly object?: string
  readonly scope: "all" | "deletes"
  readonly by: string
  readonly at: string
  readonly until?: string
  readonly reason?: string
  readonly text: string
  readonly resume: string
}

export interface SourceView {
  readonly state: "reading" | "good" | "invalid" | "unreadable" | (string & {})
  readonly revision?: string
  readonly objects?: number
  readonly kept?: { readonly objects: number; readonly why: string }
  readonly lastGoodRevision?: string | null
  readonly issues?: readonly string[]
  readonly hint?: string | null
}

export interface OldestView {
  readonly object: string
  readonly state: string
  readonly reason: string
  readonly message: string
  readonly since: string
  readonly class?: string
  readonly next?: string
}

export interface RoundView {
  readonly time: string
  readonly counts: Readonly<Record<string, number>>
  readonly verdicts: string
}

export interface LoopView {
  readonly id: string
  readonly mode: "Observe" | "Propose" | "Enforce"
  readonly intervalMs: number
  readonly source?: SourceView
  readonly sourceDescription?: string
  readonly objects: number
  readonly converged: number
  readonly inventory: number
  readonly states: Readonly<Record<string, number>>
  readonly classes: Readonly<Record<string, number>>
  readonly orphans: number
  readonly oldest?: OldestView
  readonly rollback?: { readonly text?: string; readonly checkpoint?: string } | null
  readonly lastGood?: {
    readonly created: string
    readonly revision?: string
    readonly objects: number
  } | null
  readonly plan?: { readonly name: string; readonly actions: number }
  readonly deletes: { readonly used: number; readonly allowed: number }
  readonly changes: { readonly used: number; readonly allowed: number }
  readonly doubts: readonly string[]
  readonly invariants: readonly {
    readonly name: string
    readonly state: string
    readonly message?: string
  }[]
  readonly lastRound?: RoundView
}

export interface ConnectionTrouble {
  readonly connection: string
  readonly breaker: { readonly state: string }
}

export interface StatusView {
  readonly plane: string
  readonly epoch: number
  readonly revision: number
  readonly stops: readonly StopView[]
  readonly breakGlass: readonly { readonly loop: string; readonly text?: string }[]
  readonly inFlight: number
  readonly queue: { readonly depth: number; readonly oldestMs: number }
  readonly connections: readonly ConnectionTrouble[]
  readonly loops: readonly LoopView[]
}

let opened:
  | { readonly view: ReadonlySignal<View<StatusView>>; refresh(): Promise<void> }
  | undefined

/** Read once a second for as long as the page is open: header, stop and overview show it. */
export function planeStatus(): ReadonlySignal<View<StatusView>> {
  opened ??= openView<StatusView>(statusPath)
  return opened.view
}

export const loops = computed(() => planeStatus().value.data?.loops ?? [])
export const stops = computed(() => planeStatus().value.data?.stops ?? [])
