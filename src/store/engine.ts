// The engine port: durable, append-only rows and nothing else. The semantics above it (index,
// checks, watches, leases, compaction) are the same for every engine. An engine fails with
// SPT-STORE-006 when it ran out of space and nothing of the call happened; any other failure of
// `append` or `sweep` means that it must never be asked to write again.

import type { Revision } from "../contract/store.ts"

/** A row's place: revision x 4096 + its index in the commit, so places order as revisions do. */
export type Place = number

export const placesPerRevision = 4096

export function placeOf(revision: Revision, index: number): Place {
  return revision * placesPerRevision + index
}

/** The last place that a revision can have. */
export function lastPlace(revision: Revision): Place {
  return revision * placesPerRevision + placesPerRevision - 1
}

export function revisionOf(place: Place): Revision {
  return Math.floor(place / placesPerRevision)
}

export interface RowHeader {
  readonly place: Place
  readonly key: string
  readonly createRevision: Revision
  /** The modRevision that this row replaced; 0 for the first of an incarnation. */
  readonly previousRevision: Revision
  /** 0 marks a delete. */
  readonly version: number
  readonly lease: string | undefined
}

export interface Row extends RowHeader {
  /** Empty for a delete. */
  readonly value: Uint8Array
}

/** How far the past has been forgotten, and how far its rows have been dropped. */
export interface Marks {
  readonly compacted: Revision
  readonly swept: Revision
}

export interface Page {
  readonly rows: readonly Row[]
  /** The page was cut by a limit; there may be more. */
  readonly more: boolean
}

export interface Engine {
  /** Answers with the cause when the engine fails while nobody asks it anything. */
  readonly failure?: Promise<unknown>
  /** Hands over every row's header in the order of places. Called once, before anything else. */
  load(each: (header: RowHeader) => void): Promise<Marks>
  /** All rows or none, durable when it answers. At most one append is under way. */
  append(rows: readonly Row[]): Promise<void>
  /** In the order asked for; undefined where a row is gone. */
  read(places: readonly Place[]): Promise<readonly (Row | undefined)[]>
  /** Rows strictly after a place up to and with another. */
  scan(after: Place, to: Place, limit: number): Promise<Page>
  /** Drops rows and keeps the marks, all or nothing. */
  sweep(marks: Marks, places: readonly Place[]): Promise<void>
  /** Lets other work run before a long task goes on. */
  pause(): Promise<void>
  close(): Promise<void>
}
