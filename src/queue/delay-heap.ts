// A binary heap of things that become due. Each item knows its own place, so that it can be moved
// to an earlier time or taken out in O(log n) and no stale entry is ever left behind.

export interface Delayed {
  /** Monotonic milliseconds. */
  dueAt: number
  /** Breaks ties: what was delayed first comes first. */
  order: number
  /** Its place in the heap; -1 when it is in none. */
  place: number
}

export class DelayHeap<T extends Delayed> {
  readonly #items: T[] = []

  get length(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    this.#put(item, this.#items.length)
    this.#rise(item)
  }

  /** To be called after `dueAt` became earlier. */
  moveEarlier(item: T): void {
    this.#rise(item)
  }

  remove(item: T): void {
    const last = this.#items.pop()
    const place = item.place
    item.place = -1
    if (last === undefined || last === item) return
    this.#put(last, place)
    this.#rise(last)
    this.#sink(last)
  }

  clear(): void {
    for (const item of this.#items) item.place = -1
    this.#items.length = 0
  }

  #put(item: T, place: number): void {
    this.#items[place] = item
    item.place = place
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const place = item.place
      const parent = this.#items[(place - 1) >> 1]
      if (parent === undefined || comesFirst(parent, item)) return
      this.#put(item, parent.place)
      this.#put(parent, place)
    }
  }

  #sink(item: T): void {
    for (;;) {
      const place = item.place
      const left = this.#items[2 * place + 1]
      const right = this.#items[2 * place + 2]
      if (left === undefined) return
      const child = right !== undefined && comesFirst(right, left) ? right : left
      if (comesFirst(item, child)) return
      this.#put(item, child.place)
      this.#put(child, place)
    }
  }
}

function comesFirst(left: Delayed, right: Delayed): boolean {
  return left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.order < right.order)
}
