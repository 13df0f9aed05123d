// Where manifests come from. A source answers with a whole revision or with a reason why it has
// none; it never answers with a part.

import type { ApiObject } from "../object/object.ts"
import type { Closeable } from "./world.ts"

export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Manifest {
  readonly object: ApiObject
  readonly position: Position
  /** The position of the value at a path of member names and indexes, for schema errors. */
  locate(path: readonly (string | number)[]): Position
}

export interface SourceIssue {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly position?: Position
}

/** What a revision says of itself, for people; kept with the last revision that was taken. */
export interface RevisionOrigin {
  /** What the loop follows: "branch main", "semver 1.x". */
  readonly ref: string
  /** What that led to: "main", "v1.4.2". */
  readonly name: string
  /** First line of the commit's message; whatever its author wrote. */
  readonly subject: string
  readonly author: string
  /** Of the commit, as RFC 3339. */
  readonly time: string
  /** Whose signature counted. */
  readonly signer?: string
}

/** The last revision that a loop took over, rollbacks aside. */
export interface TakenRevision {
  readonly revision: string
  readonly origin?: RevisionOrigin
}

export type SourceSnapshot =
  | {
      readonly kind: "complete"
      /** Content hash (directory) or commit id (git). */
      readonly revision: string
      readonly manifests: readonly Manifest[]
      readonly origin?: RevisionOrigin
    }
  /** Read, but not valid as a whole: the last good revision is kept. */
  | {
      readonly kind: "invalid"
      readonly issues: readonly SourceIssue[]
      /** Which one was refused, where that is known. */
      readonly revision?: string
    }
  /** Could not be read, or not all of it. */
  | { readonly kind: "unreadable"; readonly issues: readonly SourceIssue[] }

export interface Source {
  read(signal: AbortSignal): Promise<SourceSnapshot>
  /**
   * One exact revision that the source had or has, judged by the same rules as the newest one.
   * Missing where the past can't be read again (a directory).
   */
  readAt?(revision: string, signal: AbortSignal): Promise<SourceSnapshot>
  /** A hint that the source may have changed. */
  watch(changed: () => void): Closeable
  /** Somebody says that it changed: the next read looks, however short ago the last one did. */
  poke?(): void
  readonly description: string
}

/** "site/a.yaml:3:7" */
export function positionText(position: Position): string {
  return `${position.file}:${position.line}:${position.column}`
}
