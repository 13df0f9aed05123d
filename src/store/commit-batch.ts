// Decides a batch of commits against the index: which hold, which are refused, and the rows that
// they make. Pure: nothing is published here, since the batch is not durable yet. Later commits
// of the batch see the writes of earlier ones.

import type { Fault } from "../base/faults.ts"
import type { Change, Check, Committed, Refused, Revision, Write } from "../contract/store.ts"
import { type Place, placeOf, type Row, revisionOf } from "./engine.ts"

export interface CommitRequest {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
}

export type Decision = Committed | Refused | { readonly kind: "failed"; readonly fault: Fault }

export interface DecidedBatch {
  /** One per request, in order. */
  readonly decisions: readonly Decision[]
  readonly rows: readonly Row[]
  readonly revision: Revision
  /** The newest row of each key that the batch writes. */
  readonly written: ReadonlyMap<string, Current>
}

interface Current {
  readonly place: Place
  readonly createRevision: Revision
  readonly version: number
}

export interface BatchView {
  readonly revision: Revision
  find(key: string): Current | undefined
  /** A fault when the key can't be attached to the lease; `more` were attached by this batch. */
  leaseFault(key: string, lease: string, more: number): Fault | undefined
}

/** `before` is a batch that is durable and not published yet; this one comes after it. */
export function decideBatch(
  requests: readonly CommitRequest[],
  view: BatchView,
  before?: DecidedBatch,
): DecidedBatch {
  const overlay = new Map<string, Current>()
  const find = (key: string) => overlay.get(key) ?? before?.written.get(key) ?? view.find(key)
  const attached = new Map<string, number>()
  const rows: Row[] = []
  const decisions: Decision[] = []
  let revision = before?.revision ?? view.revision
  for (const request of requests) {
    const decision = judge(request, find, view, attached)
    if (decision !== undefined) {
      decisions.push(decision)
      continue
    }
    const made = makeRows(request.writes, revision, find)
    revision = made.revision
    for (const row of made.rows) {
      rows.push(row)
      overlay.set(row.key, row)
    }
    const { revisions } = made
    decisions.push({
      kind: "committed",
      revision,
      ...(revisions === undefined ? {} : { revisions }),
    })
  }
  return { decisions, rows, revision, written: overlay }
}

type Find = (key: string) => Current | undefined

function modRevision(current: Current | undefined): Revision {
  return current === undefined || current.version === 0 ? 0 : revisionOf(current.place)
}

/** Undefined when the commit may go on. */
function judge(
  request: CommitRequest,
  find: Find,
  view: BatchView,
  attached: Map<string, number>,
): Decision | undefined {
  for (const check of request.checks) {
    const current = modRevision(find(check.key))
    if (current !== check.modRevision) return { kind: "refused", failed: check, current }
  }
  for (const write of request.writes) {
    if (write.kind !== "put" || write.lease === undefined) continue
    const more = attached.get(write.lease) ?? 0
    const fault = view.leaseFault(write.key, write.lease, more)
    if (fault !== undefined) return { kind: "failed", fault }
    attached.set(write.lease, more + 1)
  }
  return undefined
}

interface Made {
  readonly rows: readonly Row[]
  /** The newest of them, or the one they came after. */
  readonly revision: Revision
  readonly revisions: readonly Revision[] | undefined
}

/** Deleting a key that is not there changes nothing and makes no row. */
function makeRows(writes: readonly Write[], after: Revision, find: Find): Made {
  const rows: Row[] = []
  const revisions = writes.some(({ apart }) => apart) ? ([] as Revision[]) : undefined
  let revision = after
  /** How many the revision holds; undefined when no more may share it. */
  let shared: number | undefined
  for (const write of writes) {
    const current = find(write.key)
    const previousRevision = modRevision(current)
    const there = current !== undefined && previousRevision > 0
    if (write.kind === "delete" && !there) {
      revisions?.push(revision)
      continue
    }
    if (shared === undefined || write.apart) {
      revision++
      shared = 0
    }
    revisions?.push(revision)
    rows.push({
      place: placeOf(revision, shared),
      key: write.key,
      createRevision: there ? current.createRevision : revision,
      previousRevision,
      version: write.kind === "delete" ? 0 : there ? current.version + 1 : 1,
      lease: write.kind === "put" ? write.lease : undefined,
      value: write.kind === "put" ? write.value : noValue,
    })
    shared = write.apart ? undefined : shared + 1
  }
  return { rows, revision, revisions }
}

const noValue = new Uint8Array(0)

export function changeOf(row: Row): Change {
  const common = {
    key: row.key,
    createRevision: row.createRevision,
    modRevision: revisionOf(row.place),
    previousRevision: row.previousRevision,
  }
  return row.version === 0
    ? { kind: "delete", ...common }
    : { kind: "put", value: row.value, ...common }
}

/** Splits rows, ordered by place, into the rows of each revision. */
export function byRevision<T extends { readonly place: Place }>(
  rows: readonly T[],
): { readonly revision: Revision; readonly rows: readonly T[] }[] {
  const groups: { revision: Revision; rows: T[] }[] = []
  for (const row of rows) {
    const revision = revisionOf(row.place)
    const last = groups.at(-1)
    if (last?.revision === revision) last.rows.push(row)
    else groups.push({ revision, rows: [row] })
  }
  return groups
}
