// Small concurrency parts: a deferred promise, a lock per key, slots, a deadline and bounded
// parallel work.

import type { Clock } from "./clock.ts"

export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Runs tasks of one key one after another, in the order they were asked for. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    const tail = result.catch(() => {})
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return result
  }
}

/** At most so many tasks at once; the others wait in the order they came. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width: number) {
    this.#free = width
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

export type Timed<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "timeout" }

/** Waits for the task at most so long; then its signal aborts and the answer is "timeout". */
export async function withDeadline<T>(
  clock: Clock,
  limitMs: number,
  task: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<Timed<T>> {
  const controller = new AbortController()
  const expired = deferred<Timed<T>>()
  const onOuter = () => controller.abort(outer?.reason)
  outer?.addEventListener("abort", onOuter, { once: true })
  const timer = clock.after(limitMs, () => {
    controller.abort()
    expired.resolve({ kind: "timeout" })
  })
  try {
    const done = task(controller.signal).then((value): Timed<T> => ({ kind: "done", value }))
    done.catch(() => {}) // After the deadline nobody listens; that is no unhandled error.
    return await Promise.race([done, expired.promise])
  } finally {
    timer.cancel()
    outer?.removeEventListener("abort", onOuter)
  }
}

/** Maps with at most `width` tasks under way; keeps the order of the items. */
export async function mapBounded<T, R>(
  items: readonly T[],
  width: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await task(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
