// How one pass over one object ended. Exactly four answers; reconcile/schedule.ts maps them to the
// queue and nothing else does.

import type { Fault } from "../base/faults.ts"

export type Outcome =
  /** Nothing to do; the level trigger looks again. */
  | { readonly kind: "settled" }
  /** Look again at a known time, or when the named thing happens. */
  | { readonly kind: "wait"; readonly reason: string; readonly afterMs?: number }
  /** Failed in a way that may pass: backoff. */
  | { readonly kind: "retry"; readonly fault: Fault }
  /** Needs a change by someone; no retry. */
  | { readonly kind: "stuck"; readonly fault: Fault }
