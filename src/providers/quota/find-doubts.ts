// What speaks against believing a snapshot: facts that are missing, and facts that contradict each
// other. As long as there is one, nobody is evicted: too little is a nuisance, too much is lost
// work. On a node of which one speaks nobody starts either.

import type { NodeFacts, Snapshot, WorkloadFacts } from "./snapshot.ts"

export interface Doubt {
  readonly message: string
  /** The node whose GPUs it makes uncertain. */
  readonly node?: string
}

export function findDoubts({ doubts, nodes, tenants, workloads }: Snapshot): readonly Doubt[] {
  const found: Doubt[] = doubts.map((message) => ({ message }))
  for (const { name, doubt, outOfService } of nodes) {
    if (doubt === undefined || outOfService) continue
    found.push({ message: `node ${name}: ${doubt}`, node: name })
  }
  if (nodes.length === 0 && workloads.some(({ state }) => state.kind !== "waiting")) {
    found.push({ message: "workloads run, and no node is known" })
  }
  const names = new Set(tenants.map((tenant) => tenant.name))
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const holders = new Map<string, string>()
  for (const workload of workloads) {
    if (workload.state.kind === "waiting") continue
    const { name, tenant, state } = workload
    // Whoever is leaving counts for no tenant any more, and only holds its devices.
    if (state.kind === "running" && !names.has(tenant)) {
      found.push({ message: `${name} runs, and its tenant ${tenant} is not known` })
    }
    found.push(...seatDoubts(workload, byName, holders))
  }
  return found
}

/** The same nodes; those that a doubt speaks of carry it, and so take nothing new. */
export function withDoubts(
  nodes: readonly NodeFacts[],
  doubts: readonly Doubt[],
): readonly NodeFacts[] {
  const byNode = new Map(doubts.flatMap(({ node, message }) => (node ? [[node, message]] : [])))
  return nodes.map((node) => {
    const doubt = node.doubt ?? byNode.get(node.name)
    return doubt === undefined ? node : { ...node, doubt }
  })
}

function seatDoubts(
  workload: WorkloadFacts,
  nodes: ReadonlyMap<string, NodeFacts>,
  holders: Map<string, string>,
): readonly Doubt[] {
  const { name, flavor, state } = workload
  if (state.kind === "waiting") return []
  const found: Doubt[] = []
  for (const { node, devices } of state.seats) {
    const facts = nodes.get(node)
    const wrong = (message: string) => found.push({ message, node })
    if (facts === undefined) {
      wrong(`${name} runs on ${node}, and that node is not known`)
      continue
    }
    if (facts.flavor !== flavor) wrong(`${name} runs on ${node}, which is no ${flavor}`)
    for (const device of devices) {
      const place = `${node}/${device}`
      const other = holders.get(place)
      holders.set(place, name)
      if (device >= facts.gpus) wrong(`${name} runs on ${place}, which ${node} does not have`)
      else if (other !== undefined) wrong(`${other} and ${name} both run on ${place}`)
    }
  }
  return found
}
