// Events of clients end by themselves, an hour after they were last written. All of a few minutes
// hang on one lease of the store, so that they go together in one commit and nobody has to look for
// them.

import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import { resourcePrefix } from "./storage-keys.ts"

export const eventsKeepMs = 3_600_000

const prefix = resourcePrefix("", "events")
const leasesPerLife = 12
/** A lease ends in one commit, which can't hold any number of keys. */
const keysPerLease = 2000

interface Current {
  readonly lease: Promise<string>
  readonly until: number
  keys: number
}

export class EventLifetime {
  readonly #store: Pick<Store, "grantLease">
  readonly #clock: Clock
  readonly #keepMs: number
  #current: Current | undefined

  constructor(store: Pick<Store, "grantLease">, clock: Clock, keepMs = eventsKeepMs) {
    this.#store = store
    this.#clock = clock
    this.#keepMs = keepMs
  }

  /** The lease that what is put there hangs on; undefined when it stays. */
  leaseFor(storageKey: string): Promise<string> | undefined {
    if (!storageKey.startsWith(prefix)) return undefined
    const now = this.#clock.monotonic()
    let current = this.#current
    if (current === undefined || now >= current.until || current.keys >= keysPerLease) {
      const shareMs = Math.ceil(this.#keepMs / leasesPerLife)
      const lease = this.#store.grantLease(this.#keepMs + shareMs)
      current = { lease, until: now + shareMs, keys: 0 }
      this.#current = current
      lease.catch(() => {
        this.#current = undefined
      })
    }
    current.keys++
    return current.lease
  }
}
