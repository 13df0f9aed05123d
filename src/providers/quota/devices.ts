// Which devices of which nodes are free, and where a workload's members would sit. A device is
// taken by one seat at most; a seat lies on one node. Members go where the least is left over, so
// that large free blocks stay whole.

import { compareText } from "./choose-victims.ts"
import type { NodeFacts, Seat, WorkloadFacts } from "./snapshot.ts"

export class Devices {
  /** Free device indices of each node, ascending. */
  readonly #free: Map<string, number[]>
  readonly #names: readonly string[]
  #count = 0

  constructor(free: ReadonlyMap<string, readonly number[]>) {
    this.#names = [...free.keys()].sort(compareText)
    this.#free = new Map(this.#names.map((name) => [name, [...(free.get(name) ?? [])]]))
    for (const devices of this.#free.values()) this.#count += devices.length
  }

  copy(): Devices {
    return new Devices(this.#free)
  }

  get count(): number {
    return this.#count
  }

  /** Devices that become free; those of nodes that take nothing new are not offered. */
  give(seats: readonly Seat[]): void {
    for (const { node, devices } of seats) {
      const free = this.#free.get(node)
      if (free === undefined) continue
      const more = devices.filter((device) => !free.includes(device))
      this.#count += more.length
      free.push(...more)
      free.sort((left, right) => left - right)
    }
  }

  /** The reverse of `give`. */
  remove(seats: readonly Seat[]): void {
    for (const { node, devices } of seats) {
      const free = this.#free.get(node)
      if (free === undefined) continue
      const left = free.filter((device) => !devices.includes(device))
      this.#count -= free.length - left.length
      this.#free.set(node, left)
    }
  }

  /** Whether these would all be offered if they were free. */
  offers(seats: readonly Seat[]): boolean {
    return seats.every(({ node }) => this.#free.has(node))
  }

  has(seats: readonly Seat[]): boolean {
    return seats.every(({ node, devices }) => {
      const free = this.#free.get(node)
      return free !== undefined && devices.every((device) => free.includes(device))
    })
  }

  /** Seats for all members, which are then taken; undefined when not all of them fit. */
  take({ gpus, members }: Pick<WorkloadFacts, "gpus" | "members">): readonly Seat[] | undefined {
    if (this.#room(gpus, members) < members) return undefined
    const seats: Seat[] = []
    for (let member = 0; member < members; member++) {
      const node = this.#tightest(gpus)
      const free = node === undefined ? undefined : this.#free.get(node)
      if (node === undefined || free === undefined) return undefined
      seats.push({ node, devices: free.splice(0, gpus) })
      this.#count -= gpus
    }
    return seats
  }

  fits({ gpus, members }: Pick<WorkloadFacts, "gpus" | "members">): boolean {
    return this.#room(gpus, members) >= members
  }

  /** How many members of that size fit; no more are counted than could matter. */
  #room(gpus: number, enough: number): number {
    if (this.#count < gpus * enough) return 0
    let members = 0
    for (const free of this.#free.values()) {
      members += Math.floor(free.length / gpus)
      if (members >= enough) break
    }
    return members
  }

  #tightest(gpus: number): string | undefined {
    let best: string | undefined
    let left = Number.POSITIVE_INFINITY
    for (const name of this.#names) {
      const length = this.#free.get(name)?.length ?? 0
      if (length < gpus || length >= left) continue
      best = name
      left = length
    }
    return best
  }
}

/** What is free on nodes that may take something, after what everybody of any flavor holds. */
export function freeDevices(
  nodes: readonly NodeFacts[],
  holders: readonly WorkloadFacts[],
): Devices {
  const taken = new Map<string, Set<number>>()
  for (const { state } of holders) {
    if (state.kind === "waiting") continue
    for (const { node, devices } of state.seats) {
      const known = taken.get(node) ?? new Set<number>()
      for (const device of devices) known.add(device)
      taken.set(node, known)
    }
  }
  const free = new Map<string, number[]>()
  for (const { name, gpus, doubt, cordoned, outOfService } of nodes) {
    if (doubt !== undefined || cordoned || outOfService) continue
    const held = taken.get(name)
    const all = Array.from({ length: gpus }, (_, index) => index)
    free.set(name, held === undefined ? all : all.filter((index) => !held.has(index)))
  }
  return new Devices(free)
}
