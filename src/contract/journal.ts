// The journal: a hash chain per loop of everything that was done, held, refused or would have been
// done, with the inputs that guards judged by.

import type { JsonObject } from "../base/json.ts"
import type { Action, FieldChange, FieldJudgement, Verb } from "./action.ts"
import type { InvariantState } from "./invariant.ts"
import type { Reason, VerdictKind } from "./verdict.ts"

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
      /** How many they are, where not all of them are named. */
      readonly count?: number
      readonly reasons: readonly Reason[]
    }
  | {
      readonly type: "plan"
      readonly plan: string
      readonly phase: string
      readonly hash: string
      readonly note?: string
    }
  | {
      readonly type: "break-glass"
      readonly state: "broken" | "ended" | "expired"
      readonly until?: string
      /** How many things may be destroyed under it; at its end, how many were. */
      readonly deletes: number
      readonly reason: string
    }
  | { readonly type: "stop" | "resume"; readonly scope: string; readonly reason?: string }
  | {
      readonly type: "source"
      readonly state: string
      readonly revision?: string
      readonly note?: string
    }
  /** Observe mode: what would have been done, when that set changes. */
  | {
      readonly type: "would"
      readonly actions: readonly Action[]
      /** Which of them the guards would have kept back in mode Enforce, and why. */
      readonly kept?: readonly { readonly digest: string; readonly codes: readonly string[] }[]
    }
  | {
      readonly type: "checkpoint"
      readonly change: "created" | "deleted"
      readonly name: string
      /** Root over what is pinned. */
      readonly root: string
      readonly objects: number
      readonly revision?: string
      readonly reason?: string
    }
  | {
      readonly type: "rollback"
      /** asked: by a person; ended: the source moved on, or a person lifted it. */
      readonly state: "asked" | "ended"
      readonly checkpoint: string
      /** The quarantined revision; missing for a loop without a source. */
      readonly revision?: string
      readonly reason?: string
    }
  /** A looser limit, policy or protection that a person let into force. */
  | {
      readonly type: "loosened"
      readonly subject: string
      readonly changes: readonly FieldChange[]
    }
  | {
      readonly type: "release" | "adopted" | "orphaned" | "forgotten" | "moved" | "detached"
      readonly object: string
      readonly note?: string
      readonly target?: string
      readonly externalId?: string
      /** What a person gave as the reason. */
      readonly reason?: string
    }
  | {
      readonly type: "invariant"
      readonly name: string
      readonly state: InvariantState
      readonly note?: string
    }
  | {
      readonly type: "round"
      readonly inputs: RoundInputs
      readonly verdicts: readonly RoundVerdict[]
    }
  | StatesEvent
  /** In the journal `plane`: between stop and start nothing was observed. */
  | { readonly type: "plane"; readonly state: "start" | "stop"; readonly epoch: number }
  /** Entries of closed segments that were older than is kept; the anchor stays. */
  | {
      readonly type: "dropped"
      readonly from: number
      readonly to: number
      /** Hash of the anchor that covers the last of them. */
      readonly anchor: string
    }

/**
 * What guards judged by, so that it can be judged again with other limits. Written for rounds of
 * loops in Propose and Enforce, and for sets of deletes, with at least one action that is limited,
 * destroys something, or was held, denied or made to wait, unless the same was written before.
 */
export interface RoundInputs {
  /** A round of proposals, or a set of deletes that was judged before anything was marked. */
  readonly set: "round" | "deletes"
  /** The loop's spec in force, without its source. */
  readonly spec: JsonObject
  readonly inventory: number
  readonly baseline: number
  readonly deletesUsed: number
  readonly changesUsed: number
  readonly restored: boolean
  /** Everything else that guards were told of the round, as far as it was not empty. */
  readonly facts?: JsonObject
  /** The first thousand; `counts` is over all. */
  readonly actions: readonly RoundAction[]
  readonly counts: {
    readonly actions: number
    readonly verbs: Readonly<Record<string, number>>
    readonly verdicts: Readonly<Record<string, number>>
  }
}

export interface RoundAction {
  readonly uid: string
  /** Missing in a set of deletes: those actions are made when they are held or performed. */
  readonly digest?: string
  readonly object: string
  readonly kind: string
  readonly verb: Verb
  /** How many things it destroys, by effect. */
  readonly destroys: number
  readonly limitedChange: boolean
  readonly approved: boolean
  readonly granted: "yes" | "changed" | "no"
  readonly fresh: boolean
  /** Fields that would change, and why: the first twenty. */
  readonly fields?: readonly { readonly path: string; readonly why: FieldJudgement }[]
  readonly adoptDeclared?: true
  readonly flapping?: readonly string[]
  readonly rejectedBy?: string
  readonly protectedBy?: string
}

export interface RoundVerdict {
  /** The action's; missing where one verdict is for the whole set. */
  readonly digest?: string
  readonly kind: VerdictKind
  readonly codes: readonly string[]
}

/**
 * Objects that left the declared state or came back to it, at most once a second per loop. One that
 * is in `out` and in `in` was out for less than that.
 */
export interface StatesEvent {
  readonly type: "states"
  readonly out?: readonly {
    readonly object: string
    readonly state: string
    readonly reason: string
    /** What it was before, when that was not the declared state; `new`: it never was in it. */
    readonly was?: "out" | "unknown" | "new"
  }[]
  readonly in?: readonly string[]
  /** In the declared state for the first time. */
  readonly first?: readonly string[]
  /** Deleted or let go while they were out. */
  readonly gone?: readonly string[]
  /** Kinds that can't be listed from now on, and those that can again; a start sees all anew. */
  readonly blind?: readonly string[]
  readonly seen?: readonly string[]
}

export interface JournalEntry {
  readonly format: 1
  readonly loop: string
  readonly sequence: number
  /** RFC 3339; for people. The sequence is the order. */
  readonly time: string
  readonly principal: string
  /** Revision of the loop's source that was in force; missing where it has none. */
  readonly revision?: string
  readonly event: JournalEvent
  /** Hash of the entry before this one; "" for the first. */
  readonly previous: string
  readonly hash: string
}

/** What a closed segment leaves for ever: `/ledger/anchors/LOOP/TO`, in its last entry's commit. */
export interface JournalAnchor {
  readonly format: 1
  readonly loop: string
  /** First and last sequence of the segment. */
  readonly from: number
  readonly to: number
  /** Hash of the segment's last entry: whoever has it can check all entries before it. */
  readonly lastHash: string
  /** RFC 3339, of the last entry. */
  readonly time: string
  /** Hash of the anchor before this one; "" for the first. */
  readonly previousAnchorHash: string
  readonly hash: string
}
