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

export type SourceSnapshot =
  | {
      readonly kind: "complete"
      /** Content hash (directory) or commit id (git). */
      readonly revision: string
      readonly manifests: readonly Manifest[]
    }
  /** Read, but not valid as a whole: the last good revision is kept. */
  | { readonly kind: "invalid"; readonly issues: readonly SourceIssue[] }
  /** Could not be read, or not all of it. */
  | { readonly kind: "unreadable"; readonly issues: readonly SourceIssue[] }

export interface Source {
  read(signal: AbortSignal): Promise<SourceSnapshot>
  /** A hint that the source may have changed. */
  watch(changed: () => void): Closeable
  readonly description: string
}

/** "site/a.yaml:3:7" */
export function positionText(position: Position): string {
  return `${position.file}:${position.line}:${position.column}`
}
