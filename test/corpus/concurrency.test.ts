// Faults of several writers, each with its twin.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { Store } from "../../src/contract/store.ts"
import { WorkQueue } from "../../src/queue/work-queue.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { SimWorld } from "../../src/sim/sim-world.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { openMemoryStore } from "../../src/store/open-memory-store.ts"
import { ann, cron, names, Site, widget, widgets } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { siteWith, wake } from "./site-with.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const refOf = (name: string) => ({ ...widgets, namespace: "default", name })

/** The shared store as a plane sees that opened it just now; earlier ones are fenced off. */
async function takeOver(shared: Store, epoch: number): Promise<Store> {
  const key = "/fence"
  const value = new TextEncoder().encode(String(epoch))
  const raised = await shared.commit([], [{ kind: "put", key, value }])
  if (raised.kind === "refused") throw new Error("nothing was checked")
  const epochCheck = { key, modRevision: raised.revision }
  const identity = { ...shared.identity, epoch, epochCheck }
  return new Proxy(shared, {
    get: (target, name) => {
      if (name === "identity") return identity
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

/** A data directory for a test, gone afterwards. */
async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), "setpoint-corpus-"))
  try {
    await run(join(top, "data"))
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

const open = (directory: string) =>
  openDataDirectory({ directory, clock: systemClock, random: systemRandom })

describe("two planes", () => {
  prove("H01", "epoch-fence", async (must) => {
    const clock = new SimClock()
    const world = new SimWorld({ clock })
    const shared = await openMemoryStore({ clock, random: new SimRandom(5) })
    const kinds = [simKind({ world, identityRule: "searchable" })]
    const [old, next] = [new SimPlane({ clock, kinds }), new SimPlane({ clock, kinds, seed: 9 })]
    const first = await takeOver(shared, 1)
    old.wrapStore = () => first
    await old.start()
    const second = await takeOver(shared, 2)
    next.wrapStore = () => second
    await next.start()
    await clock.advance(5000)
    const made = next.plane.client(ann).create(widgets, {
      ...widget("a"),
      metadata: { name: "a", namespace: "default" },
    })
    await clock.advance(60_000)
    await made
    await must(() => expect(world.find("a")).toHaveLength(1))
    await must(() => expect(old.errors.join()).toContain("SPT-LEDGER-001"))
  })
})

describe("two writers", () => {
  prove("H02", "judged-is-still-wanted", async (must) => {
    const site = await Site.open()
    await site.declare([...all(16), widget("zone")])
    site.world.faults.add({ how: "slow", ms: 10_000, on: ["update"], times: 16 })
    const busy = names(16).map((name) => widget(name, { size: 2 }))
    // Sixteen slow acts are under way, so that this one is judged and then waits for its turn.
    await site.declare([...busy, widget("zone", { color: "old plan" })], 3000)
    await site.declare([...busy, widget("zone", { color: "new plan" })], 60_000)
    const about = site.world.ledger.filter(({ identity }) => identity === "zone")
    const colors = about.map(({ after }) => after?.color)
    await must(() => expect(colors).toEqual(["red", "new plan"]))
  })

  prove("H03", "flapping-holds", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    for (let turn = 0; turn < 15; turn++) {
      if (site.world.find("w1")[0]?.value.color === "red") {
        site.world.edit("w1", { color: "blue" }, "another controller")
      }
      await site.look(10_000)
    }
    const ours = site.world.ledger.filter(({ verb, who }) => {
      return verb === "updated" && who !== "another controller"
    })
    await must(() => expect(ours.length).toBeLessThanOrEqual(5))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("Flapping"))
  })

  prove("H04", "server-side-retry", async (must) => {
    const site = await Site.open({ source: false })
    await site.create(widget("a"))
    await site.clock.advance(3000)
    const patches = [
      site.as(ann).patch(refOf("a"), "merge", { spec: { size: 7 } }),
      site.as(cron).patch(refOf("a"), "merge", { spec: { color: "blue" } }),
    ]
    const answers = await site.run(Promise.allSettled(patches))
    await must(() => expect(answers.map(({ status }) => status)).not.toContain("rejected"))
    await must(async () => {
      expect((await site.object("a"))?.spec).toMatchObject({ size: 7, color: "blue" })
    })
  })

  prove("H05", "one-pass-per-key", async (must) => {
    const queue = new WorkQueue({ clock: new SimClock(), random: new SimRandom(2) })
    queue.add("a")
    expect(queue.tryTake()).toBe("a")
    queue.add("a")
    await must(() => expect(queue.tryTake()).toBeUndefined())
    queue.done("a")
    await must(() => expect(queue.tryTake()).toBe("a"))
  })

  prove("H05", "one-act-per-object", async (must) => {
    let running = 0
    let most = 0
    const site = await siteWith({
      kind: (kind) => ({
        ...kind,
        update: async (target, context) => {
          most = Math.max(most, ++running)
          return kind.update(target, context).finally(() => running--)
        },
      }),
    })
    await site.declare([widget("a")])
    site.world.faults.add({ how: "slow", ms: 5000, on: ["update"] })
    await site.declare([widget("a", { size: 2 })], 1000)
    wake(site, "a")
    await site.declare([widget("a", { size: 3 })], 60_000)
    expect(site.world.find("a")[0]?.value.size).toBe(3)
    await must(() => expect(most).toBe(1))
  })

  prove("H07", "stale-put-refused", async (must) => {
    const site = await Site.open({ source: false })
    await site.create(widget("a"))
    await site.clock.advance(3000)
    const read = await site.object("a")
    if (read === undefined) throw new Error("it was just made")
    const put = (spec: object) => {
      return site.run(site.as(ann).update(widgets, { ...read, spec: { ...read.spec, ...spec } }))
    }
    await put({ size: 7 })
    await put({ color: "blue" }).catch(() => undefined)
    await must(async () => {
      expect((await site.object("a"))?.spec).toMatchObject({ size: 7, color: "red" })
    })
  })

  prove("H07", "put-needs-version", async (must) => {
    const site = await Site.open({ source: false })
    await site.create(widget("a", { tags: ["mine"] }))
    await site.clock.advance(3000)
    const blind = { ...widget("a"), metadata: { name: "a", namespace: "default" } }
    await site.run(site.as(cron).update(widgets, blind)).catch(() => undefined)
    await must(async () => expect((await site.object("a"))?.spec?.tags).toEqual(["mine"]))
  })

  prove("H11", "change-limit", async (must) => {
    const site = await Site.open({ loop: { limits: { changes: 10 } } })
    await site.declare(all(40))
    for (let turn = 0; turn < 5; turn++) {
      for (const name of names(40)) site.world.edit(name, { size: 20 + turn }, "health loop")
      await site.look(60_000)
    }
    const ours = site.world.ledger.filter(({ verb, who }) => {
      return verb === "updated" && who !== "health loop"
    })
    await must(() => expect(ours.length).toBeLessThanOrEqual(10))
  })
})

describe("two processes", () => {
  prove("H08", "one-plane-per-directory", (must) =>
    inDirectory(async (directory) => {
      const first = await open(directory)
      const second = await open(directory).catch(() => undefined)
      await second?.close()
      await first.close()
      await must(() => expect(second).toBeUndefined())
    }),
  )

  prove("H09", "newer-format-refused", (must) =>
    inDirectory(async (directory) => {
      await (await open(directory)).close()
      const path = join(directory, "identity.json")
      const identity = JSON.parse(readFileSync(path, "utf8"))
      writeFileSync(path, JSON.stringify({ ...identity, format: identity.format + 1 }))
      const opened = await open(directory).catch((error: unknown) => String(error))
      if (typeof opened !== "string") await opened.close()
      await must(() => expect(opened).toContain("format 2"))
    }),
  )
})
