// Everybody who watches one collection and has seen the same of it is served from one stream: an
// event is taken from the store once, however many wait for it. Who begins, or reads too slowly for
// the others, has a stream of its own until it has caught up with them. Nobody misses an event or
// gets one twice: each has a position, and moves between streams at whole revisions only.

import { deferred } from "../../base/async.ts"
import type { Revision } from "../../contract/store.ts"
import type { ServedResource } from "../served-resource.ts"
import type { RawWatchEvent } from "../verb-watch.ts"

/** One client. */
export interface Follower {
  tell(event: RawWatchEvent): void
  /** It was told more than it has read; for a moment everybody is. */
  readonly isFull: boolean
  /** It was told so much more that it would have to be remembered for it. */
  readonly isBehind: boolean
  /** False when it left, or took too long. */
  caughtUp(): Promise<boolean>
  /** Nothing reaches it any more. */
  readonly isGone: boolean
}

/** What changed after a resourceVersion ("" is now), until the signal aborts. */
export type OpenWatch = (after: string, signal: AbortSignal) => AsyncIterable<RawWatchEvent>

export interface Collection {
  readonly resource: ServedResource
  /** "" is all of them. */
  readonly namespace: string
}

export interface WatchAsked {
  /** Undefined when nobody else gets the same lines. */
  readonly collection: Collection | undefined
  readonly after: string
  readonly open: OpenWatch
  readonly follower: Follower
}

/** `slow`: the follower left or read too little for too long. */
export type WatchEnd = "ended" | "slow"

export class SharedWatches {
  readonly #leads = new Leads()

  /** Throws what the request is refused for. Nothing is told before it runs. */
  begin({ collection, after, open, follower }: WatchAsked): FollowedWatch {
    const leads = this.#leads
    const begin = (from: string) =>
      new WatchStream(collection && leads.place(collection), (signal) => open(from, signal))
    return new FollowedWatch(follower, begin, after)
  }
}

/** One follower's way through the streams. */
export class FollowedWatch {
  readonly follower: Follower
  readonly over = deferred<WatchEnd>()
  readonly #begin: (after: string) => WatchStream
  /** Undefined while it catches up with what it was told. */
  #stream: WatchStream | undefined
  /** Everything up to this revision was told. */
  position: Revision = 0
  isLeaving = false

  constructor(follower: Follower, begin: (after: string) => WatchStream, after: string) {
    this.follower = follower
    this.#begin = begin
    this.join(begin(after))
  }

  /** Until the signal aborts, the collection is not served any more, or the follower is slow. */
  async run(signal: AbortSignal): Promise<WatchEnd> {
    const leave = () => this.leave()
    signal.addEventListener("abort", leave, { once: true })
    try {
      if (signal.aborted) leave()
      else void this.#stream?.run()
      return await this.over.promise
    } finally {
      signal.removeEventListener("abort", leave)
    }
  }

  /** After the revision it is being told, if it can be told anything. */
  leave(): void {
    this.isLeaving = true
    this.#stream?.release(this)
  }

  join(stream: WatchStream): void {
    this.#stream = stream
    stream.add(this)
  }

  tell(event: RawWatchEvent, revision: Revision): void {
    if (revision > this.position) this.follower.tell(event)
  }

  /** Goes on by itself, after what it was told last. */
  async catchUp(): Promise<void> {
    this.#stream = undefined
    try {
      if (!(await this.follower.caughtUp())) this.over.resolve("slow")
      else if (this.isLeaving) this.over.resolve("ended")
      else {
        const stream = this.#begin(String(this.position))
        this.join(stream)
        await stream.run()
      }
    } catch (error) {
      this.over.reject(error)
    }
  }
}

class WatchStream {
  readonly #place: Place | undefined
  readonly #events: AsyncIterable<RawWatchEvent>
  readonly #ends = new AbortController()
  readonly #all = new Set<FollowedWatch>()
  /** The newest revision of which something was told. */
  #seen: Revision = 0
  #isWithin = false
  #isWaiting = false

  constructor(
    place: Place | undefined,
    open: (signal: AbortSignal) => AsyncIterable<RawWatchEvent>,
  ) {
    this.#place = place
    this.#events = open(this.#ends.signal)
  }

  add(one: FollowedWatch): void {
    this.#all.add(one)
  }

  async run(): Promise<void> {
    try {
      for await (const event of this.#events) {
        this.#tell(event)
        const full = this.#full()
        if (full !== undefined) await this.#waitFor(full)
        if (this.#all.size === 0) break
      }
      for (const one of this.#all) one.over.resolve("ended")
    } catch (error) {
      for (const one of this.#all) one.over.reject(error)
    } finally {
      this.#close()
    }
  }

  /** Now, or when its revision is whole. */
  release(one: FollowedWatch): void {
    if (this.#isWithin && !one.follower.isGone) return
    if (!this.#isWaiting) this.#remove(one, "ended")
  }

  #tell(event: RawWatchEvent): void {
    const isBookmark = event.type === "BOOKMARK"
    const revision = isBookmark ? Number(event.resourceVersion) : event.revision
    this.#seen = revision
    this.#isWithin = !isBookmark && event.more === true
    for (const one of this.#all) {
      try {
        one.tell(event, revision)
      } catch (error) {
        // Of one; the others can still be told.
        one.over.reject(error)
        this.#remove(one, "ended")
      }
    }
    if (!this.#isWithin) this.#regroup(revision)
  }

  #regroup(revision: Revision): void {
    for (const one of this.#all) {
      one.position = Math.max(one.position, revision)
      if (one.isLeaving) this.#remove(one, "ended")
    }
    for (const one of this.#all) {
      if (this.#all.size === 1 || !one.follower.isBehind) continue
      this.#all.delete(one)
      void one.catchUp()
    }
    if (this.#all.size > 0 && this.#full() === undefined) this.#meet()
  }

  /** The only one that is in it, while it has to be waited for. */
  #full(): FollowedWatch | undefined {
    const [only] = this.#all
    return this.#all.size === 1 && only?.follower.isFull === true ? only : undefined
  }

  /** Who has seen as much as the stream that leads goes on in it; who has seen more leads. */
  #meet(): void {
    const lead = this.#place?.lead()
    if (lead === this || this.#place === undefined) return
    if (lead === undefined || lead.#seen < this.#seen) this.#place.take(this)
    else if (lead.#seen === this.#seen) {
      for (const one of this.#all) one.join(lead)
      this.#all.clear()
    }
  }

  /** It holds up nobody but itself: the others have another stream meanwhile. */
  async #waitFor(only: FollowedWatch): Promise<void> {
    this.#place?.leave(this)
    this.#isWaiting = true
    const isThere = await only.follower.caughtUp()
    this.#isWaiting = false
    if (!isThere) this.#remove(only, "slow")
    else if (only.isLeaving && !this.#isWithin) this.#remove(only, "ended")
  }

  #remove(one: FollowedWatch, end: WatchEnd): void {
    this.#all.delete(one)
    one.over.resolve(end)
    if (this.#all.size === 0) this.#close()
  }

  #close(): void {
    this.#place?.leave(this)
    this.#ends.abort()
  }
}

/** Where streams of one collection meet. */
interface Place {
  lead(): WatchStream | undefined
  take(stream: WatchStream): void
  leave(stream: WatchStream): void
}

/** Of each collection the stream that others go on in. */
class Leads {
  /** By a definition that has changed since, events look otherwise: then it is another resource. */
  readonly #leads = new WeakMap<ServedResource, Map<string, WatchStream>>()

  place({ resource, namespace }: Collection): Place {
    const leads = this.#of(resource)
    return {
      lead: () => leads.get(namespace),
      take: (stream) => leads.set(namespace, stream),
      leave: (stream) => {
        if (leads.get(namespace) === stream) leads.delete(namespace)
      },
    }
  }

  #of(resource: ServedResource): Map<string, WatchStream> {
    const known = this.#leads.get(resource)
    if (known !== undefined) return known
    const leads = new Map<string, WatchStream>()
    this.#leads.set(resource, leads)
    return leads
  }
}
