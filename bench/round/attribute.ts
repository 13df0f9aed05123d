// Which part of the plane the main thread's CPU went to, from a sampled profile. A sample belongs
// to its nearest frame that is not a mere tool (base, contract): hashing that the ledger asks for
// is the ledger's. The garbage collector's time goes to what ran just before it.

import type { Profiler } from "node:inspector"

/** `ledgerStore`: the store, called by the ledger; `store`: the store on its own, any writer's. */
export const parts = ["guard", "ledger", "ledgerStore", "store", "stop", "source", "rest"] as const
export type Part = (typeof parts)[number]

export interface Attributed {
  /** Shares of the time in which the thread was not idle; they add up to one. */
  readonly shares: Readonly<Record<Part, number>>
  /** Busy share by part and file, greatest first: where to look when the figure is bad. */
  readonly files: readonly (readonly [name: string, share: number])[]
}

/** Beside their folders: what exists only so that rounds are judged, or acts are accounted for. */
const byFile: readonly (readonly [Part, RegExp])[] = [
  ["guard", /^guard\//],
  ["guard", /^reconcile\/(loop-engine|round-entry|limit-facts|judge-by-invariants)\./],
  ["guard", /^reconcile\/(protection|vanish-watch|held-set|held-delete|note-would)\./],
  ["ledger", /^ledger\//],
  ["ledger", /^actuator\/record-after\./],
  ["ledger", /^contract\/action\./], // Digests, which approvals and entries are bound to.
  ["ledger", /^reconcile\/state-log\./],
  ["store", /^store\//],
  ["stop", /^(plane\/adapters\/stop-file|actuator\/act-gate)\./],
  ["source", /^(sources|controllers\/source-keeper)/],
  ["source", /node_modules\/yaml\//],
]
const tools = /^(base|contract)\//
const own = /\/(?:src|dist)\/(.+)$/
/** Microseconds; several times the sampling interval. */
const gapMax = 1000
const collector = "(garbage collector)"

type Node = Profiler.ProfileNode

interface Place {
  readonly part: Part
  readonly file: string
}

export function attribute(profile: Profiler.Profile): Attributed {
  const places = placesOf(profile.nodes)
  const names = new Map(profile.nodes.map((node) => [node.id, node.callFrame.functionName]))
  const shares = { guard: 0, ledger: 0, ledgerStore: 0, store: 0, stop: 0, source: 0, rest: 0 }
  const files = new Map<string, number>()
  let busy = 0
  let last: Place = { part: "rest", file: "(program)" }
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const name = names.get(id) ?? ""
    if (name === "(idle)") continue
    if (name !== collector) last = places.get(id) ?? last
    // The time until the next sample is this one's; a long gap is another process's.
    const delta = Math.min(gapMax, Math.max(0, profile.timeDeltas?.[index + 1] ?? 0))
    busy += delta
    shares[last.part] += delta
    const file = `${last.part} ${name === collector ? "(collector) " : ""}${last.file}`
    files.set(file, (files.get(file) ?? 0) + delta)
  }
  for (const part of parts) shares[part] /= busy
  const sorted = [...files].sort(([, left], [, right]) => right - left)
  return { shares, files: sorted.map(([file, time]) => [file, time / busy] as const) }
}

function placesOf(nodes: readonly Node[]): ReadonlyMap<number, Place> {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const places = new Map<number, Place>()
  const visit = (node: Node, above: Place) => {
    const place = placeOf(node, above)
    places.set(node.id, place)
    for (const id of node.children ?? []) {
      const child = known.get(id)
      if (child !== undefined) visit(child, place)
    }
  }
  const [root] = nodes
  if (root !== undefined) visit(root, { part: "rest", file: "(program)" })
  return places
}

function placeOf({ callFrame }: Node, above: Place): Place {
  const vendor = /node_modules\/.+$/.exec(callFrame.url)?.[0]
  const path = vendor ?? own.exec(callFrame.url)?.[1]
  if (path === undefined) return above
  const part = byFile.find(([, pattern]) => pattern.test(path))?.[0]
  const file = `${path} ${callFrame.functionName}`
  if (part === "store") {
    const forLedger = above.part === "ledger" || above.part === "ledgerStore"
    return { part: forLedger ? "ledgerStore" : "store", file }
  }
  if (part !== undefined) return { part, file }
  if (tools.test(path) || vendor !== undefined) {
    return above.file === "(program)" ? { part: "rest", file } : above
  }
  return { part: "rest", file }
}
