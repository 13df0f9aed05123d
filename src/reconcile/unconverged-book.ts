// The objects that are not converged, with counts by loop and state and the oldest of each loop at
// hand: asked for every few seconds, it must not cost a walk over all of them.

import { type Delayed, DelayHeap } from "../queue/delay-heap.ts"
import type { Unconverged } from "./reporter.ts"
import type { ReportState } from "./status.ts"

interface Place extends Delayed {
  one: Unconverged
}

interface LoopBook {
  readonly oldest: DelayHeap<Place>
  readonly states: Map<ReportState, number>
  doubts: number
}

/** The target could not be read. */
const doubtful: ReadonlySet<string> = new Set(["Unknown", "NotObservable"])

export class UnconvergedBook {
  readonly #places = new Map<string, Place>()
  readonly #loops = new Map<string, LoopBook>()
  #order = 0

  get(key: string): Unconverged | undefined {
    return this.#places.get(key)?.one
  }

  set(one: Unconverged): void {
    const known = this.#places.get(one.key)
    if (known?.one.loop === one.loop && known.one.since === one.since) {
      const book = this.#book(one.loop)
      count(book, known.one, -1)
      count(book, one, 1)
      known.one = one
      return
    }
    this.delete(one.key)
    const place = { one, dueAt: one.since, order: this.#order++, place: -1 }
    this.#places.set(one.key, place)
    const book = this.#book(one.loop)
    book.oldest.push(place)
    count(book, one, 1)
  }

  delete(key: string): void {
    const place = this.#places.get(key)
    if (place === undefined) return
    this.#places.delete(key)
    const book = this.#book(place.one.loop)
    book.oldest.remove(place)
    count(book, place.one, -1)
    if (book.oldest.length === 0) this.#loops.delete(place.one.loop)
  }

  all(): Unconverged[] {
    return [...this.#places.values()].map(({ one }) => one)
  }

  count(loop: string): number {
    return this.#loops.get(loop)?.oldest.length ?? 0
  }

  /** Wall time since which the oldest of the loop is not converged. */
  oldestSince(loop: string): number | undefined {
    return this.#loops.get(loop)?.oldest.first?.one.since
  }

  states(loop: string): ReadonlyMap<ReportState, number> {
    return this.#loops.get(loop)?.states ?? new Map()
  }

  /** Objects whose target could not be read. */
  doubts(loop: string): number {
    return this.#loops.get(loop)?.doubts ?? 0
  }

  #book(loop: string): LoopBook {
    const known = this.#loops.get(loop)
    if (known !== undefined) return known
    const book = { oldest: new DelayHeap<Place>(), states: new Map(), doubts: 0 }
    this.#loops.set(loop, book)
    return book
  }
}

function count(book: LoopBook, { state, reason }: Unconverged, by: 1 | -1): void {
  book.states.set(state, (book.states.get(state) ?? 0) + by)
  if (doubtful.has(reason)) book.doubts += by
}
