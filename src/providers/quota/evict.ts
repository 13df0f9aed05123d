// Who has to leave in one flavor: everybody on a node that a person took out of service, and what
// tenants hold above the most that they may ever use. It is not asked while there are doubts.

import { chooseBySize } from "./choose-victims.ts"
import type { FlavorBook } from "./flavor-book.ts"
import { type NodeFacts, sizeOf, type TenantFacts, type Victim } from "./snapshot.ts"

export function leaveLostNodes(book: FlavorBook, nodes: readonly NodeFacts[]): readonly Victim[] {
  const lost = new Set(nodes.filter((node) => node.outOfService).map((node) => node.name))
  const victims: Victim[] = []
  for (const workload of book.running) {
    if (workload.state.kind !== "running") continue
    const seat = workload.state.seats.find(({ node }) => lost.has(node))
    if (seat === undefined) continue
    book.evict(workload)
    const message = `node ${seat.node} is out of service`
    victims.push({ workload, reason: "NodeOutOfService", message })
  }
  return victims
}

export interface CapResult {
  readonly victims: readonly Victim[]
  readonly complaints: readonly string[]
}

export function enforceCap(book: FlavorBook, { name }: TenantFacts): CapResult {
  const { flavor } = book
  const used = book.used(name)
  const quota = book.quota(name)
  if (quota === undefined) {
    // No number is not the number zero.
    const what = `tenant ${name} uses ${used} ${flavor} and has no quota for it`
    const hint = "say nominal: 0 when it may have none"
    return { victims: [], complaints: used === 0 ? [] : [`${what}; ${hint}`] }
  }
  const cap = quota.nominal + quota.borrowLimit
  const need = used - cap
  if (need <= 0) return { victims: [], complaints: [] }
  const own = book.running.filter((one) => one.tenant === name && book.isStaying(one))
  const chosen = chooseBySize(
    own.filter((one) => one.preemptible),
    need,
  )
  const freed = chosen.reduce((sum, one) => sum + sizeOf(one), 0)
  const case_ = `tenant ${name} uses ${used} ${flavor} and may use ${cap}`
  const victims = chosen.map((workload): Victim => {
    book.evict(workload)
    const message = `${case_}: ${need} too many; ${rankText(chosen.length)}`
    return { workload, reason: "OverQuota", message }
  })
  if (freed >= need) return { victims, complaints: [] }
  const rest = `${need - freed} of them belong to workloads that are not preemptible`
  return { victims, complaints: [`${case_}: ${rest}`] }
}

const rankText = (count: number): string =>
  count === 1 ? "the least important and newest goes" : `the ${count} least important, newest go`
