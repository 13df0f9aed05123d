import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { enginePrincipal } from "../contract/principal.ts"
import type { Store, Write } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { MemoryEngine } from "../store/engines/memory-engine.ts"
import { openStoreOn } from "../store/open-memory-store.ts"
import type { CheckpointHeader, Pin } from "./checkpoint-pages.ts"
import { Checkpoints, type PinSet } from "./checkpoints.ts"
import { ledgerKeys } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

const loop = "default.site"

const pin = (name: string, size = 1, annotation = ""): Pin => ({
  key: `widgets.sim.dev/default/${name}`,
  apiVersion: "sim.dev/v1",
  kind: "Widget",
  metadata: annotation === "" ? {} : { annotations: { note: annotation } },
  body: { spec: { name, size } },
})

const setOf = (pins: readonly Pin[], complete = true): PinSet => ({
  complete,
  pins: new Map(pins.map((one) => [one.key, one])),
})

async function openStore(engine = new MemoryEngine()): Promise<Store> {
  const clock = new SimClock()
  return openStoreOn(engine, { clock, random: new SimRandom(1), planeId: "p" })
}

class Rig {
  readonly store: Store
  readonly checkpoints: Checkpoints
  readonly written: Write[] = []
  /** Commits that may still happen; then the process is gone. */
  left = Number.POSITIVE_INFINITY

  constructor(store: Store) {
    this.store = store
    this.checkpoints = new Checkpoints(store, async (_loop, _principal, _events, writes) => {
      if (this.left-- <= 0) throw new Error("gone")
      this.written.push(...writes)
      await store.commit([], writes)
    })
  }

  static async open(store?: Store): Promise<Rig> {
    const rig = new Rig(store ?? (await openStore()))
    await rig.checkpoints.open()
    return rig
  }

  async keep(name: string, set: PinSet, base?: string): Promise<CheckpointHeader> {
    return this.checkpoints.exclusive(loop, async () => {
      const from = base === undefined ? undefined : this.checkpoints.get(loop, base)
      const built = await this.checkpoints.pin(loop, set, from)
      const header: CheckpointHeader = {
        ...{ format: 1, loop, name, created: "2026-01-01T00:00:00Z", by: "ann" },
        ...{ automatic: false, ...built.content },
      }
      const change = { puts: [header], drops: [], built, events: [] }
      await this.checkpoints.commit(loop, enginePrincipal, change)
      return header
    })
  }

  drop(name: string): Promise<void> {
    const change = { puts: [], drops: [name], events: [] }
    return this.checkpoints.exclusive(loop, () =>
      this.checkpoints.commit(loop, enginePrincipal, change),
    )
  }

  async sizes(name: string): Promise<Record<string, number>> {
    const header = this.checkpoints.get(loop, name)
    const pins = header === undefined ? [] : await this.checkpoints.pins(header)
    return Object.fromEntries(pins.map((one) => [one.key, sizeOf(one)]).sort())
  }

  async count(prefix: string): Promise<number> {
    let count = 0
    for await (const _ of scanPrefix(this.store, prefix)) count++
    return count
  }

  blobs = () => this.count(ledgerKeys.blob(loop, ""))
  pages = () => this.count(ledgerKeys.checkpointPage(loop, ""))
}

function sizeOf({ body }: Pin): number {
  const spec = body.spec as { readonly size: number }
  return spec.size
}

const many = (count: number, size = 1) =>
  Array.from({ length: count }, (_, index) => pin(`w${index}`, size))

describe("checkpoints", () => {
  it("give back exactly what was pinned, also after a restart", async () => {
    const rig = await Rig.open()
    const long = pin("long", 7, "x".repeat(5000))
    await rig.keep("a", setOf([...many(300), long]))
    const again = await Rig.open(rig.store)
    const header = again.checkpoints.get(loop, "a")
    expect(header?.count).toBe(301)
    const pins = header === undefined ? [] : await again.checkpoints.pins(header)
    expect(pins.find((one) => one.key === long.key)).toEqual(long)
    expect(pins).toHaveLength(301)
  })

  it("write in proportion to what changed", async () => {
    const rig = await Rig.open()
    await rig.keep("a", setOf(many(2000)))
    rig.written.length = 0
    await rig.keep("b", setOf([pin("w77", 2)], false), "a")
    expect(rig.written.map(({ kind }) => kind)).toEqual(["put", "put", "put"])
    expect(Object.values(await rig.sizes("b")).filter((size) => size === 2)).toHaveLength(1)
    expect((await rig.checkpoints.list(loop)).map(({ count }) => count)).toEqual([2000, 2000])
  })

  it("write nothing new when a whole set is the same", async () => {
    const rig = await Rig.open()
    const first = await rig.keep("a", setOf(many(500)))
    rig.written.length = 0
    const second = await rig.keep("b", setOf(many(500)), "a")
    expect(second.root).toBe(first.root)
    expect(rig.written).toHaveLength(1)
  })

  it("keep what another one names, and remove what none names", async () => {
    const rig = await Rig.open()
    await rig.keep("a", setOf(many(10)))
    await rig.keep("b", setOf([pin("w3", 2)], false), "a")
    expect(await rig.blobs()).toBe(11)
    await rig.drop("a")
    expect(await rig.blobs()).toBe(10)
    expect((await rig.sizes("b"))["widgets.sim.dev/default/w3"]).toBe(2)
    await rig.drop("b")
    expect([await rig.blobs(), await rig.pages()]).toEqual([0, 0])
  })

  it("say so when what was pinned was changed behind their back", async () => {
    const rig = await Rig.open()
    await rig.keep("a", setOf([pin("w")]))
    for await (const { key } of scanPrefix(rig.store, ledgerKeys.blob(loop, ""))) {
      await rig.store.commit([], [{ kind: "put", key, value: Buffer.from('{"spec":{"size":9}}') }])
    }
    await expect(rig.sizes("a")).rejects.toThrow("was changed")
  })

  it("leave nothing behind and lose nothing when the process dies at any commit", async () => {
    for (let commits = 0; ; commits++) {
      const rig = await Rig.open()
      await rig.keep("old", setOf(many(2500)))
      rig.left = commits
      const done = await rig.keep("old", setOf(many(2500, 2)), "old").then(
        () => true,
        () => false,
      )
      const after = await Rig.open(rig.store)
      const sizes = new Set(Object.values(await after.sizes("old")))
      expect(sizes.size).toBe(1)
      await after.keep("next", setOf([pin("one")]))
      expect(await after.blobs()).toBe(2501)
      if (done) return expect(commits).toBeGreaterThan(3)
    }
  })

  it("always hold what they should and nothing else, whatever is done in which order", async () => {
    const names = fc.constantFrom("a", "b", "c")
    const pins = fc.uniqueArray(fc.tuple(fc.nat(400), fc.nat(2)), {
      maxLength: 400,
      selector: ([name]) => name,
    })
    const step = fc.record({ name: names, base: names, pins, complete: fc.boolean() })
    const drop = fc.record({ name: names, drop: fc.constant(true) })
    const steps = fc.array(fc.oneof(step, drop), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const rig = await Rig.open()
        const model = new Map<string, Map<string, number>>()
        for (const one of all) {
          if ("drop" in one) {
            if (model.delete(one.name)) await rig.drop(one.name)
            continue
          }
          const based = model.get(one.base)
          const whole = one.complete || based === undefined
          const made = one.pins.map(([name, size]) => pin(`w${name}`, size))
          await rig.keep(one.name, setOf(made, whole), based === undefined ? undefined : one.base)
          const next = new Map(whole ? [] : based)
          for (const each of made) next.set(each.key, sizeOf(each))
          model.set(one.name, next)
        }
        const live = new Set<string>()
        for (const [name, sizes] of model) {
          expect(await rig.sizes(name)).toEqual(Object.fromEntries([...sizes].sort()))
          for (const [key, size] of sizes) live.add(`${key} ${size}`)
        }
        expect(await rig.blobs()).toBe(live.size)
      }),
      { numRuns: 40 },
    )
  })
})
