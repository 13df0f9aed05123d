// What a row of the fault corpus is.

import type { Protection } from "../../../src/base/protections.ts"

export interface CorpusRow {
  readonly id: string
  readonly fault: string
  /** What must hold all the same. */
  readonly holds: string
  /** The protection that the twin switches off, and the promise that is lost with it. */
  readonly proofs?: Readonly<Partial<Record<Protection, string>>>
  /** Why it, or a part of it, has no proof yet. */
  readonly notYet?: string
}

export interface CorpusSection {
  readonly title: string
  /** The test file beside these rows. */
  readonly file: string
  readonly rows: readonly CorpusRow[]
}
