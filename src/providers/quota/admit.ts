// Who may start in one flavor, in three rounds: within what a tenant is guaranteed, within its own
// quota, and with what others leave idle. Whoever is within its own quota and finds no room gets
// it back from those who borrowed. What is on its way out is promised at once, so that nobody else
// takes it and nobody is evicted twice for the same need.

import { byWorth, chooseVictims, compareText } from "./choose-victims.ts"
import type { FlavorBook } from "./flavor-book.ts"
import {
  type Admitted,
  type Quota,
  type Seat,
  seatsOf,
  sizeOf,
  type Victim,
  type Waiting,
  type WaitReason,
  type WorkloadFacts,
} from "./snapshot.ts"

export interface AdmitOptions {
  readonly now: number
  /** False while there are doubts. */
  readonly mayEvict: boolean
}

type Round = "guaranteed" | "nominal" | "borrow"

export class Admission {
  readonly admitted: Admitted[] = []
  readonly waiting: Waiting[] = []
  readonly victims: Victim[] = []
  againAt: number | undefined
  readonly #book: FlavorBook
  readonly #options: AdmitOptions
  /** Shapes that no eviction makes room for; forgotten when somebody is evicted. */
  readonly #hopeless = new Set<string>()

  constructor(book: FlavorBook, options: AdmitOptions) {
    this.#book = book
    this.#options = options
  }

  run(): void {
    let open = this.#eligible()
    open = open.filter((one) => !this.#tryWithin(one, "guaranteed"))
    open = open.filter((one) => !this.#tryWithin(one, "nominal"))
    this.#lend(open)
  }

  #again(at: number): void {
    if (at > this.#options.now) this.againAt = Math.min(this.againAt ?? at, at)
  }

  #wait(workload: WorkloadFacts, reason: WaitReason, message: string, reserved?: readonly Seat[]) {
    const kept = reserved === undefined ? {} : { reserved }
    this.waiting.push({ workload, reason, message, ...kept })
    return true
  }

  #eligible(): readonly WorkloadFacts[] {
    const { flavor } = this.#book
    return [...this.#book.waiting].sort(byTurn).filter((workload) => {
      const { tenant, state } = workload
      const quota = this.#book.quota(tenant)
      if (quota === undefined) {
        this.#wait(workload, "NoQuota", `tenant ${tenant} has no quota for ${flavor}`)
        return false
      }
      const cap = quota.nominal + quota.borrowLimit
      if (sizeOf(workload) > cap) {
        const message = `it needs ${sizeOf(workload)} and tenant ${tenant} may use ${cap} at most`
        this.#wait(workload, "QuotaExceeded", message)
        return false
      }
      const notBefore = state.kind === "waiting" ? (state.notBefore ?? 0) : 0
      if (notBefore <= this.#options.now) return true
      this.#again(notBefore)
      this.#wait(workload, "CoolingDown", "it was evicted a moment ago and waits before it returns")
      return false
    })
  }

  /** True when it is settled what becomes of it. */
  #tryWithin(workload: WorkloadFacts, round: "guaranteed" | "nominal"): boolean {
    const quota = this.#book.quota(workload.tenant)
    const after = this.#book.used(workload.tenant) + sizeOf(workload)
    if (quota === undefined || after > quota[round]) return false
    return this.#seat(workload, round) || this.#reclaim(workload, round)
  }

  #kept({ tenant }: WorkloadFacts, round: Round, gone?: ReadonlyMap<string, number>): number {
    return round === "guaranteed" ? 0 : this.#book.keptBack(tenant, gone)
  }

  #seat(workload: WorkloadFacts, round: Round): boolean {
    const book = this.#book
    if (book.coming.count - sizeOf(workload) < this.#kept(workload, round)) return false
    const { state } = workload
    const reserved = state.kind === "waiting" ? state.reserved : undefined
    const borrowed = round === "borrow"
    if (reserved === undefined || !book.coming.has(reserved)) {
      const seats = book.seat(workload)
      if (seats !== undefined) {
        this.admitted.push({ workload, seats, borrowed })
        return true
      }
    } else if (book.sitDown(workload, reserved)) {
      this.admitted.push({ workload, seats: reserved, borrowed })
      return true
    }
    const seats = book.promise(workload)
    if (seats === undefined) return false
    return this.#wait(workload, "Freeing", "its GPUs are still being freed", seats)
  }

  /** Takes back what others borrowed, if that makes room; else the workload stays open. */
  #reclaim(workload: WorkloadFacts, round: "guaranteed" | "nominal"): boolean {
    if (!this.#options.mayEvict) return false
    const shape = `${workload.tenant}/${workload.gpus}x${workload.members}/${round}`
    if (this.#hopeless.has(shape)) return false
    const book = this.#book
    const room = book.coming.copy()
    const gone = new Map<string, number>()
    const lose = ({ tenant }: WorkloadFacts, gpus: number) =>
      gone.set(tenant, (gone.get(tenant) ?? 0) + gpus)
    const chosen = chooseVictims(this.#borrowers(workload.tenant), {
      add: (victim) => {
        room.give(seatsOf(victim))
        lose(victim, sizeOf(victim))
      },
      drop: (victim) => {
        room.remove(seatsOf(victim))
        lose(victim, -sizeOf(victim))
      },
      // Whoever loses may fall below its own guarantee, and then room for that has to stay.
      enough: () =>
        room.count >= sizeOf(workload) + this.#kept(workload, round, gone) && room.fits(workload),
    })
    if (chosen === undefined) {
      this.#hopeless.add(shape)
      return false
    }
    this.#hopeless.clear()
    const { name, tenant } = workload
    const why = `tenant ${tenant} wants ${sizeOf(workload)} of its own ${book.flavor} for ${name}`
    for (const victim of chosen) {
      book.evict(victim)
      const message = `${why}; tenant ${victim.tenant} runs it on what it borrowed`
      this.victims.push({ workload: victim, reason: "Reclaimed", message })
    }
    const names = chosen.map((victim) => victim.name).join(", ")
    const message = `its GPUs are taken back from ${names}`
    return this.#wait(workload, "Reclaiming", message, book.promise(workload))
  }

  /**
   * What runs above its tenant's own quota, may be stopped, and ran long enough. Whoever sits on a
   * node that takes nothing new would be evicted for GPUs that nobody gets.
   */
  #borrowers(except: string): readonly WorkloadFacts[] {
    const book = this.#book
    const byTenant = new Map<string, WorkloadFacts[]>()
    for (const one of book.running) {
      if (one.tenant === except || !book.isStaying(one)) continue
      const known = byTenant.get(one.tenant)
      if (known === undefined) byTenant.set(one.tenant, [one])
      else known.push(one)
    }
    const found: WorkloadFacts[] = []
    for (const [tenant, held] of byTenant) {
      const quota = book.quota(tenant)
      if (quota === undefined || book.used(tenant) <= quota.nominal) continue
      for (const one of borrowedOf(held, quota)) {
        if (!book.coming.offers(seatsOf(one))) continue
        const since = one.state.kind === "running" ? one.state.since : 0
        const ripe = since + book.minRuntimeMs(tenant)
        if (ripe <= this.#options.now) found.push(one)
        else this.#again(ripe)
      }
    }
    return found
  }

  /** What is left over goes to whoever borrows least for its weight, one after another. */
  #lend(open: readonly WorkloadFacts[]): void {
    const queues = new Map<string, WorkloadFacts[]>()
    for (const one of open) {
      const known = queues.get(one.tenant)
      if (known === undefined) queues.set(one.tenant, [one])
      else known.push(one)
    }
    while (queues.size > 0) {
      const tenant = this.#neediest(queues.keys())
      const queue = queues.get(tenant) ?? []
      const before = this.#book.used(tenant)
      // As long as it gets nothing, it stays the one that borrows least.
      const next = queue.findIndex((one) => {
        this.#lendTo(one)
        return this.#book.used(tenant) !== before
      })
      if (next < 0 || next + 1 === queue.length) queues.delete(tenant)
      else queues.set(tenant, queue.slice(next + 1))
    }
  }

  #neediest(tenants: Iterable<string>): string {
    const share = (tenant: string) => {
      const { nominal = 0, weight = 1 } = this.#book.quota(tenant) ?? {}
      return Math.max(0, this.#book.used(tenant) - nominal) / weight
    }
    let best = ""
    let least = Number.POSITIVE_INFINITY
    for (const one of tenants) {
      const own = share(one)
      if (own > least || (own === least && compareText(one, best) > 0)) continue
      best = one
      least = own
    }
    return best
  }

  #lendTo(workload: WorkloadFacts): void {
    const book = this.#book
    const { tenant } = workload
    const { nominal, borrowLimit } = book.quota(tenant) ?? { nominal: 0, borrowLimit: 0 }
    const cap = nominal + borrowLimit
    const used = book.used(tenant)
    if (used + sizeOf(workload) > cap) {
      const message = `tenant ${tenant} uses ${used} of ${cap} and it needs ${sizeOf(workload)}`
      this.#wait(workload, "QuotaExceeded", message)
      return
    }
    if (this.#seat(workload, "borrow")) return
    const kept = book.keptBack(tenant)
    const isKept = kept > 0 && book.coming.fits(workload)
    const left = `${book.coming.count} ${book.flavor} are free`
    if (isKept) this.#wait(workload, "Guaranteed", `${left} and ${kept} are kept for others`)
    else this.#wait(workload, "NoCapacity", `${left}, and no ${shapeText(workload)} among them`)
  }
}

const shapeText = ({ gpus, members }: WorkloadFacts): string =>
  members === 1 ? `${gpus} on one node` : `${members} times ${gpus} on one node`

/** Important first, then whoever waits longest. */
function byTurn(left: WorkloadFacts, right: WorkloadFacts): number {
  return (
    right.priority - left.priority ||
    left.created - right.created ||
    compareText(left.uid, right.uid)
  )
}

/** The tenant's own quota covers what can't be stopped first, then the worthiest. */
export function borrowedOf(
  held: readonly WorkloadFacts[],
  { nominal }: Pick<Quota, "nominal">,
): readonly WorkloadFacts[] {
  const worthiest = [...held].sort(
    (left, right) => Number(right.preemptible) - Number(left.preemptible) || byWorth(left, right),
  )
  let covered = 0
  return worthiest.reverse().filter((one) => {
    covered += sizeOf(one)
    return covered > nominal && one.preemptible
  })
}
