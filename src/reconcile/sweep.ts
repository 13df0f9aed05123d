// The level trigger: looks at every target of a loop and wakes only the objects whose target, or
// whose declaration, is not what the last pass left. A settled object costs one compare; nothing is
// parsed and nothing is written.

import type { Breath } from "../base/breath.ts"
import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import type { Target } from "../contract/provider.ts"
import type { ApiObject } from "../object/object.ts"
import type { WorkQueue } from "../queue/work-queue.ts"
import { desire, type Lookup } from "./desire.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import { targetOf } from "./look.ts"
import type { Observer } from "./observer.ts"
import type { Settled, SettledCache } from "./settled-cache.ts"

export interface SweepPorts {
  readonly clock: Clock
  readonly breath: Breath
  readonly observer: Observer
  readonly settled: SettledCache
  readonly queue: WorkQueue
  readonly lookup: Lookup
  object(key: string): Promise<ApiObject | undefined>
  /** Every object of the loop that a provider answers for. */
  keysOf(loop: string): Iterable<string>
}

export interface Sweep {
  readonly checked: number
  readonly woken: number
  /** Why some targets could not be looked at; nothing of them was touched. */
  readonly doubts: readonly string[]
  /** Kinds, as keys begin with them, of which some targets could not be looked at. */
  readonly blind: readonly string[]
}

/** So many synchronous looks at a time; then other work gets a turn. */
const chunkSize = 500

export async function sweepLoop(loop: string, ports: SweepPorts): Promise<Sweep> {
  let woken = 0
  let checked = 0
  const wake = (key: string) => {
    woken++
    if (protects("level-trigger")) ports.queue.add(key, { priority: "low" })
  }
  const groups = new Map<string, [string, Settled][]>()
  for (const key of ports.keysOf(loop)) {
    if (++checked % chunkSize === 0) await ports.breath.due()
    const settled = ports.settled.get(key)
    if (settled === undefined || settled.token === "") wake(key)
    else collect(groups, `${settled.kind.provider.kind}|${settled.scope}`, [key, settled])
  }
  const doubts: string[] = []
  const blind = new Set<string>()
  for (const group of groups.values()) {
    const doubt = await sweepGroup(group, ports, wake)
    if (doubt === undefined) continue
    doubts.push(doubt)
    blind.add(group[0]?.[0].split("/")[0] ?? "")
  }
  ports.observer.forgetListings()
  return { checked, woken, doubts, blind: [...blind] }
}

function collect<T>(groups: Map<string, T[]>, name: string, item: T): void {
  const known = groups.get(name)
  if (known === undefined) groups.set(name, [item])
  else known.push(item)
}

async function sweepGroup(
  group: readonly [string, Settled][],
  ports: SweepPorts,
  wake: (key: string) => void,
): Promise<string | undefined> {
  const kind = group[0]?.[1].kind
  if (kind === undefined) return undefined
  if (kind.provider.list !== undefined) return sweepScope(kind, group, ports, wake)
  if (kind.provider.fingerprints !== undefined) {
    await sweepFingerprints(kind, group, ports, wake)
    return undefined
  }
  for (const [key] of group) wake(key)
  return undefined
}

/** One listing for the whole scope; an incomplete one wakes nobody on account of what it lacks. */
async function sweepScope(
  kind: KindRuntime,
  group: readonly [string, Settled][],
  ports: SweepPorts,
  wake: (key: string) => void,
): Promise<string | undefined> {
  const sample = await sampleTarget(kind, group, ports)
  if (sample === undefined) return undefined
  const { provider } = kind
  const started = ports.clock.monotonic()
  const { listing, byIdentity } = await ports.observer.listScope(provider, sample, started)
  for (const [index, [key, settled]] of group.entries()) {
    if (index % chunkSize === 0) await ports.breath.due()
    const item = byIdentity.get(settled.identity)
    if (item === undefined ? listing.complete : item.token !== settled.token) wake(key)
  }
  if (listing.complete) return undefined
  const why = listing.cause ?? "not complete"
  return `${provider.kind} of ${provider.scope?.(sample.desired)}: ${why}`
}

async function sampleTarget(
  kind: KindRuntime,
  group: readonly [string, Settled][],
  ports: SweepPorts,
): Promise<Target | undefined> {
  for (const [key, { uid }] of group) {
    const object = await ports.object(key)
    if (object === undefined) continue
    const { desired, missing } = await desire(object, kind.provider, ports.lookup)
    if (missing.length === 0) return targetOf({ key, uid, kind }, desired, undefined)
  }
  return undefined
}

async function sweepFingerprints(
  kind: KindRuntime,
  group: readonly [string, Settled][],
  ports: SweepPorts,
  wake: (key: string) => void,
): Promise<void> {
  for (let start = 0; start < group.length; start += chunkSize) {
    await ports.breath.due()
    const chunk = group.slice(start, start + chunkSize)
    const identities = chunk.map(([, settled]) => settled.identity)
    const prints = ports.observer.fingerprints(kind.provider, identities)
    for (const [index, [key, settled]] of chunk.entries()) {
      const print = prints[index]
      if (print === undefined || print !== settled.fingerprint) wake(key)
    }
  }
}
