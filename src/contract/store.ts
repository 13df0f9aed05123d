// The store port: etcd's semantics in one screen. Engines and replicas may differ; these promises
// do not (docs/decisions/0002-store-port.md, test/conformance/store.ts):
// - one strictly increasing revision for everything, never reused, not even after a restore;
// - a commit applies all of its writes or none, at one revision unless a write asks for its own;
//   when it answers, it is durable;
// - a watch is ordered, unique, gap-free, atomic per revision and resumable; where that past is
//   gone it says "compacted", and a reader too slow to be buffered is cut with "overrun".

export type Revision = number

export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** 1 when created, then one more with each put of this incarnation. */
  readonly version: number
  readonly lease?: string
}

export interface RangeQuery {
  readonly prefix: string
  /** Only keys strictly greater than this one; how pages go on. */
  readonly after?: string
  /** As of this revision; the newest when missing. */
  readonly at?: Revision
  readonly limit?: number
}

export interface RangeResult {
  readonly kind: "range"
  /** The revision this is a snapshot of. */
  readonly revision: Revision
  readonly entries: readonly Entry[]
  readonly more: boolean
}

export interface Compacted {
  readonly kind: "compacted"
  /** The oldest revision that can still be read. */
  readonly oldest: Revision
}

/** Holds when the key's modRevision is this; 0 means that the key must not exist. */
export interface Check {
  readonly key: string
  readonly modRevision: Revision
}

export type Write = (
  | {
      readonly kind: "put"
      readonly key: string
      readonly value: Uint8Array
      readonly lease?: string
    }
  | { readonly kind: "delete"; readonly key: string }
) & {
  /**
   * It gets a revision that it shares with no other write. The writes of a commit get their
   * revisions in their order and without a gap; neighbours that are not apart share one.
   */
  readonly apart?: true
}

export interface Committed {
  readonly kind: "committed"
  /** The newest of the commit. */
  readonly revision: Revision
  /** There when a write was apart: of each write; one that changed nothing has that before it. */
  readonly revisions?: readonly Revision[]
}

export interface Refused {
  readonly kind: "refused"
  readonly failed: Check
  /** What is there instead. */
  readonly current: Revision
}

export interface Change {
  readonly kind: "put" | "delete"
  readonly key: string
  /** The new value of a put; the last value of a deleted key when the watch asked for it. */
  readonly value?: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** The modRevision this change replaced; 0 for a first put. */
  readonly previousRevision: Revision
}

export type WatchEvent =
  | { readonly kind: "changes"; readonly revision: Revision; readonly changes: readonly Change[] }
  /** Everything up to this revision has been delivered. */
  | { readonly kind: "progress"; readonly revision: Revision }
  | Compacted
  | { readonly kind: "overrun" }

export interface WatchOptions {
  readonly prefix: string
  /** Changes strictly after this revision; one in the future waits for it. */
  readonly after: Revision
  readonly signal: AbortSignal
  /** Deleted keys carry their last value. */
  readonly withPrevious?: boolean
  /** Report progress when idle; informers resume from it. */
  readonly withProgress?: boolean
}

export interface StoreIdentity {
  /** Names this plane for ever; also names its secret key file. */
  readonly planeId: string
  /** Raised by each open: the fence that makes an older writer's commits fail. */
  readonly epoch: number
  /** The key whose modRevision is this writer's fence; ledger commits check it. */
  readonly epochCheck: Check
  /** Set when the content came from a backup and no full observation has happened since. */
  readonly restored: boolean
}

export interface Store {
  readonly identity: StoreIdentity
  /** The newest committed revision. */
  readonly revision: Revision
  get(key: string, at?: Revision): Promise<Entry | Compacted | undefined>
  range(query: RangeQuery): Promise<RangeResult | Compacted>
  commit(checks: readonly Check[], writes: readonly Write[]): Promise<Committed | Refused>
  watch(options: WatchOptions): AsyncIterable<WatchEvent>
  /** Forgets what is older than the revision; current values always stay. */
  compact(before: Revision): Promise<void>
  grantLease(ttlMs: number): Promise<string>
  /** False when the lease is gone. */
  renewLease(lease: string): Promise<boolean>
  /** Deletes the lease and every key attached to it, in one commit, each of them apart. */
  revokeLease(lease: string): Promise<void>
  close(): Promise<void>
}
