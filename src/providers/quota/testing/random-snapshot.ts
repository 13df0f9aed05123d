// Random snapshots of a small pool, for the property tests: tenants with all kinds of quotas,
// nodes, and workloads of which some run already, whatever the quotas say. What runs sits on
// devices that exist and that nobody else has.

import fc from "fast-check"
import { Devices } from "../devices.ts"
import type {
  NodeFacts,
  Quota,
  Seat,
  Snapshot,
  TenantFacts,
  WorkloadFacts,
  WorkloadState,
} from "../snapshot.ts"

export const now = 1_000_000
const flavors = ["a100", "h100"] as const

const quota: fc.Arbitrary<Quota> = fc
  .record({
    nominal: fc.integer({ min: 0, max: 10 }),
    guaranteed: fc.integer({ min: 0, max: 10 }),
    borrowLimit: fc.integer({ min: 0, max: 10 }),
    weight: fc.integer({ min: 1, max: 3 }),
  })
  .map((one) => ({ ...one, guaranteed: Math.min(one.guaranteed, one.nominal) }))

interface Draft {
  readonly tenant: number
  readonly flavor: number
  readonly priority: number
  readonly gpus: number
  readonly members: number
  readonly preemptible: number
  readonly age: number
  readonly state: number
}

const draft: fc.Arbitrary<Draft> = fc.record({
  tenant: fc.nat(2),
  flavor: fc.nat(5),
  priority: fc.nat(2),
  gpus: fc.constantFrom(1, 1, 2, 4),
  members: fc.constantFrom(1, 1, 1, 2, 3),
  preemptible: fc.nat(5),
  age: fc.nat(9),
  state: fc.nat(5),
})

export interface RandomOptions {
  /** Let facts be missing in some of the snapshots. */
  readonly doubts?: boolean
  readonly workloads?: { readonly minLength?: number; readonly maxLength: number }
}

export function randomSnapshot({
  doubts = false,
  workloads: count = { maxLength: 9 },
}: RandomOptions = {}): fc.Arbitrary<Snapshot> {
  const parts = fc.record({
    quotas: fc.array(quota, { minLength: 3, maxLength: 6 }),
    sizes: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
    minRuntime: fc.constantFrom(0, 0, 5),
    cordoned: fc.nat(7),
    lost: fc.nat(15),
    drafts: fc.array(draft, count),
    doubt: doubts ? fc.nat(6) : fc.constant(0),
  })
  return parts.map(({ quotas, sizes, minRuntime, cordoned, lost, drafts, doubt }) => {
    const tenants = ["ann", "bob", "cat"].map(
      (name, index): TenantFacts => ({
        name,
        minRuntimeMs: minRuntime,
        quota: new Map(
          flavors.flatMap((flavor, at) => {
            const one = quotas[index * 2 + at] ?? quotas[index]
            return one === undefined ? [] : [[flavor, one] as const]
          }),
        ),
      }),
    )
    const nodes = sizes.map(
      (gpus, index): NodeFacts => ({
        ...{ name: `n${index}`, flavor: index === 3 ? "h100" : "a100", gpus },
        ...{ cordoned: cordoned === index, outOfService: lost === index },
        ...(doubt === 1 && index === 0 ? { doubt: "no heartbeat for 60 s" } : {}),
      }),
    )
    const workloads = seated(drafts, nodes)
    const without = doubt === 2 ? tenants.slice(1) : tenants
    const known = doubt === 3 ? nodes.slice(1) : nodes.map((node) => changed(node, doubt))
    const told = doubt === 4 ? ["the list of nodes is not complete"] : []
    return { now, tenants: without, nodes: known, workloads, doubts: told }
  })
}

/** A node is declared otherwise than it was when its devices were given away. */
function changed(node: NodeFacts, doubt: number): NodeFacts {
  if (doubt === 5) return { ...node, flavor: node.flavor === "a100" ? "h100" : "a100" }
  return doubt === 6 ? { ...node, gpus: Math.ceil(node.gpus / 2) } : node
}

function seated(drafts: readonly Draft[], nodes: readonly NodeFacts[]): readonly WorkloadFacts[] {
  const free = new Map(
    flavors.map((flavor) => {
      const own = nodes.filter((node) => node.flavor === flavor)
      const all = own.map(({ name, gpus }) => [name, Array.from({ length: gpus }, (_, at) => at)])
      return [flavor, new Devices(new Map(all as [string, number[]][]))] as const
    }),
  )
  return drafts.map((one, index): WorkloadFacts => {
    const flavor = one.flavor === 0 ? "h100" : "a100"
    const shape = { gpus: one.gpus, members: one.members }
    const seats = one.state < 2 ? undefined : free.get(flavor)?.take(shape)
    return {
      ...{ uid: `u${index}`, name: `w${index}`, flavor, ...shape },
      tenant: ["ann", "bob", "cat"][one.tenant] ?? "ann",
      priority: one.priority,
      preemptible: one.preemptible !== 0,
      created: now - one.age,
      state: stateOf(one, seats),
    }
  })
}

function stateOf({ state, age }: Draft, seats: readonly Seat[] | undefined): WorkloadState {
  if (seats === undefined) return state === 1 ? { kind: "waiting", notBefore: now + 5 } : waits
  return state === 2 ? { kind: "leaving", seats } : { kind: "running", since: now - age, seats }
}

const waits: WorkloadState = { kind: "waiting" }
