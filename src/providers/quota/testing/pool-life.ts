// The life of a pool step by step: workloads come and end, quotas and nodes change, those who are
// told to leave take a while. It carries the planner's plans out and keeps what it promised.

import { carryOut, planQuota } from "../plan-quota.ts"
import type { NodeFacts, QuotaPlan, Snapshot, WorkloadFacts } from "../snapshot.ts"

/** The next of a sequence that looks random, from 0 to below 1. */
export type Dice = () => number

export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export class PoolLife {
  snapshot: Snapshot
  readonly #dice: Dice
  #made = 0
  /** How many steps those who leave still need. */
  readonly #left = new Map<string, number>()

  constructor(snapshot: Snapshot, dice: Dice) {
    this.snapshot = snapshot
    this.#dice = dice
  }

  below(count: number): number {
    return Math.floor(this.#dice() * count)
  }

  /** One plan, carried out; those who have had their time are gone afterwards. */
  step(): QuotaPlan {
    const plan = planQuota(this.snapshot)
    const next = carryOut(this.snapshot, plan)
    for (const { workload } of plan.victims) this.#left.set(workload.uid, this.below(4))
    const workloads = next.workloads.map((one): WorkloadFacts => {
      if (one.state.kind !== "leaving") return one
      const steps = this.#left.get(one.uid) ?? 0
      this.#left.set(one.uid, steps - 1)
      return steps > 0 ? one : { ...one, state: { kind: "waiting" } }
    })
    this.snapshot = { ...next, now: next.now + 1, workloads }
    return plan
  }

  /** Something changes in the world. */
  happen(): void {
    const event = this.below(6)
    if (event < 3) this.#arrive()
    else if (event === 3) this.#end()
    else if (event === 4) this.#changeQuota()
    else this.#changeNode()
  }

  #arrive(): void {
    const uid = `life${this.#made++}`
    const workload: WorkloadFacts = {
      ...{ uid, name: uid, flavor: "a100", preemptible: this.below(8) > 0 },
      tenant: ["ann", "bob", "cat"][this.below(3)] ?? "ann",
      priority: this.below(3),
      gpus: [1, 1, 2, 4][this.below(4)] ?? 1,
      members: [1, 1, 1, 2][this.below(4)] ?? 1,
      created: this.snapshot.now,
      state: { kind: "waiting" },
    }
    this.snapshot = { ...this.snapshot, workloads: [...this.snapshot.workloads, workload] }
  }

  #end(): void {
    const gone = this.below(this.snapshot.workloads.length)
    const workloads = this.snapshot.workloads.filter((_, index) => index !== gone)
    this.snapshot = { ...this.snapshot, workloads }
  }

  #changeQuota(): void {
    const chosen = this.below(3)
    const nominal = this.below(9)
    const quota = {
      ...{ nominal, guaranteed: this.below(nominal + 1) },
      ...{ borrowLimit: this.below(9), weight: 1 + this.below(3) },
    }
    const tenants = this.snapshot.tenants.map((tenant, index) =>
      index === chosen ? { ...tenant, quota: new Map([["a100", quota]]) } : tenant,
    )
    this.snapshot = { ...this.snapshot, tenants }
  }

  #changeNode(): void {
    const chosen = this.below(this.snapshot.nodes.length)
    const change = (node: NodeFacts): NodeFacts =>
      this.below(4) > 0
        ? { ...node, cordoned: !node.cordoned }
        : { ...node, flavor: node.flavor === "a100" ? "h100" : "a100" }
    const nodes = this.snapshot.nodes.map((node, index) => (index === chosen ? change(node) : node))
    this.snapshot = { ...this.snapshot, nodes }
  }
}
