// Follows one prefix of the store for ever: a snapshot, then every change after it, and again from
// a new snapshot when the past was compacted or the reader was too slow. The sink compares each
// snapshot with what it holds, so that no delete is lost in between.

import { deferred } from "../base/async.ts"
import { type Clock, sleep } from "../base/clock.ts"
import { type Fault, toFault } from "../base/faults.ts"
import type { Change, Entry, Revision, Store } from "../contract/store.ts"

export interface FollowSink {
  /** A snapshot begins: whatever it does not name is gone. */
  begin(): void
  entries(entries: readonly Entry[]): void
  /** The snapshot is complete as of this revision. */
  end(revision: Revision): void
  changes(revision: Revision, changes: readonly Change[]): void
}

export interface Follower {
  /** Resolves when the first snapshot is complete. */
  synced(): Promise<void>
  /** Resolves when everything up to this revision has been handed to the sink. */
  waitFor(revision: Revision, signal?: AbortSignal): Promise<void>
  /** Everything up to here has been handed to the sink; 0 before the first snapshot. */
  revision(): Revision
  /** The last failure, cleared when following again. */
  trouble(): Fault | undefined
  close(): Promise<void>
}

export interface FollowOptions {
  readonly store: Store
  readonly clock: Clock
  readonly prefix: string
  readonly sink: FollowSink
  readonly withPrevious?: boolean
  readonly pageSize?: number
}

interface Waiter {
  readonly revision: Revision
  readonly wake: () => void
}

const retryMs = 200

export function followStore(options: FollowOptions): Follower {
  return new StoreFollower(options)
}

class StoreFollower implements Follower {
  readonly #options: FollowOptions
  readonly #stop = new AbortController()
  readonly #first = deferred<void>()
  readonly #done: Promise<void>
  #waiters: Waiter[] = []
  #revision = 0
  #trouble: Fault | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  synced(): Promise<void> {
    return this.#first.promise
  }

  revision(): Revision {
    return this.#revision
  }

  trouble(): Fault | undefined {
    return this.#trouble
  }

  waitFor(revision: Revision, signal?: AbortSignal): Promise<void> {
    if (this.#revision >= revision || this.#stop.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiter: Waiter = { revision, wake: resolve }
      this.#waiters.push(waiter)
      const onAbort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
        resolve()
      }
      signal?.addEventListener("abort", onAbort, { once: true })
    })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#first.resolve()
    for (const waiter of this.#waiters) waiter.wake()
    this.#waiters = []
    await this.#done
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let snapshot: Revision | undefined
    while (!signal.aborted) {
      try {
        snapshot ??= await this.#list()
        if (snapshot === undefined) {
          await sleep(this.#options.clock, retryMs, signal)
          continue
        }
        this.#trouble = undefined
        const ended = await this.#watch(snapshot)
        if (ended === "closed") await sleep(this.#options.clock, retryMs, signal)
        snapshot = ended === "compacted" ? undefined : this.#revision
      } catch (error) {
        // What was delivered stands; going on from there or from a new snapshot loses nothing.
        snapshot = this.#revision === 0 ? undefined : this.#revision
        this.#trouble = toFault(error)
        await sleep(this.#options.clock, retryMs, signal)
      }
    }
  }

  /** Undefined when the snapshot was compacted away while it was being read. */
  async #list(): Promise<Revision | undefined> {
    const { store, prefix, sink, pageSize = 1000 } = this.#options
    sink.begin()
    let after: string | undefined
    let at: Revision | undefined
    for (;;) {
      const query = {
        prefix,
        limit: pageSize,
        ...(after === undefined ? {} : { after }),
        ...(at === undefined ? {} : { at }),
      }
      const page = await store.range(query)
      if (page.kind === "compacted") return undefined
      if (this.#stop.signal.aborted) return undefined
      at = page.revision
      sink.entries(page.entries)
      after = page.entries.at(-1)?.key
      if (!page.more || after === undefined) break
    }
    sink.end(at)
    this.#advance(at)
    this.#first.resolve()
    return at
  }

  async #watch(after: Revision): Promise<"compacted" | "overrun" | "closed"> {
    const { store, prefix, sink, withPrevious = false } = this.#options
    const { signal } = this.#stop
    const events = store.watch({ prefix, after, signal, withPrevious, withProgress: true })
    for await (const event of events) {
      if (signal.aborted) break
      if (event.kind === "compacted" || event.kind === "overrun") return event.kind
      if (event.kind === "changes") sink.changes(event.revision, event.changes)
      this.#advance(event.revision)
    }
    return "closed"
  }

  #advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision
    if (this.#waiters.length === 0) return
    const due = this.#waiters.filter((waiter) => waiter.revision <= this.#revision)
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > this.#revision)
    for (const waiter of due) waiter.wake()
  }
}
