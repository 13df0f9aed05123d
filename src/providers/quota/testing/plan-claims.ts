// What must hold of every plan, checked without asking the planner's own parts: devices counted
// one by one, sums added up again.

import type { NodeFacts, QuotaPlan, Seat, Snapshot, WorkloadFacts } from "../snapshot.ts"

const size = ({ gpus, members }: WorkloadFacts): number => gpus * members

/** The first claim that does not hold, or undefined. */
export function brokenClaim(snapshot: Snapshot, plan: QuotaPlan): string | undefined {
  return (
    brokenSeat(snapshot, plan) ??
    brokenQuota(snapshot, plan) ??
    brokenVictim(plan) ??
    brokenCount(snapshot, plan)
  )
}

function brokenSeat({ nodes, workloads }: Snapshot, plan: QuotaPlan): string | undefined {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const taken = new Set<string>()
  const held = workloads.flatMap(({ state }) => (state.kind === "waiting" ? [] : state.seats))
  for (const { node, devices } of held) for (const device of devices) taken.add(`${node}/${device}`)
  const strange = strangeNodes(workloads, byName)
  for (const { workload, seats } of plan.admitted) {
    if (seats.length !== workload.members) return `${workload.name} starts with part of its members`
    for (const seat of seats) {
      if (strange.has(seat.node)) return `${workload.name} sits on doubtful ${seat.node}`
      const cause = wrongSeat(workload, seat, byName.get(seat.node), taken)
      if (cause !== undefined) return `${workload.name} ${cause}`
    }
  }
  return undefined
}

/** Nodes that do not look as they did when somebody was seated there. */
function strangeNodes(
  workloads: readonly WorkloadFacts[],
  nodes: ReadonlyMap<string, NodeFacts>,
): ReadonlySet<string> {
  const strange = new Set<string>()
  for (const { flavor, state } of workloads) {
    for (const { node, devices } of state.kind === "waiting" ? [] : state.seats) {
      const facts = nodes.get(node)
      const beyond = devices.some((device) => device >= (facts?.gpus ?? 0))
      if (facts?.flavor !== flavor || beyond) strange.add(node)
    }
  }
  return strange
}

function wrongSeat(
  { gpus, flavor }: WorkloadFacts,
  { node, devices }: Seat,
  facts: NodeFacts | undefined,
  taken: Set<string>,
): string | undefined {
  if (devices.length !== gpus) return `gets ${devices.length} devices`
  if (facts?.flavor !== flavor) return "sits on another flavor"
  if (facts.cordoned || facts.outOfService || facts.doubt !== undefined) return `sits on ${node}`
  for (const device of devices) {
    if (device < 0 || device >= facts.gpus) return `sits on ${device} of ${facts.gpus}`
    if (taken.has(`${node}/${device}`)) return `shares ${node}/${device}`
    taken.add(`${node}/${device}`)
  }
  return undefined
}

/** Whoever starts keeps its tenant within what it may use. */
function brokenQuota({ tenants, workloads }: Snapshot, plan: QuotaPlan): string | undefined {
  const gone = new Set(plan.victims.map(({ workload }) => workload.uid))
  const started = new Set(plan.admitted.map(({ workload }) => workload.uid))
  for (const { workload } of plan.admitted) {
    const { tenant, flavor } = workload
    const quota = tenants.find(({ name }) => name === tenant)?.quota.get(flavor)
    if (quota === undefined) return `${workload.name} starts without a quota`
    const used = workloads
      .filter((one) => one.tenant === tenant && one.flavor === flavor)
      .filter(({ uid, state }) => started.has(uid) || (state.kind === "running" && !gone.has(uid)))
      .reduce((sum, one) => sum + size(one), 0)
    if (used > quota.nominal + quota.borrowLimit) return `${tenant} uses ${used} ${flavor}`
  }
  return undefined
}

function brokenVictim({ victims, admitted }: QuotaPlan): string | undefined {
  const started = new Set(admitted.map(({ workload }) => workload.uid))
  const seen = new Set<string>()
  for (const { workload, reason } of victims) {
    const { name, uid, state, preemptible } = workload
    if (seen.has(uid)) return `${name} is evicted twice`
    seen.add(uid)
    if (started.has(uid)) return `${name} is started and evicted`
    if (state.kind !== "running") return `${name} is evicted while ${state.kind}`
    if (!preemptible && reason !== "NodeOutOfService") return `${name} may not be evicted`
  }
  return undefined
}

/** Everybody who wanted to start was told what becomes of it, once. */
function brokenCount({ workloads }: Snapshot, plan: QuotaPlan): string | undefined {
  const told = [...plan.admitted, ...plan.waiting].map(({ workload }) => workload.uid).sort()
  const asked = workloads.filter(({ state }) => state.kind === "waiting").map(({ uid }) => uid)
  return told.join() === asked.sort().join() ? undefined : `${asked.join()} got ${told.join()}`
}
