// Which leases live, until when, and which keys hang on them. A lease itself is a stored key, so it
// survives a restart; it then gets its full time again, since nobody could renew it meanwhile.

import type { Clock, Timer } from "../base/clock.ts"
import type { Fault } from "../base/faults.ts"
import type { Row, RowHeader } from "./engine.ts"
import { storeFault } from "./faults.ts"
import { reservedPrefix } from "./limits.ts"

export const leasePrefix = `${reservedPrefix}lease/`
/** A lease and its keys go in one commit, so their number is bounded by it. */
export const maxKeysPerLease = 4000

interface Lease {
  readonly ttlMs: number
  expiresAt: number
  ending: boolean
  readonly keys: Set<string>
}

export class LeaseBook {
  readonly #clock: Clock
  readonly #expire: (lease: string) => void
  readonly #leases = new Map<string, Lease>()
  readonly #leaseOfKey = new Map<string, string>()
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, expire: (lease: string) => void) {
    this.#clock = clock
    this.#expire = expire
  }

  /** Follows a stored row: a lease that begins or ends, a key that changes its lease. */
  follow(row: Row): void {
    if (row.key.startsWith(leasePrefix)) {
      const id = row.key.slice(leasePrefix.length)
      if (row.version === 0) this.#leases.delete(id)
      else this.begin(id, Number(Buffer.from(row.value).toString("utf8")))
    }
    this.attach(row)
  }

  begin(id: string, ttlMs: number): void {
    const expiresAt = this.#clock.monotonic() + ttlMs
    const keys = this.#leases.get(id)?.keys ?? new Set<string>()
    this.#leases.set(id, { ttlMs, expiresAt, ending: false, keys })
    this.#schedule(expiresAt)
  }

  attach(row: RowHeader): void {
    const before = this.#leaseOfKey.get(row.key)
    if (before === row.lease) return
    if (before !== undefined) {
      this.#leases.get(before)?.keys.delete(row.key)
      this.#leaseOfKey.delete(row.key)
    }
    if (row.lease === undefined) return
    this.#leaseOfKey.set(row.key, row.lease)
    this.#leases.get(row.lease)?.keys.add(row.key)
  }

  /** After a load: rows come before their leases are known. */
  relink(): void {
    for (const [key, id] of this.#leaseOfKey) this.#leases.get(id)?.keys.add(key)
  }

  keysOf(id: string): readonly string[] {
    return [...(this.#leases.get(id)?.keys ?? [])]
  }

  has(id: string): boolean {
    return this.#leases.has(id)
  }

  faultFor(key: string, id: string, more: number): Fault | undefined {
    const lease = this.#leases.get(id)
    if (lease === undefined || lease.ending)
      return storeFault("SPT-STORE-005", { key, lease: id, cause: "there is no such lease" })
    if (lease.keys.size + more < maxKeysPerLease || lease.keys.has(key)) return undefined
    const cause = `it has ${maxKeysPerLease} keys already`
    return storeFault("SPT-STORE-005", { key, lease: id, cause })
  }

  renew(id: string): boolean {
    const lease = this.#leases.get(id)
    if (lease === undefined || lease.ending) return false
    if (lease.expiresAt <= this.#clock.monotonic()) return false
    lease.expiresAt = this.#clock.monotonic() + lease.ttlMs
    return true
  }

  /** From here on nothing can be attached and nothing renewed. */
  markEnding(id: string): void {
    const lease = this.#leases.get(id)
    if (lease !== undefined) lease.ending = true
  }

  /** A revoke failed without effect; the next expiry tries again. */
  unmarkEnding(id: string): void {
    const lease = this.#leases.get(id)
    if (lease === undefined) return
    lease.ending = false
    lease.expiresAt = this.#clock.monotonic() + 1000
    this.#schedule(lease.expiresAt)
  }

  close(): void {
    this.#timer?.cancel()
    this.#leases.clear()
    this.#timerAt = Number.NEGATIVE_INFINITY
  }

  /** Renewals leave the timer alone: it fires early, finds nothing due and looks again. */
  #schedule(at: number): void {
    if (at >= this.#timerAt) return
    this.#timer?.cancel()
    this.#timerAt = at
    this.#timer = this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.#timer = undefined
      this.#look()
    })
  }

  #look(): void {
    const now = this.#clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    for (const [id, lease] of this.#leases) {
      if (lease.ending) continue
      if (lease.expiresAt > now) {
        next = Math.min(next, lease.expiresAt)
        continue
      }
      lease.ending = true
      this.#expire(id)
    }
    if (next < Number.POSITIVE_INFINITY) this.#schedule(next)
  }
}
