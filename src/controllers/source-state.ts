// How a loop's source stands: being read, good, or why it can't be used; and what the loop keeps
// meanwhile.

import { positionText, type RevisionOrigin, type SourceIssue } from "../contract/source.ts"
import type { Placement } from "./placed-manifests.ts"

export type SourceState =
  | { readonly kind: "reading" }
  | {
      readonly kind: "good"
      readonly revision: string
      readonly objects: number
      readonly origin?: RevisionOrigin
      /** Declared no more and kept all the same, since a guard denies their deletes. */
      readonly kept?: KeptObjects
    }
  | {
      readonly kind: "invalid" | "unreadable"
      readonly issues: readonly SourceIssue[]
      readonly lastGood: string | undefined
      /** Which revision was refused, where that is known. */
      readonly refused?: string
    }

export interface KeptObjects {
  readonly keys: ReadonlySet<string>
  readonly why: string
}

/** What the loop keeps now, as it was declared. */
export interface InForce {
  readonly placement: Placement
  /** The revision that declared it; of the checkpoint while a rollback stands. */
  readonly revision: string | undefined
}

export function issueText(issue: SourceIssue): string {
  const place = issue.position === undefined ? "" : `${positionText(issue.position)}: `
  return `${place}${issue.message}`
}
