// The books of one flavor during one pass of the planner: who uses how much, what is free now, and
// what will be free once everybody who was told to leave has left. Everything that is given away
// in a pass is taken out here at once, so nothing is given twice.

import { type Devices, freeDevices } from "./devices.ts"
import {
  type NodeFacts,
  type Quota,
  type Seat,
  seatsOf,
  sizeOf,
  type TenantFacts,
  type Usage,
  type WorkloadFacts,
} from "./snapshot.ts"

export class FlavorBook {
  readonly flavor: string
  readonly running: WorkloadFacts[] = []
  readonly leaving: WorkloadFacts[] = []
  readonly waiting: WorkloadFacts[] = []
  /** Free and not promised. */
  readonly free: Devices
  /** The same, with what is on its way out. */
  readonly coming: Devices
  readonly #tenants: ReadonlyMap<string, TenantFacts>
  readonly #used = new Map<string, number>()
  /** Of those who have any. */
  readonly #guaranteed: ReadonlyMap<string, number>
  readonly #evicted = new Set<string>()

  constructor(
    flavor: string,
    nodes: readonly NodeFacts[],
    tenants: ReadonlyMap<string, TenantFacts>,
    workloads: readonly WorkloadFacts[],
    /** Of every flavor: a node may have been another one when its devices were given away. */
    holders: readonly WorkloadFacts[],
  ) {
    this.flavor = flavor
    this.#tenants = tenants
    const guaranteed = [...tenants.values()].map(
      ({ name, quota }) => [name, quota.get(flavor)?.guaranteed ?? 0] as const,
    )
    this.#guaranteed = new Map(guaranteed.filter(([, count]) => count > 0))
    for (const workload of workloads) {
      this[workload.state.kind].push(workload)
      if (workload.state.kind === "running") this.#use(workload.tenant, sizeOf(workload))
    }
    this.free = freeDevices(nodes, holders)
    this.coming = this.free.copy()
    for (const { state } of this.leaving)
      if (state.kind === "leaving") this.coming.give(state.seats)
  }

  #use(tenant: string, gpus: number): void {
    this.#used.set(tenant, this.used(tenant) + gpus)
  }

  /** What the tenant holds and keeps, with what was given or promised to it in this pass. */
  used(tenant: string): number {
    return this.#used.get(tenant) ?? 0
  }

  quota(tenant: string): Quota | undefined {
    return this.#tenants.get(tenant)?.quota.get(this.flavor)
  }

  minRuntimeMs(tenant: string): number {
    return this.#tenants.get(tenant)?.minRuntimeMs ?? Number.POSITIVE_INFINITY
  }

  isStaying(workload: WorkloadFacts): boolean {
    return workload.state.kind === "running" && !this.#evicted.has(workload.uid)
  }

  evict(workload: WorkloadFacts): void {
    this.#evicted.add(workload.uid)
    this.#use(workload.tenant, -sizeOf(workload))
    this.coming.give(seatsOf(workload))
  }

  /** Seats that are free now; they are taken. */
  seat(workload: WorkloadFacts): readonly Seat[] | undefined {
    const seats = this.free.take(workload)
    if (seats === undefined) return undefined
    this.coming.remove(seats)
    this.#use(workload.tenant, sizeOf(workload))
    return seats
  }

  /** These seats, when all of them are free now. */
  sitDown(workload: WorkloadFacts, seats: readonly Seat[]): boolean {
    if (!this.free.has(seats)) return false
    this.#keep(workload, seats)
    return true
  }

  /** Seats that are free or will be; nobody else gets them. */
  promise(workload: WorkloadFacts): readonly Seat[] | undefined {
    const { state } = workload
    const before = state.kind === "waiting" ? state.reserved : undefined
    if (before !== undefined && isFor(workload, before) && this.coming.has(before)) {
      this.#keep(workload, before)
      return before
    }
    const seats = this.coming.take(workload)
    if (seats !== undefined) this.#keep(workload, seats)
    return seats
  }

  #keep(workload: WorkloadFacts, seats: readonly Seat[]): void {
    this.coming.remove(seats)
    this.free.remove(seats)
    this.#use(workload.tenant, sizeOf(workload))
  }

  /**
   * What has to stay idle for the guarantees of everybody but this tenant, without what is gone.
   */
  keptBack(except: string, gone: ReadonlyMap<string, number> = new Map()): number {
    let kept = 0
    for (const [name, guaranteed] of this.#guaranteed) {
      if (name === except) continue
      kept += Math.max(0, guaranteed - this.used(name) + (gone.get(name) ?? 0))
    }
    return kept
  }

  usage(): readonly Usage[] {
    const sums = [this.running, this.leaving, this.waiting].map(byTenant)
    return [...this.#tenants.keys()].sort().flatMap((tenant) => {
      const quota = this.quota(tenant)
      const [held = 0, left = 0, wanted = 0] = sums.map((sum) => sum.get(tenant) ?? 0)
      if (quota === undefined && held + left + wanted === 0) return []
      const nominal = quota?.nominal ?? 0
      const cap = nominal + (quota?.borrowLimit ?? 0)
      return [
        { tenant, flavor: this.flavor, nominal, cap, used: held, leaving: left, waiting: wanted },
      ]
    })
  }
}

/** GPUs of each tenant. */
function byTenant(workloads: readonly WorkloadFacts[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const one of workloads) {
    sums.set(one.tenant, (sums.get(one.tenant) ?? 0) + sizeOf(one))
  }
  return sums
}

/** A promise counts only for the shape that it was made for. */
function isFor({ gpus, members }: WorkloadFacts, seats: readonly Seat[]): boolean {
  return seats.length === members && seats.every(({ devices }) => devices.length === gpus)
}
