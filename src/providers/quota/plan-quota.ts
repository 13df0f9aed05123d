// The planner of GPU quotas: a pure function from a snapshot to who may start where, who waits and
// why, and who has to leave and why. The same snapshot gives the same plan; carried out, a second
// look finds nothing more to do. It evicts nobody while a fact is missing.

import { protects } from "../../base/protections.ts"
import { Admission } from "./admit.ts"
import { compareText } from "./choose-victims.ts"
import { enforceCap, leaveLostNodes } from "./evict.ts"
import { findDoubts, withDoubts } from "./find-doubts.ts"
import { FlavorBook } from "./flavor-book.ts"
import {
  type Admitted,
  type QuotaPlan,
  type Snapshot,
  seatsOf,
  sizeOf,
  type Victim,
  type Waiting,
  type WorkloadFacts,
} from "./snapshot.ts"

export function planQuota(snapshot: Snapshot): QuotaPlan {
  const admitted: Admitted[] = []
  const victims: Victim[] = []
  let current = snapshot
  let pass = planOnce(current)
  // What one pass leaves over may be just enough for somebody whom it had turned away before.
  while (pass.admitted.length + pass.victims.length > 0) {
    admitted.push(...pass.admitted)
    victims.push(...pass.victims)
    current = carryOut(current, pass)
    pass = planOnce(current)
  }
  const original = new Map(snapshot.workloads.map((one) => [one.uid, one]))
  const first = <T extends { readonly workload: WorkloadFacts }>(entry: T): T => ({
    ...entry,
    workload: original.get(entry.workload.uid) ?? entry.workload,
  })
  return {
    ...pass,
    admitted: admitted.map(first),
    victims: victims.map(first),
    waiting: pass.waiting.map(first).sort(byName),
  }
}

const byName = (left: Waiting, right: Waiting): number =>
  compareText(left.workload.name, right.workload.name)

function planOnce(snapshot: Snapshot): QuotaPlan {
  const { now, tenants, workloads } = snapshot
  const doubts = findDoubts(snapshot)
  const nodes = withDoubts(snapshot.nodes, doubts)
  const mayEvict = doubts.length === 0 || !protects("no-eviction-on-doubt")
  const byTenant = new Map(tenants.map((tenant) => [tenant.name, tenant]))
  const plan = {
    admitted: [] as Admitted[],
    waiting: [] as Waiting[],
    victims: [] as Victim[],
    usage: [] as QuotaPlan["usage"][number][],
    complaints: [] as string[],
  }
  const known = workloads.filter((workload) => {
    if (workload.state.kind !== "waiting" || byTenant.has(workload.tenant)) return true
    const message = `there is no tenant ${workload.tenant}`
    plan.waiting.push({ workload, reason: "TenantNotFound", message })
    return false
  })
  let againAt: number | undefined
  for (const flavor of flavorsOf(snapshot)) {
    const own = nodes.filter((node) => node.flavor === flavor)
    const used = known.filter((workload) => workload.flavor === flavor)
    const book = new FlavorBook(flavor, own, byTenant, used, known)
    plan.complaints.push(...shortages(book, own, tenants))
    if (mayEvict) plan.victims.push(...leaveLostNodes(book, own))
    for (const tenant of tenants) {
      if (!mayEvict) break
      const { victims, complaints } = enforceCap(book, tenant)
      plan.victims.push(...victims)
      plan.complaints.push(...complaints)
    }
    const admission = new Admission(book, { now, mayEvict })
    admission.run()
    plan.admitted.push(...admission.admitted)
    plan.waiting.push(...admission.waiting)
    plan.victims.push(...admission.victims)
    plan.usage.push(...book.usage())
    if (admission.againAt !== undefined) {
      againAt = Math.min(againAt ?? admission.againAt, admission.againAt)
    }
  }
  return {
    ...plan,
    doubts: doubts.map(({ message }) => message),
    ...(againAt === undefined ? {} : { againAt }),
  }
}

function flavorsOf({ nodes, workloads, tenants }: Snapshot): readonly string[] {
  const quotas = tenants.flatMap((tenant) => [...tenant.quota.keys()])
  const used = [...nodes, ...workloads].map(({ flavor }) => flavor)
  return [...new Set([...quotas, ...used])].sort()
}

function shortages(
  { flavor }: FlavorBook,
  nodes: readonly { readonly gpus: number; readonly outOfService: boolean }[],
  tenants: Snapshot["tenants"],
): readonly string[] {
  const there = nodes.reduce((sum, { gpus, outOfService }) => sum + (outOfService ? 0 : gpus), 0)
  const promised = tenants.reduce((sum, { quota }) => sum + (quota.get(flavor)?.guaranteed ?? 0), 0)
  if (promised <= there) return []
  return [`${promised} ${flavor} are guaranteed to tenants and ${there} are there`]
}

/** The snapshot after the plan's first effects: who was admitted runs, who was picked leaves. */
export function carryOut(
  snapshot: Snapshot,
  plan: Pick<QuotaPlan, "admitted" | "victims" | "waiting">,
): Snapshot {
  const seats = new Map(plan.admitted.map((one) => [one.workload.uid, one.seats]))
  const leaving = new Set(plan.victims.map((one) => one.workload.uid))
  const promised = new Map(plan.waiting.map((one) => [one.workload.uid, one.reserved]))
  const workloads = snapshot.workloads.map((one): WorkloadFacts => {
    const taken = seats.get(one.uid)
    if (taken !== undefined) {
      return { ...one, state: { kind: "running", since: snapshot.now, seats: taken } }
    }
    if (leaving.has(one.uid)) return { ...one, state: { kind: "leaving", seats: seatsOf(one) } }
    if (one.state.kind !== "waiting") return one
    const { reserved: _, ...state } = one.state
    const reserved = promised.get(one.uid)
    return { ...one, state: reserved === undefined ? state : { ...state, reserved } }
  })
  return { ...snapshot, workloads }
}

/** GPUs that a plan takes away. */
export const gpusOf = (victims: readonly Victim[]): number =>
  victims.reduce((sum, { workload }) => sum + sizeOf(workload), 0)
