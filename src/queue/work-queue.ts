// Which keys need a pass, and in which order. A key waits at most once however often it is added; a
// key being worked on is never given out a second time; one added meanwhile runs again afterwards.
// The queue holds keys only and is never the memory of what has to be done: whatever it drops at
// shutdown is found again by the full observation at the next start.

import { type Deferred, deferred, withDeadline } from "../base/async.ts"
import type { Clock, Timer } from "../base/clock.ts"
import { assert } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import type { Random } from "../base/random.ts"
import { type BackoffOptions, backoffMs, defaultBackoff } from "./backoff.ts"
import { type Delayed, DelayHeap } from "./delay-heap.ts"
import { isHigher, Lanes, type Priority } from "./lanes.ts"
import { Linked, LinkedList } from "./linked-list.ts"

export interface AddOptions {
  /** Normal when missing. A key that already waits moves up, never down. */
  readonly priority?: Priority
}

export interface WorkQueueOptions {
  readonly clock: Clock
  readonly random: Random
  readonly backoff?: BackoffOptions
}

/** A wish for one pass; linked in order of age over all keys that wait. */
class Request extends Linked<Request> {
  priority: Priority
  readonly since: number

  constructor(priority: Priority, since: number) {
    super()
    this.priority = priority
    this.since = since
  }
}

class Entry extends Linked<Entry> implements Delayed {
  readonly key: string
  request: Request | undefined = undefined
  running = false
  failures = 0
  /** Before it was last given out. */
  waitedMs = 0
  dueAt = 0
  order = 0
  place = -1
  delayedPriority: Priority = "normal"
  /** The delay came from backoff alone, so that `forget` may drop it. */
  backingOff = false

  constructor(key: string) {
    super()
    this.key = key
  }
}

export class WorkQueue {
  readonly #clock: Clock
  readonly #random: Random
  readonly #backoff: BackoffOptions
  readonly #entries = new Map<string, Entry>()
  readonly #lanes = new Lanes<Entry>()
  readonly #requests = new LinkedList<Request>()
  readonly #delays = new DelayHeap<Entry>()
  readonly #takers = new Set<Deferred<string | undefined>>()
  readonly #quiet = new Set<Deferred<void>>()
  #order = 0
  #running = 0
  #timer: Timer | undefined
  #timerDueAt = Number.POSITIVE_INFINITY
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock
    this.#random = options.random
    this.#backoff = options.backoff ?? defaultBackoff
  }

  add(key: string, options: AddOptions = {}): void {
    if (this.#closed) return
    this.#request(this.#entry(key), options.priority ?? "normal")
  }

  /** Adds the key after the delay. Of two delays of one key the earlier one counts. */
  addAfter(key: string, delayMs: number, options: AddOptions = {}): void {
    if (this.#closed) return
    this.#delay(this.#entry(key), delayMs, options.priority ?? "normal", false)
  }

  /** Adds the key after its n-th backoff delay and returns that delay. */
  addWithBackoff(key: string, options: AddOptions = {}): number {
    if (this.#closed) return 0
    const entry = this.#entry(key)
    entry.failures++
    const delayMs = backoffMs(entry.failures, this.#backoff, this.#random)
    this.#delay(entry, delayMs, options.priority ?? "normal", true)
    return delayMs
  }

  /** The key works again: its failure count starts anew and a pending backoff is dropped. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.failures = 0
    if (entry.backingOff && entry.place >= 0) this.#delays.remove(entry)
    this.#release(entry)
  }

  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0
  }

  /** The next key, or undefined when nothing waits. Every key given out needs its `done`. */
  tryTake(): string | undefined {
    const entry = this.#closed ? undefined : this.#lanes.takeNext()
    if (entry?.request === undefined) return undefined
    this.#requests.remove(entry.request)
    entry.waitedMs = this.#clock.monotonic() - entry.request.since
    entry.request = undefined
    entry.running = true
    this.#running++
    return entry.key
  }

  /** Waits for a key; undefined when the signal aborts or the queue shuts down. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined
    const key = this.tryTake()
    if (key !== undefined || this.#closed) return key
    const taker = deferred<string | undefined>()
    const onAbort = () => {
      if (this.#takers.delete(taker)) taker.resolve(undefined)
    }
    signal.addEventListener("abort", onAbort, { once: true })
    this.#takers.add(taker)
    try {
      return await taker.promise
    } finally {
      signal.removeEventListener("abort", onAbort)
    }
  }

  /** Ends the pass of a key that was given out. */
  done(key: string): void {
    const entry = this.#entries.get(key)
    assert(entry?.running, `work on "${key}" ended, but it was not given out`)
    entry.running = false
    this.#running--
    if (entry.request !== undefined) this.#ready(entry, entry.request)
    else this.#release(entry)
    if (this.#running === 0) this.#settleQuiet()
  }

  /** Keys that wait, also those that wait for their own running pass to end. */
  depth(): number {
    return this.#requests.length
  }

  /** Whether a pass over this key runs, or one waits that is not merely due later. */
  isAhead(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && (entry.running || entry.request !== undefined)
  }

  /** For how long a key that is given out had waited. */
  waitedMs(key: string): number {
    return this.#entries.get(key)?.waitedMs ?? 0
  }

  running(): number {
    return this.#running
  }

  delayed(): number {
    return this.#delays.length
  }

  /** For how long the oldest waiting key has waited; 0 when none waits. */
  oldestAgeMs(): number {
    const oldest = this.#requests.first
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.since
  }

  /** Gives out nothing more and takes in nothing more; takers get undefined. */
  shutdown(): void {
    if (this.#closed) return
    this.#closed = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#lanes.clear()
    this.#requests.clear()
    this.#delays.clear()
    for (const entry of this.#entries.values()) {
      entry.request = undefined
      if (!entry.running) this.#entries.delete(entry.key)
    }
    for (const taker of this.#takers) taker.resolve(undefined)
    this.#takers.clear()
  }

  /** Shuts down and waits for the running passes; false when some still run after the limit. */
  async drain(limitMs: number): Promise<boolean> {
    this.shutdown()
    if (this.#running === 0) return true
    const quiet = deferred<void>()
    this.#quiet.add(quiet)
    const ended = await withDeadline(this.#clock, limitMs, () => quiet.promise)
    this.#quiet.delete(quiet)
    return ended.kind === "done"
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = new Entry(key)
      this.#entries.set(key, entry)
    }
    return entry
  }

  #release(entry: Entry): void {
    const inUse = entry.running || entry.request !== undefined || entry.place >= 0
    if (!inUse && entry.failures === 0) this.#entries.delete(entry.key)
  }

  #request(entry: Entry, priority: Priority): void {
    const request = entry.request
    if (request === undefined) {
      entry.request = new Request(priority, this.#clock.monotonic())
      this.#requests.append(entry.request)
      const busy = entry.running && protects("one-pass-per-key")
      if (!busy) this.#ready(entry, entry.request)
    } else if (isHigher(priority, request.priority)) {
      if (!entry.running) this.#lanes.remove(entry, request.priority)
      request.priority = priority
      if (!entry.running) this.#lanes.append(entry, priority)
    }
  }

  #ready(entry: Entry, request: Request): void {
    this.#lanes.append(entry, request.priority)
    for (const taker of this.#takers) {
      this.#takers.delete(taker)
      taker.resolve(this.tryTake())
      return
    }
  }

  #delay(entry: Entry, delayMs: number, priority: Priority, backingOff: boolean): void {
    const dueAt = this.#clock.monotonic() + Math.max(0, delayMs)
    if (entry.place < 0) {
      entry.dueAt = dueAt
      entry.order = this.#order++
      entry.delayedPriority = priority
      entry.backingOff = backingOff
      this.#delays.push(entry)
    } else {
      if (isHigher(priority, entry.delayedPriority)) entry.delayedPriority = priority
      entry.backingOff &&= backingOff
      if (dueAt >= entry.dueAt) return
      entry.dueAt = dueAt
      this.#delays.moveEarlier(entry)
    }
    this.#arm()
  }

  #arm(): void {
    const first = this.#delays.first
    if (first === undefined || first.dueAt >= this.#timerDueAt) return
    this.#timer?.cancel()
    this.#timerDueAt = first.dueAt
    // Whole milliseconds: a rounded-down fraction would wake too early, again and again.
    const delayMs = Math.max(1, Math.ceil(first.dueAt - this.#clock.monotonic()))
    this.#timer = this.#clock.after(delayMs, () => this.#wake())
  }

  #wake(): void {
    this.#timer = undefined
    this.#timerDueAt = Number.POSITIVE_INFINITY
    const now = this.#clock.monotonic()
    for (let entry = this.#delays.first; entry !== undefined; entry = this.#delays.first) {
      if (entry.dueAt > now) break
      this.#delays.remove(entry)
      this.#request(entry, entry.delayedPriority)
    }
    this.#arm()
  }

  #settleQuiet(): void {
    for (const quiet of this.#quiet) quiet.resolve()
  }
}
