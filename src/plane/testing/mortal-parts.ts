// The ports of a process that can be killed inside this one: from then on no timer fires, no commit
// or read is answered, no port call begins, and what was watched is let go. What had reached the
// store or the world before stays, as it does after `kill -9`.

import type { Clock } from "../../base/clock.ts"
import type { Store } from "../../contract/store.ts"

export class Life {
  #dead = false
  readonly #ends = new Set<() => void>()

  get dead(): boolean {
    return this.#dead
  }

  die(): void {
    this.#dead = true
    for (const end of this.#ends) end()
    this.#ends.clear()
  }

  /** Called once, at the end. */
  atEnd(end: () => void): () => void {
    this.#ends.add(end)
    return () => void this.#ends.delete(end)
  }

  /** The answer while it lives; never one afterwards. */
  async only<T>(answer: Promise<T>): Promise<T> {
    const value = await answer
    return this.#dead ? never : value
  }
}

const never = new Promise<never>(() => {})

export function mortalClock(clock: Clock, life: Life): Clock {
  return {
    ...clock,
    after(delayMs, wake) {
      if (life.dead) return { cancel: () => {} }
      const timer = clock.after(delayMs, () => {
        forget()
        if (!life.dead) wake()
      })
      const forget = life.atEnd(() => timer.cancel())
      const cancel = () => {
        forget()
        timer.cancel()
      }
      return { cancel }
    },
  }
}

export function mortalStore(store: Store, life: Life): Store {
  const call = <T>(run: () => Promise<T>): Promise<T> => (life.dead ? never : life.only(run()))
  return {
    identity: store.identity,
    get revision() {
      return store.revision
    },
    get: (key, at) => call(() => store.get(key, at)),
    range: (query) => call(() => store.range(query)),
    commit: (checks, writes) => call(() => store.commit(checks, writes)),
    compact: (before) => call(() => store.compact(before)),
    grantLease: (ttlMs) => call(() => store.grantLease(ttlMs)),
    renewLease: (lease) => call(() => store.renewLease(lease)),
    revokeLease: (lease) => call(() => store.revokeLease(lease)),
    close: () => store.close(),
    async *watch(options) {
      for await (const event of store.watch(options)) {
        if (life.dead) await never
        yield event
      }
    },
  }
}

/** Every method of every handle; what it opened is closed with the process. */
export function mortalHandles<T extends object>(world: T, life: Life): T {
  const wrap = (handle: object): object =>
    new Proxy(handle, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== "function") return method
        return (...args: unknown[]): unknown => {
          if (life.dead) throw new Error("this process is gone")
          const value: unknown = Reflect.apply(method, target, args)
          if (value instanceof Promise) return life.only(value)
          if (isCloseable(value)) life.atEnd(() => value.close())
          return value
        }
      },
    })
  const handles = Object.entries(world).map(([name, handle]) => [name, wrap(handle as object)])
  return Object.fromEntries(handles) as T
}

function isCloseable(value: unknown): value is { close(): void } {
  return typeof value === "object" && value !== null && "close" in value
}
