// Faults of acting, each with its twin.

import { afterEach, describe, expect } from "vitest"
import type { Store } from "../../src/contract/store.ts"
import { KindDriver } from "../../src/providers/file/testing/drive-kind.ts"
import { memoryFiles } from "../../src/sim/memory-files.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { ann, names, Site, widget, widgets } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { puts, siteWith, withCommit } from "./site-with.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const made = (site: Site) => site.world.ledger.filter(({ verb }) => verb === "created")

describe("actuation", () => {
  prove("A01", "same-client-token", async (must) => {
    const site = await Site.open({ identityRule: "clientToken" })
    site.world.faults.add({ how: "lostReply", on: ["create"], times: 1 })
    await site.declare(all(3), 10 * 60_000)
    await must(() => expect(made(site)).toHaveLength(3))
    await must(async () => expect(await site.reason("w0")).toBe("Converged"))
  })

  prove("A01", "uncertain-create-waits", async (must) => {
    const site = await Site.open({ identityRule: "none" })
    site.world.faults.add({ how: "hangAfter", on: ["create"], times: 1 })
    await site.declare([widget("a")], 10 * 60_000)
    await site.look(60_000)
    await must(() => expect(made(site)).toHaveLength(1))
    await must(async () => expect(await site.reason("a")).toBe("CreateUncertain"))
  })

  prove("A02", "intent-before-act", async (must) => {
    let full = false
    const site = await siteWith({
      store: (store) =>
        withCommit(store, async (checks, writes) => {
          const refused = full && puts(writes, "/ledger/intents/")
          if (refused) throw new Error("no space left on the device")
          return store.commit(checks, writes)
        }),
    })
    await site.declare(all(2))
    full = true
    await site.declare(all(4), 60_000)
    await must(() => expect(site.there()).toEqual(names(2)))
    full = false
    await site.clock.advance(10 * 60_000)
    expect(site.there()).toEqual(names(4))
  })

  prove("A02", "interrupted-create-is-ours", async (must) => {
    const site = await Site.open({ marks: false, loop: { limits: { deletesPercent: 100 } } })
    site.world.faults.add({ how: "hangAfter", on: ["create"], times: 1 })
    await site.declare(all(3), 1000)
    expect(site.there()).toHaveLength(3)
    await site.restart()
    await site.clock.advance(10 * 60_000)
    await must(async () => expect(await site.reason("w0")).toBe("Converged"))
    await site.declare(all(3).slice(1), 60_000)
    await must(() => expect(site.there()).toEqual(["w1", "w2"]))
  })

  prove("A03", "unknown-is-not-done", async (must) => {
    const site = await Site.open({ loop: { onDrift: "Report" } })
    await site.declare([widget("a")])
    site.world.faults.add({ how: "half", on: ["update"], times: 1 })
    await site.declare([widget("a", { size: 5, color: "blue" })], 10 * 60_000)
    const found = site.world.find("a")[0]?.value
    await must(() => expect(found).toMatchObject({ size: 5, color: "blue" }))
  })

  prove("A04", "gone-only-when-seen", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    site.world.faults.add({ how: "accepted", on: ["delete"], ms: 40 * 60_000 })
    await site.declare(all(2), 30 * 60_000)
    expect(site.there()).toHaveLength(3)
    const object = await site.object("w2")
    await must(() => expect(object?.metadata.deletionTimestamp).toBeDefined())
    await site.declare(all(3), 60 * 60_000)
    const about = site.world.ledger.filter(({ identity }) => identity === "w2")
    const verbs = about.map(({ verb }) => verb)
    await must(() => expect(verbs).toEqual(["created", "deleted", "created"]))
  })

  prove("A05", "refused-delete-stays-ours", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    const calm = site.world.faults.add({ how: "refused", on: ["delete"] })
    await site.declare(all(2), 10 * 60_000)
    await must(async () => expect(await site.objects()).toHaveLength(3))
    await must(async () => {
      expect(await site.condition("w2", "Stalled")).toMatchObject({ status: "True" })
    })
    calm()
    await site.look(60_000)
    await must(() => expect(site.there()).toEqual(names(2)))
  })

  prove("A06", "token-at-the-effect", async (must) => {
    const site = await Site.open({ timeoutMs: { observe: 10_000, act: 30 * 60_000 } })
    await site.declare([widget("a")])
    site.world.faults.add({ how: "slow", ms: 20 * 60_000, on: ["update"], times: 1 })
    await site.declare([widget("a", { size: 5 })], 60_000)
    site.world.edit("a", { size: 9 }, "a newer plan")
    await site.clock.advance(40 * 60_000)
    await must(() => expect(site.world.find("a")[0]?.value.size).toBe(9))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("Conflict"))
  })

  prove("A08", "destruction-by-effect", async (must) => {
    const site = await Site.open({ replaceOn: ["color"] })
    await site.declare(all(20))
    await site.declare(
      names(20).map((name) => widget(name, { color: "blue" })),
      10_000,
    )
    const gone = site.world.ledger.filter(({ verb }) => verb === "deleted")
    await must(() => expect(gone).toEqual([]))
    await must(() => expect(site.pending().held[0]?.action.verb).toBe("replace"))
  })

  prove("A09", "new-before-old", async (must) => {
    const site = await Site.open({ flavour: "list" })
    await site.declare(all(3))
    const { store } = site.sim.plane.ports
    const [before, after] = [site.mutations, store.revision]
    await site.declare([...all(2), widget("next")])
    const verbs = site.world.ledger.slice(before).map(({ verb }) => verb)
    const asked = await site.run(writtenSince(store, after))
    const [, , dropped = ""] = names(3)
    await must(() => expect(asked.indexOf("next")).toBeLessThan(asked.indexOf(dropped)))
    await must(() => expect(verbs).toEqual(["created", "deleted"]))
  })

  prove("A11", "approval-names-the-hash", async (must) => {
    const site = await Site.open()
    await site.declare(all(40))
    await site.declare(all(30))
    const first = site.pending()
    await site.declare(all(20))
    const second = site.pending()
    expect(second.name).not.toBe(first.name)
    // The name of the larger plan with the hash of the one that was looked at.
    await site.run(site.approval(second, { hash: first.hash })).catch(() => undefined)
    await site.clock.advance(10_000)
    await must(() => expect(site.there()).toHaveLength(40))
  })

  prove("A11", "uid-precondition", async (must) => {
    const site = await Site.open({ source: false })
    await site.create(widget("other"))
    const { uid = "" } = (await site.create(widget("a"))).metadata
    await site.clock.advance(3000)
    await site.run(site.delete("a"))
    await site.clock.advance(5000)
    await site.create(widget("a"))
    await site.clock.advance(3000)
    const ref = { ...widgets, namespace: "default", name: "a" }
    await site.run(site.as(ann).delete(ref, { uid })).catch(() => undefined)
    await site.clock.advance(5000)
    await must(() => expect(site.there()).toContain("a"))
  })

  prove("A12", "acts-at-once", async (must) => {
    let running = 0
    let most = 0
    const site = await siteWith({
      kind: (kind) => ({
        ...kind,
        create: async (target, context) => {
          most = Math.max(most, ++running)
          return kind.create(target, context).finally(() => running--)
        },
      }),
    })
    site.world.faults.add({ how: "slow", ms: 1000, on: ["create"] })
    await site.declare(all(60), 60_000)
    expect(site.there()).toHaveLength(60)
    await must(() => expect(most).toBeLessThanOrEqual(16))
  })

  prove("A12", "backoff-jitter", async (must) => {
    const looks = new Map<number, number>()
    const site = await siteWith({
      kind: (kind, { clock }) => ({
        ...kind,
        observe: async (target, context) => {
          const now = Math.floor(clock.monotonic())
          looks.set(now, (looks.get(now) ?? 0) + 1)
          return kind.observe?.(target, context) ?? { kind: "unknown", cause: "not observable" }
        },
      }),
    })
    await site.declare(all(40))
    const back = site.world.faults.add({ how: "serverError", on: ["observe"] })
    await site.look(0)
    looks.clear()
    await site.clock.advance(60_000)
    back()
    const most = Math.max(...looks.values())
    await must(() => expect(most).toBeLessThan(10))
  })

  prove("A13", "backoff-grows", async (must) => {
    let tries = 0
    const site = await siteWith({
      kind: (kind) => ({
        ...kind,
        normalize: (value) => {
          if (value.name !== "poison") return value
          tries++
          throw new Error("cannot handle this one")
        },
      }),
    })
    await site.declare([widget("poison"), ...all(20)], 10 * 60_000)
    await must(() => expect(site.there()).toEqual(names(20).sort()))
    await must(() => expect(tries).toBeLessThan(100))
  })

  describe("of files", () => {
    const clock = new SimClock()
    let files = memoryFiles({ clock, random: new SimRandom(3) })
    afterEach(() => {
      files = memoryFiles({ clock, random: new SimRandom(3) })
    })

    prove("A16", "adoption-keeps-a-copy", async (must) => {
      await files.mkdir("/etc", 0o755)
      const old = await files.writeTemporary("/", new TextEncoder().encode("years of notes"), 0o644)
      await files.rename(old, "/etc/motd")
      const file = new KindDriver("File", { backupDirectory: "/backups" }, files)
      const result = await file.actOnSeen("adopt", { path: "/etc/motd", content: "hello" })
      expect(result.kind).toBe("done")
      expect(new TextDecoder().decode(await files.read("/etc/motd", 100))).toBe("hello")
      await must(async () => {
        const [kept] = await files.list("/backups")
        const bytes = await files.read(`/backups/${kept?.name}`, 100)
        expect(new TextDecoder().decode(bytes)).toBe("years of notes")
      })
    })
  })
})

/** The names of the objects that were written, in the order of their writes. */
async function writtenSince(store: Store, after: number): Promise<string[]> {
  const { signal } = new AbortController()
  const written: string[] = []
  const options = { prefix: "/registry/", after, signal, withProgress: true }
  for await (const event of store.watch(options)) {
    if (event.kind !== "changes") break
    written.push(...event.changes.map(({ key }) => key.split("/").at(-1) ?? ""))
  }
  return written
}
