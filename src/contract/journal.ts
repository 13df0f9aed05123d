// The journal: a hash chain per loop of everything that was done, held, refused or would have been
// done, with the inputs that guards judged by.

import type { Json, JsonObject } from "../base/json.ts"
import type { Action } from "./action.ts"
import type { Reason } from "./verdict.ts"

export type ReceiptResult = "done" | "failed" | "unknown"

export type JournalEvent =
  | { readonly type: "intent"; readonly intent: string; readonly actions: readonly Action[] }
  | {
      readonly type: "receipt"
      readonly intent: string
      readonly action: Action
      readonly result: ReceiptResult
      readonly error?: string
      readonly durationMs: number
    }
  | {
      readonly type: "held"
      readonly plan: string
      readonly hash: string
      readonly digests: readonly string[]
      readonly reasons: readonly Reason[]
    }
  | {
      readonly type: "plan"
      readonly plan: string
      readonly phase: string
      readonly hash: string
      readonly note?: string
    }
  | { readonly type: "stop" | "resume"; readonly scope: string; readonly reason?: string }
  | {
      readonly type: "source"
      readonly state: string
      readonly revision?: string
      readonly note?: string
    }
  /** Observe mode: what would have been done, when that set changes. */
  | { readonly type: "would"; readonly actions: readonly Action[] }
  | { readonly type: "release" | "adopted"; readonly object: string; readonly note?: string }
  | { readonly type: "round"; readonly inputs: JsonObject; readonly verdicts: Json }

export interface JournalEntry {
  readonly format: 1
  readonly loop: string
  readonly sequence: number
  /** RFC 3339; for people. The sequence is the order. */
  readonly time: string
  readonly principal: string
  readonly event: JournalEvent
  /** Hash of the entry before this one; "" for the first. */
  readonly previous: string
  readonly hash: string
}
