// 100,000 objects through a listing provider in memory, in a process of its own, so that memory and
// CPU are this plane's alone: first convergence, then passes in which nothing changed, interleaved
// with the least that a pass could do. Prints one line of JSON.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { listingKind } from "../../src/sim/listing-kind.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { openMemoryStore } from "../../src/store/open-memory-store.ts"
import { median } from "../result.ts"
import { benchLoop, openBenchPlane, spent, untilConverged } from "./bench-plane.ts"

export interface ListingRun {
  readonly convergeMs: number
  readonly convergeCpuMs: number
  readonly convergeDelayMs: number
  readonly resyncCpuMs: number
  readonly resyncDelayMs: number
  readonly bareCpuMs: number
  readonly rssMb: number
}

const count = Number(process.argv[2] ?? 100_000)
const engine = process.argv[3] ?? "memory"
const rounds = 7

const objects = Array.from({ length: count }, (_, index): ApiObject => {
  const name = `widget-${index}`
  const spec = { name, size: index % 1000, color: "blue", tags: ["bench"] }
  return { apiVersion: "sim.setpoint.dev/v1", kind: "Widget", metadata: { name }, spec }
})

/** What no pass can do without: compare two strings per item, found by name. */
function bareItems(): { readonly known: Map<string, string>; readonly seen: [string, string][] } {
  const seen = objects.map((object, index): [string, string] => [object.metadata.name, `${index}`])
  return { known: new Map(seen.map(([name, token]) => [name, `${token}`])), seen }
}

async function inMemory() {
  const store = await openMemoryStore({ clock, random })
  return { store, close: () => store.close() }
}

async function withDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  await new Promise((resolve) => setTimeout(resolve, 5)) // The last turn counts, too.
  delay.disable()
  return delay.percentile(99.9) / 1e6
}

const base = mkdtempSync(join(tmpdir(), "setpoint-loop-"))
const data =
  engine === "sqlite"
    ? await openDataDirectory({ directory: join(base, "data"), clock, random })
    : await inMemory()
const kind = listingKind()
let plane: Awaited<ReturnType<typeof openBenchPlane>> | undefined
let converge = { wallMs: 0, cpuMs: 0 }
const convergeDelayMs = await withDelay(async () => {
  converge = await spent(async () => {
    plane = await openBenchPlane({ store: data.store, kinds: [kind], objects })
    await untilConverged(plane, count, 900_000)
  })
})
if (plane === undefined || kind.mutations() !== count) throw new Error("not made exactly once")
const opened = plane
const { known, seen } = bareItems()
const resyncs: number[] = []
const bares: number[] = []
const delays: number[] = []
const revision = data.store.revision
for (let round = 0; round < rounds; round++) {
  const bare = await spent(() => {
    const differ = seen.filter(([name, token]) => known.get(name) !== token)
    if (differ.length > 0) throw new Error("the bare pass found a difference")
  })
  bares.push(bare.cpuMs)
  const delay = await withDelay(async () => {
    const pass = await spent(() => opened.loops.look(benchLoop))
    resyncs.push(pass.cpuMs)
  })
  delays.push(delay)
}
if (kind.mutations() !== count) throw new Error("a pass without a difference changed something")
// The first pass may note the size of the converged inventory; after that nothing is written.
if (data.store.revision > revision + 1) throw new Error("passes without a difference wrote")
const run: ListingRun = {
  convergeMs: converge.wallMs,
  convergeCpuMs: converge.cpuMs,
  convergeDelayMs,
  resyncCpuMs: median(resyncs),
  resyncDelayMs: median(delays),
  bareCpuMs: median(bares),
  rssMb: process.memoryUsage().rss / 2 ** 20,
}
console.log(JSON.stringify(run))
await opened.close()
await data.close()
rmSync(base, { recursive: true, force: true })
