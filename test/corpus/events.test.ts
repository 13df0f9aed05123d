// Faults of events, crashes and the store, each with its twin.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { deferred } from "../../src/base/async.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { Store, WatchEvent } from "../../src/contract/store.ts"
import { Informer } from "../../src/informer/informer.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { names, Site, widget } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { puts, siteWith, withCommit } from "./site-with.ts"

const all = (count: number) => names(count).map((name) => widget(name))

describe("events", () => {
  prove("E02", "level-trigger", async (must) => {
    const site = await Site.open({ loop: { interval: "5m" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    await site.clock.advance(11 * 60_000)
    await must(() => expect(site.world.find("w1")[0]?.value.color).toBe("red"))
  })

  prove("E05", "relist-notices-deletes", async (must) => {
    const site = await Site.open({ source: false })
    for (const name of names(3)) await site.create(widget(name))
    await site.clock.advance(3000)
    const blind = deferred<void>()
    const store = watchingLate(site.sim.plane.ports.store, blind.promise)
    const informer = new Informer({
      ...{ store, clock: site.clock, group: "sim.setpoint.dev", resource: "widgets" },
    })
    await site.run(informer.synced())
    expect(informer.size).toBe(3)
    await site.run(site.delete("w1"))
    await site.clock.advance(5000)
    expect(await site.objects()).toHaveLength(2)
    blind.resolve()
    await site.clock.advance(5000)
    const known = [...informer.keys()].map((key) => key.split("/").at(-1))
    await site.run(informer.close())
    await must(() => expect(known.sort()).toEqual(["w0", "w2"]))
  })
})

describe("crashes", () => {
  prove("C03", "interrupted-create-is-ours", async (must) => {
    const points = new CrashPoints()
    const site = await siteWith(
      {
        kind: (kind) => ({
          ...kind,
          create: async (target, context) => {
            const result = await kind.create(target, context)
            if (points.crashed === undefined) points.crash("right after the effect")
            return result
          },
        }),
        store: (store) => crashingStore(store, points),
      },
      { marks: false, identityRule: "searchable" },
    )
    site.sim.source.declare([widget("a")])
    await site.clock.runUntil(() => points.crashed !== undefined, { maxMs: 60_000 })
    site.sim.wrapStore = undefined
    await site.sim.start()
    await site.clock.advance(10 * 60_000)
    await must(() => expect(site.world.find("a")).toHaveLength(1))
    await must(async () => expect(await site.reason("a")).toBe("Converged"))
  })

  prove("C09", "old-intents-are-closed", async (must) => {
    const points = new CrashPoints()
    const dying = (store: Store) =>
      withCommit(store, async (checks, writes) => {
        const answer = await store.commit(checks, writes)
        const intent = points.crashed === undefined && puts(writes, "/ledger/intents/")
        if (intent) points.crash("after the intent")
        return answer
      })
    const site = await siteWith({ store: (store) => crashingStore(dying(store), points) })
    site.sim.source.declare([widget("a")])
    await site.clock.runUntil(() => points.crashed !== undefined, { maxMs: 60_000 })
    site.sim.wrapStore = undefined
    await site.sim.start()
    await site.clock.advance(60_000)
    const results = (await site.journal()).flatMap(({ event }) => {
      return event.type === "receipt" ? [event.result] : []
    })
    await must(() => expect(results[0]).toBe("unknown"))
    await must(() => expect(site.sim.plane.engine.ledger.unfinished()).toEqual([]))
    expect(site.there()).toEqual(["a"])
  })
})

describe("the store", () => {
  prove("S07", "missing-log-refused", async (must) => {
    const top = mkdtempSync(join(tmpdir(), "setpoint-corpus-"))
    const [live, copy] = [join(top, "live"), join(top, "copy")]
    const open = (directory: string) =>
      openDataDirectory({ directory, clock: systemClock, random: systemRandom })
    try {
      const opened = await open(live)
      const value = new TextEncoder().encode("acknowledged")
      await opened.store.commit([], [{ kind: "put", key: "/a", value }])
      // What is left of a plane that was killed, without the file that held its latest commits.
      mkdirSync(copy, { mode: 0o700 })
      for (const name of readdirSync(live)) {
        if (/^(identity\.json|store\.db|open)$/.test(name)) {
          copyFileSync(join(live, name), join(copy, name))
        }
      }
      await opened.close()
      const again = await open(copy).catch(() => undefined)
      const found = await again?.store.get("/a")
      await again?.close()
      const lost = again !== undefined && found === undefined
      await must(() => expect(lost).toBe(false))
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  })

  prove("S08", "restored-holds", async (must) => {
    const site = await Site.open()
    await site.declare(all(20))
    await site.sim.stopPlane()
    site.sim.wrapStore = restored
    await site.sim.start()
    await site.clock.advance(3000)
    await site.declare(all(19), 60_000)
    await must(() => expect(site.there()).toHaveLength(20))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("Restored"))
  })
})

/** The first watch sees nothing, and says in the end that its past is gone. */
function watchingLate(store: Store, blind: Promise<void>): Store {
  let watches = 0
  async function* cut(): AsyncGenerator<WatchEvent> {
    await blind
    yield { kind: "compacted", oldest: store.revision }
  }
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (name === "watch" && watches++ === 0) return cut
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

/** The store as it is after a restore, until everything was looked at. */
function restored(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (name === "identity") return { ...target.identity, restored: true }
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}
