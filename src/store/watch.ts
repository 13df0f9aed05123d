// One watch: first it reads the stored past page by page, then it joins the hub without a gap.
// It ends with "compacted" when the past it needs is gone, and never guesses.

import type { Clock } from "../base/clock.ts"
import type { Change, Compacted, Revision, WatchEvent, WatchOptions } from "../contract/store.ts"
import { byRevision, changeOf } from "./commit-batch.ts"
import { type Engine, lastPlace, placesPerRevision, type Row } from "./engine.ts"
import type { KeyIndex } from "./key-index.ts"
import { Inbox, type WatchHub, type WatchLimits } from "./watch-hub.ts"

const pageRows = 1024

export interface WatchSource {
  readonly engine: Engine
  readonly index: KeyIndex
  readonly hub: WatchHub
  readonly clock: Clock
  readonly limits: WatchLimits
  readonly revision: Revision
  readonly oldest: Revision
  /** Throws when the store can't be used. */
  requireOpen(): void
}

export function watchStore(
  source: WatchSource,
  options: WatchOptions,
): AsyncIterableIterator<WatchEvent> {
  return new StoreWatch(source, options)
}

/**
 * By hand instead of generators: with many watchers of one key each of their hops would be paid for
 * every watcher and event.
 */
class StoreWatch implements AsyncIterableIterator<WatchEvent> {
  readonly #source: WatchSource
  readonly #options: WatchOptions
  readonly #place: Place
  #past: AsyncGenerator<WatchEvent, boolean>
  #live: LiveWatch | undefined
  #isOver = false

  constructor(source: WatchSource, options: WatchOptions) {
    this.#source = source
    this.#options = options
    this.#place = { position: options.after, told: -1 }
    this.#past = readPast(source, options, this.#place)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<WatchEvent>> {
    if (this.#isOver) return Promise.resolve(over)
    return this.#live?.next() ?? this.#nextOfPast()
  }

  async return(): Promise<IteratorResult<WatchEvent>> {
    this.#isOver = true
    if (this.#live === undefined) await this.#past.return(false)
    else this.#live.end()
    return over
  }

  async #nextOfPast(): Promise<IteratorResult<WatchEvent>> {
    for (;;) {
      const step = await this.#past.next()
      if (step.done !== true) return step
      if (!step.value || this.#isOver || this.#options.signal.aborted) {
        this.#isOver = true
        return over
      }
      // Nothing may wait between the last look at the revision and joining the hub: while the end
      // of the past was being told, something may have been published.
      if (this.#place.position >= this.#source.revision) break
      this.#past = readPast(this.#source, this.#options, this.#place)
    }
    this.#live = new LiveWatch(this.#source, this.#options, this.#place)
    return this.#live.next()
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** How far a watch is, and the last revision it told of. */
interface Place {
  position: Revision
  told: Revision
}

/** The stored past; true at its end, when the hub has the rest. */
async function* readPast(
  source: WatchSource,
  options: WatchOptions,
  place: Place,
): AsyncGenerator<WatchEvent, boolean> {
  const { signal, prefix } = options
  while (place.position < source.revision) {
    if (signal.aborted) return false
    source.requireOpen()
    if (place.position < source.oldest) return yield* lost(source)
    const until = source.revision
    const page = await readRevisions(source.engine, place.position, until)
    // Rows are dropped only after `oldest` was raised, so this page was whole if it is still low.
    if (place.position < source.oldest) return yield* lost(source)
    for (const { revision, rows } of page.groups) {
      if (signal.aborted) return false
      const matching = rows.filter((row) => row.key.startsWith(prefix)).map(changeOf)
      place.position = revision
      if (matching.length === 0) continue
      const changes = await withPrevious(source, options, matching)
      if (changes === undefined) return yield* lost(source)
      place.told = revision
      yield { kind: "changes", revision, changes }
    }
    if (!page.more) place.position = until
  }
  return true
}

async function* lost(source: WatchSource): AsyncGenerator<WatchEvent, boolean> {
  yield compacted(source)
  return false
}

/** What the hub publishes from here on. */
class LiveWatch {
  readonly #source: WatchSource
  readonly #options: WatchOptions
  readonly #inbox: Inbox
  readonly #position: Revision
  #told: Revision
  #isFirst = true
  #isOver = false
  readonly #onAbort = () => this.#inbox.wake()

  constructor(source: WatchSource, options: WatchOptions, { position, told }: Place) {
    const clock = options.withProgress ? source.clock : undefined
    this.#source = source
    this.#options = options
    this.#position = position
    this.#told = told
    this.#inbox = new Inbox(options.prefix, position, source.limits, clock)
    source.hub.attach(this.#inbox)
    options.signal.addEventListener("abort", this.#onAbort, { once: true })
  }

  next(): Promise<IteratorResult<WatchEvent>> {
    try {
      const now = this.#now()
      if (now !== undefined) return Promise.resolve(now)
    } catch (error) {
      return Promise.reject(error)
    }
    const event = this.#inbox.take()
    if (event === undefined) return this.#inbox.wait().then(() => this.next())
    const { revision, changes } = event
    this.#told = revision
    if (!needsPrevious(this.#options, changes)) {
      return Promise.resolve({ done: false, value: { kind: "changes", revision, changes } })
    }
    return this.#withPrevious(revision, changes)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.signal.removeEventListener("abort", this.#onAbort)
    this.#source.hub.detach(this.#inbox)
  }

  /** Whatever is due besides a change that waits. */
  #now(): IteratorResult<WatchEvent> | undefined {
    if (this.#isOver || this.#options.signal.aborted) return this.#finish()
    if (this.#isFirst) {
      this.#isFirst = false
      if (this.#options.withProgress && this.#mayTell()) return this.#progress()
    }
    if (this.#inbox.hasEvents) return undefined
    const { end } = this.#inbox
    if (end !== undefined) {
      this.end()
      if (end.kind === "failed") throw end.fault
      return end.kind === "overrun" ? { done: false, value: { kind: "overrun" } } : over
    }
    return this.#inbox.takeProgress() && this.#mayTell() ? this.#progress() : undefined
  }

  #finish(): IteratorResult<WatchEvent> {
    this.end()
    return over
  }

  #mayTell(): boolean {
    const { revision } = this.#source
    return revision > this.#told && revision >= this.#position
  }

  #progress(): IteratorResult<WatchEvent> {
    this.#told = this.#source.revision
    return { done: false, value: { kind: "progress", revision: this.#told } }
  }

  async #withPrevious(
    revision: Revision,
    changes: readonly Change[],
  ): Promise<IteratorResult<WatchEvent>> {
    const filled = await withPrevious(this.#source, this.#options, changes)
    if (filled !== undefined) {
      return { done: false, value: { kind: "changes", revision, changes: filled } }
    }
    this.end()
    return { done: false, value: compacted(this.#source) }
  }
}

function compacted(source: WatchSource): Compacted {
  return { kind: "compacted", oldest: source.oldest }
}

function needsPrevious(options: WatchOptions, changes: readonly Change[]): boolean {
  return options.withPrevious === true && changes.some((change) => change.kind === "delete")
}

/** Gives deletes their last value; undefined when that value has been forgotten meanwhile. */
async function withPrevious(
  source: WatchSource,
  options: WatchOptions,
  changes: readonly Change[],
): Promise<readonly Change[] | undefined> {
  if (!needsPrevious(options, changes)) return changes
  const filled: Change[] = []
  for (const change of changes) {
    if (change.kind === "put") {
      filled.push(change)
      continue
    }
    const entry = source.index.find(change.key, lastPlace(change.previousRevision))
    const [row] = entry === undefined ? [] : await source.engine.read([entry.place])
    if (row === undefined || row.version === 0) return undefined
    filled.push({ ...change, value: row.value })
  }
  return filled
}

interface Groups {
  readonly groups: readonly { readonly revision: Revision; readonly rows: readonly Row[] }[]
  readonly more: boolean
}

/** The next whole revisions after a revision; a revision is never split. */
async function readRevisions(engine: Engine, after: Revision, to: Revision): Promise<Groups> {
  const page = await engine.scan(lastPlace(after), lastPlace(to), pageRows)
  const groups = byRevision(page.rows)
  if (!page.more) return { groups, more: false }
  if (groups.length > 1) return { groups: groups.slice(0, -1), more: true }
  const rows = [...page.rows]
  const only = groups[0]?.revision ?? after + 1
  for (let more = true; more; ) {
    const from = rows.at(-1)?.place ?? lastPlace(after)
    const rest = await engine.scan(from, lastPlace(only), placesPerRevision)
    rows.push(...rest.rows)
    more = rest.more
  }
  return { groups: byRevision(rows), more: true }
}
