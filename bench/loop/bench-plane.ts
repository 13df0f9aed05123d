// A real plane for benchmarks: system time, a store and kinds that are handed in, and one loop
// whose source is a list of manifests in memory, so that what is measured is the loop and not YAML.

import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import type { Manifest, Source, SourceSnapshot } from "../../src/contract/source.ts"
import type { StopEntry } from "../../src/contract/stop.ts"
import type { Store } from "../../src/contract/store.ts"
import type { ActWorld } from "../../src/contract/world.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { aesSealer } from "../../src/plane/adapters/aes-sealer.ts"
import { Plane } from "../../src/plane/plane.ts"
import { createSecretHasher } from "../../src/reconcile/secrets.ts"
import { emptyWorld } from "../../src/sim/sim-fixture.ts"
import { newLogger } from "../../src/telemetry/logger.ts"
import { Metrics } from "../../src/telemetry/metrics.ts"

export const benchLoop = "default.bench"

export interface BenchPlaneOptions {
  readonly store: Store
  readonly kinds: readonly KindProvider[]
  readonly objects: readonly ApiObject[]
  readonly world?: ActWorld
}

/** Resolves when the source has been applied; targets are still being made. */
export async function openBenchPlane(options: BenchPlaneOptions): Promise<Plane> {
  const { store, kinds, world = emptyWorld() } = options
  let stops: readonly StopEntry[] = []
  const plane = await Plane.open({
    ...{ clock, random, store, kinds, readWorld: world, actWorld: world },
    logger: newLogger({ clock, level: "warn", sink: (line) => console.error(line) }),
    metrics: new Metrics(),
    stop: {
      entries: () => stops,
      change: (edit) => {
        stops = edit(stops)
        return stops
      },
    },
    hasher: createSecretHasher("bench", new Uint8Array(32)),
    sealer: aesSealer({ read: () => [new Uint8Array(32)], add: () => {} }, random),
    openSource: () => listedSource(options.objects),
  })
  const [namespace = "", name = ""] = benchLoop.split(".")
  const loop: ApiObject = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata: { name, namespace },
    spec: {
      mode: "Enforce",
      interval: "1h",
      limits: { changes: 1000 },
      source: { directory: { path: "/bench" } },
    },
  }
  const resource = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
  const client = plane.client({ name: "bench", kind: "human" })
  await client.apply(resource, loop, { fieldManager: "bench", force: true })
  return plane
}

function listedSource(objects: readonly ApiObject[]): Source {
  const manifests = objects.map((object, index): Manifest => {
    const position = { file: "all.yaml", line: index + 1, column: 1 }
    return { object, position, locate: () => position }
  })
  const snapshot: SourceSnapshot = { kind: "complete", revision: "bench", manifests }
  return {
    description: "a list in memory",
    read: async () => snapshot,
    watch: () => ({ close: () => {} }),
  }
}

/** Waits until so many objects of the loop are as declared. */
export async function untilConverged(plane: Plane, count: number, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  const { settled, queue } = plane.engine
  for (;;) {
    const done = settled.count(benchLoop)
    if (done >= count && queue.depth() === 0 && queue.running() === 0) return
    if (performance.now() > until) throw new Error(`only ${done} of ${count} converged in time`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export interface Spent {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Wall and CPU time of this whole process, its worker threads included. */
export async function spent(work: () => unknown): Promise<Spent> {
  const before = process.cpuUsage()
  const began = performance.now()
  await work()
  const wallMs = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  return { wallMs, cpuMs: (user + system) / 1000 }
}
