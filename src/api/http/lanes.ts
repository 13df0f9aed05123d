// The ordinary lane for requests, and a reserved one: what stops the plane, lifts a stop or asks
// for Plane/local is answered when every ordinary slot is taken. Watches are counted on their
// own.

import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import type { Principal } from "../../contract/principal.ts"
import { setpointGroup } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import type { RequestInfo } from "./request-info.ts"
import { type Leave, RequestSlots } from "./request-slots.ts"

export interface LaneLimits {
  readonly requestsAtOnce: number
  readonly requestsPerCaller: number
  readonly watches: number
  readonly watchesPerCaller: number
}

export const defaultLaneLimits: LaneLimits = {
  requestsAtOnce: 256,
  requestsPerCaller: 192,
  watches: 8192,
  watchesPerCaller: 2048,
}

const waitMs = 10_000
const reservedPaths = /^\/setpoint\/v1\/(stop|resume|in-flight)$/

export class Lanes {
  readonly ordinary: RequestSlots
  readonly reserved: RequestSlots
  readonly #limits: LaneLimits
  readonly #watches = new Map<string, number>()
  #watchCount = 0

  constructor(clock: Clock, limits: LaneLimits) {
    this.#limits = limits
    const { requestsAtOnce: atOnce, requestsPerCaller: perCaller } = limits
    const lane = { atOnce, perCaller, waitingPerCaller: atOnce, waiting: 4 * atOnce, waitMs }
    this.ordinary = new RequestSlots(clock, lane)
    const few = { atOnce: 32, perCaller: 8, waitingPerCaller: 32, waiting: 256, waitMs }
    this.reserved = new RequestSlots(clock, few)
  }

  get watchCount(): number {
    return this.#watchCount
  }

  enter(principal: Principal | undefined, path: string, info: RequestInfo): Leave | Promise<Leave> {
    const isReserved = protects("reserved-lane") && isReservedFor(path, info)
    return (isReserved ? this.reserved : this.ordinary).enter(principal?.name ?? "")
  }

  openWatch({ name }: Principal): Leave {
    const { watches, watchesPerCaller } = this.#limits
    const own = this.#watches.get(name) ?? 0
    const most = protects("watches-per-caller") ? Math.min(watchesPerCaller, watches) : watches
    if (own >= most) throw tooMany(own, `of ${name} `)
    if (this.#watchCount >= watches) throw tooMany(watches, "")
    this.#watches.set(name, own + 1)
    this.#watchCount++
    return () => {
      const rest = (this.#watches.get(name) ?? 1) - 1
      if (rest === 0) this.#watches.delete(name)
      else this.#watches.set(name, rest)
      this.#watchCount--
    }
  }
}

function isReservedFor(path: string, { target }: RequestInfo): boolean {
  if (target === undefined) return reservedPaths.test(path)
  const { group, resource } = target.resource
  return group === setpointGroup && resource === "planes"
}

function tooMany(count: number, whose: string): Error {
  return apiFault("SPT-API-023", { why: `${count} watches ${whose}are open` })
}
