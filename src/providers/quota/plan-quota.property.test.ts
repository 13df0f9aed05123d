// The planner's promises over random snapshots, and against a model that tries every set of
// victims.

import fc from "fast-check"
import { afterEach, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { borrowedOf } from "./admit.ts"
import { findDoubts } from "./find-doubts.ts"
import { carryOut, planQuota } from "./plan-quota.ts"
import { type QuotaPlan, type Snapshot, seatsOf, sizeOf, type WorkloadFacts } from "./snapshot.ts"
import { brokenClaim } from "./testing/plan-claims.ts"
import { randomSnapshot } from "./testing/random-snapshot.ts"
import { smallestSet } from "./testing/smallest-set.ts"

const rearm: (() => void)[] = []
afterEach(() => {
  for (const arm of rearm.splice(0)) arm()
})

const factor = process.env.SETPOINT_TEST_FULL === "1" ? 10 : 1
const check = (runs: number, arbitrary: fc.Arbitrary<Snapshot>, law: (one: Snapshot) => void) =>
  fc.assert(fc.property(arbitrary, law), { numRuns: runs * factor })

const names = (workloads: readonly WorkloadFacts[]) => workloads.map(({ name }) => name).sort()
const sum = (workloads: readonly WorkloadFacts[]) =>
  workloads.reduce((gpus, one) => gpus + sizeOf(one), 0)
const picked = ({ victims }: QuotaPlan, why: string) =>
  victims.filter(({ reason }) => reason === why).map(({ workload }) => workload)

it("never gives a GPU twice, splits a gang, passes a quota or evicts whom it may not", () => {
  check(6000, randomSnapshot(), (snapshot) => {
    const plan = planQuota(snapshot)
    expect(brokenClaim(snapshot, plan)).toBeUndefined()
    const again = planQuota(carryOut(snapshot, plan))
    expect([...again.admitted, ...again.victims]).toEqual([])
  })
})

it("says the same whatever the order of its facts", () => {
  check(1000, randomSnapshot(), (snapshot) => {
    const { tenants, nodes, workloads } = snapshot
    const turned = {
      ...snapshot,
      tenants: tenants.toReversed(),
      nodes: nodes.toReversed(),
      workloads: workloads.toReversed(),
    }
    const plain = ({ admitted, victims }: QuotaPlan) => [
      admitted.map(({ workload, seats }) => `${workload.name} ${JSON.stringify(seats)}`).sort(),
      victims.map(({ workload, message }) => `${workload.name} ${message}`).sort(),
    ]
    expect(plain(planQuota(turned))).toEqual(plain(planQuota(snapshot)))
  })
})

/** Whether so many members find room, counted node by node. */
function hasRoom(
  { nodes, workloads }: Snapshot,
  gone: readonly WorkloadFacts[],
  { gpus, members, flavor }: WorkloadFacts,
  kept: number,
): boolean {
  const staying = workloads.filter((one) => one.state.kind === "running" && !gone.includes(one))
  let [rooms, left] = [0, 0]
  for (const node of nodes) {
    if (node.flavor !== flavor || node.cordoned || node.outOfService) continue
    const held = staying.flatMap(seatsOf).filter((seat) => seat.node === node.name)
    const free = node.gpus - held.reduce((total, { devices }) => total + devices.length, 0)
    rooms += Math.floor(free / gpus)
    left += free
  }
  return rooms >= members && left >= gpus * members + kept
}

it("evicts for a cut quota exactly whom the model picks: the least worthy, and no more", () => {
  check(6000, randomSnapshot(), (snapshot) => {
    const plan = planQuota(snapshot)
    const lost = picked(plan, "NodeOutOfService")
    const expected: WorkloadFacts[] = []
    for (const { name, quota } of snapshot.tenants) {
      for (const [flavor, { nominal, borrowLimit }] of quota) {
        const held = snapshot.workloads.filter(
          (one) => one.tenant === name && one.flavor === flavor && one.state.kind === "running",
        )
        const staying = held.filter((one) => !lost.includes(one))
        const candidates = staying.filter(({ preemptible }) => preemptible)
        const need = Math.min(sum(staying) - nominal - borrowLimit, sum(candidates))
        expected.push(...(smallestSet(candidates, (victims) => sum(victims) >= need) ?? []))
      }
    }
    expect(names(picked(plan, "OverQuota"))).toEqual(names(expected))
  })
})

/** One workload waits, mostly within its tenant's own; nobody is over its cap. */
const crowded = randomSnapshot({ workloads: { minLength: 6, maxLength: 10 } })
const oneWaits = crowded.map((snapshot): Snapshot => {
  const [first] = snapshot.workloads.filter(({ state }) => state.kind === "waiting")
  const workloads = snapshot.workloads.filter(
    (one) => one.state.kind !== "waiting" || one === first,
  )
  const tenants = snapshot.tenants.map((tenant) => {
    const more = tenant.name === first?.tenant ? 12 : -4
    const quota = [...tenant.quota].map(([name, one]) => {
      const nominal = Math.max(0, one.nominal + more)
      const guaranteed = Math.min(one.guaranteed, nominal, 2)
      return [name, { ...one, nominal, guaranteed, borrowLimit: 99 }] as const
    })
    return { ...tenant, quota: new Map(quota) }
  })
  const nodes = snapshot.nodes.map((node) => ({ ...node, outOfService: false }))
  return { ...snapshot, workloads, tenants, nodes }
})

it("takes back for a tenant's own exactly whom the model picks, from borrowers only", () => {
  let reclaimed = 0
  check(5000, oneWaits, (snapshot) => {
    const plan = planQuota(snapshot)
    const wants = snapshot.workloads.find(({ state }) => state.kind === "waiting")
    const expected = wants === undefined ? [] : modelReclaim(snapshot, wants)
    expect(names(picked(plan, "Reclaimed"))).toEqual(names(expected))
    if (expected.length === 0) return
    reclaimed++
    const after = planQuota(ended(carryOut(snapshot, plan)))
    const started = [...plan.admitted, ...after.admitted].map(({ workload }) => workload.name)
    expect(started).toContain(wants?.name)
  })
  expect(reclaimed).toBeGreaterThan(100)
})

/** Everybody who was told to leave has left, and rests. */
function ended(snapshot: Snapshot): Snapshot {
  const workloads = snapshot.workloads.map((one): WorkloadFacts => {
    if (one.state.kind !== "leaving") return one
    return { ...one, state: { kind: "waiting", notBefore: snapshot.now + 1 } }
  })
  return { ...snapshot, workloads }
}

function modelReclaim(snapshot: Snapshot, wants: WorkloadFacts): readonly WorkloadFacts[] {
  const { flavor, tenant, state } = wants
  if (state.kind === "waiting" && (state.notBefore ?? 0) > snapshot.now) return []
  const held = (name: string) =>
    snapshot.workloads.filter(
      (one) => one.tenant === name && one.flavor === flavor && one.state.kind === "running",
    )
  const own = snapshot.tenants.find(({ name }) => name === tenant)?.quota.get(flavor)
  const after = sum(held(tenant)) + sizeOf(wants)
  if (own === undefined || after > own.nominal) return []
  const others = snapshot.tenants.filter(({ name }) => name !== tenant)
  const candidates = others.flatMap(({ name, quota, minRuntimeMs }) => {
    const borrowed = borrowedOf(held(name), quota.get(flavor) ?? { nominal: 99 })
    const closed = snapshot.nodes.filter(({ cordoned }) => cordoned).map((node) => node.name)
    return borrowed
      .filter((one) => !seatsOf(one).some(({ node }) => closed.includes(node)))
      .filter(({ state }) => state.kind === "running" && state.since + minRuntimeMs <= snapshot.now)
  })
  const kept = (gone: readonly WorkloadFacts[]) => {
    if (after <= own.guaranteed) return 0
    const idle = others.map(({ name, quota }) => {
      const staying = held(name).filter((one) => !gone.includes(one))
      return Math.max(0, (quota.get(flavor)?.guaranteed ?? 0) - sum(staying))
    })
    return total(idle)
  }
  return smallestSet(candidates, (gone) => hasRoom(snapshot, gone, wants, kept(gone))) ?? []
}

const total = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

const withDoubts = randomSnapshot({ doubts: true })

it("evicts nobody while facts are missing or changed, and starts nobody where they are", () => {
  let doubtful = 0
  let started = 0
  check(3000, withDoubts, (snapshot) => {
    if (findDoubts(snapshot).length === 0) return
    doubtful++
    const plan = planQuota(snapshot)
    started += plan.admitted.length
    expect(plan.victims).toEqual([])
    expect(brokenClaim(snapshot, plan)).toBeUndefined()
  })
  expect(doubtful).toBeGreaterThan(500)
  expect(started).toBeGreaterThan(100)
})

it("would evict on doubt without that protection", () => {
  rearm.push(disarm("no-eviction-on-doubt"))
  const evicts = (snapshot: Snapshot) =>
    findDoubts(snapshot).length > 0 && planQuota(snapshot).victims.length > 0
  expect(fc.sample(withDoubts, 500).some(evicts)).toBe(true)
})
