// What speaks against believing a snapshot: facts that are missing, and facts that contradict each
// other. As long as there is one, nobody is evicted: too little is a nuisance, too much is lost
// work.

import type { NodeFacts, Snapshot, WorkloadFacts } from "./snapshot.ts"

export function findDoubts({ doubts, nodes, tenants, workloads }: Snapshot): readonly string[] {
  const found = [...doubts]
  for (const { name, doubt, outOfService } of nodes) {
    if (doubt !== undefined && !outOfService) found.push(`node ${name}: ${doubt}`)
  }
  if (nodes.length === 0 && workloads.some(({ state }) => state.kind !== "waiting")) {
    found.push("workloads run, and no node is known")
  }
  const names = new Set(tenants.map((tenant) => tenant.name))
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const holders = new Map<string, string>()
  for (const workload of workloads) {
    if (workload.state.kind === "waiting") continue
    const { name, tenant, state } = workload
    // Whoever is leaving counts for no tenant any more, and only holds its devices.
    if (state.kind === "running" && !names.has(tenant)) {
      found.push(`${name} runs, and its tenant ${tenant} is not known`)
    }
    found.push(...seatDoubts(workload, byName, holders))
  }
  return found
}

function seatDoubts(
  workload: WorkloadFacts,
  nodes: ReadonlyMap<string, NodeFacts>,
  holders: Map<string, string>,
): readonly string[] {
  const { name, flavor, state } = workload
  if (state.kind === "waiting") return []
  const found: string[] = []
  for (const { node, devices } of state.seats) {
    const facts = nodes.get(node)
    if (facts === undefined) {
      found.push(`${name} runs on ${node}, and that node is not known`)
      continue
    }
    if (facts.flavor !== flavor) found.push(`${name} runs on ${node}, which is no ${flavor}`)
    for (const device of devices) {
      const place = `${node}/${device}`
      const other = holders.get(place)
      holders.set(place, name)
      if (device >= facts.gpus) found.push(`${name} runs on ${place}, which ${node} does not have`)
      else if (other !== undefined) found.push(`${other} and ${name} both run on ${place}`)
    }
  }
  return found
}
