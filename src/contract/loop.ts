// The Loop object: one bounded domain with source, mode and limits; the blast-radius scope.

import type { GitSourceSpec } from "./git-source.ts"

export type Mode = "Observe" | "Propose" | "Enforce"

export interface LoopLimits {
  readonly deletes: number
  readonly deletesPercent: number
  readonly changes: number
  /** Milliseconds. */
  readonly windowMs: number
  /** A revision of the source that declares fewer than this share of the last one holds. */
  readonly shrinkPercent: number
}

/** A limit from a GuardPolicy: it counts besides the loop's own, and no loop can loosen it. */
export interface LimitFloor {
  /** Name of the policy. */
  readonly by: string
  readonly limits: LoopLimits
  /** Counts the deletes of all loops together. */
  readonly everywhere: boolean
}

export type OnDrift = "Correct" | "Report" | "Hold"
export type OnConflict = "Hold" | "DeclaredWins" | "ObservedWins"

/** What one field, and everything below it, does instead of what the loop says. */
export interface PathPolicy {
  /** As in a difference: `content`, `labels`, `rules[name="ssh"].port`. */
  readonly path: string
  readonly onDrift?: OnDrift
  readonly onConflict?: OnConflict
}

/** When acting is allowed (Open), or not although it would be (Freeze). */
export interface TimeWindow {
  readonly kind: "Open" | "Freeze"
  /** Five cron fields: when it begins. */
  readonly schedule: string
  readonly durationMs: number
  /** IANA name; "UTC" when none is given. */
  readonly timeZone: string
}

export interface ApprovalRules {
  /** So many different people. */
  readonly required: number
  /** Who asked for a change may not approve it. */
  readonly separateAuthor: boolean
  /** Who may approve; anyone who is human when empty. */
  readonly approvers: readonly string[]
  /** A plan that nobody decided on ends after this. */
  readonly expiresAfterMs: number
}

export interface DirectorySourceSpec {
  readonly path: string
  /** Where bases of overlays may lie besides the folder itself, which lies in it. */
  readonly root?: string
}

/** Only revisions are taken that another loop of the same repository held converged. */
export interface PromotionSpec {
  /** Id of the other loop. */
  readonly from: string
  /** For so many clean rounds. */
  readonly cleanRounds: number
}

/** One of directory and git. */
export interface LoopSource {
  readonly directory?: DirectorySourceSpec
  readonly git?: GitSourceSpec
  readonly promotion?: PromotionSpec
}

export interface LoopSpec {
  readonly source?: LoopSource
  readonly mode: Mode
  readonly intervalMs: number
  readonly limits: LoopLimits
  readonly onEmpty: "Hold" | "Allow"
  readonly onDrift: OnDrift
  readonly onConflict: OnConflict
  /** Every target of a kind gone at once is evidence against the observer. */
  readonly onVanish: "Hold" | "Correct"
  readonly paths: readonly PathPolicy[]
  readonly windows: readonly TimeWindow[]
  readonly approvals: ApprovalRules
  /** So many clean rounds in mode Observe before a person may promote the loop. */
  readonly cleanRounds: number
  /** Deletes wait when the source could not be read for longer than this. */
  readonly sourceMaxAgeMs: number
  /** A marked object that is not gone after this needs someone. */
  readonly deletionDeadlineMs: number
  /** From policies: limits besides its own, and kinds whose destruction always waits. */
  readonly floors: readonly LimitFloor[]
  readonly protectedKinds: readonly string[]
}

/** `default.site`: how labels, journals and plans name a loop. */
export function loopId(namespace: string, name: string): string {
  return `${namespace}.${name}`
}

export function parseLoopId(id: string): { namespace: string; name: string } {
  const dot = id.indexOf(".")
  return { namespace: id.slice(0, dot), name: id.slice(dot + 1) }
}
