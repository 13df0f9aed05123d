// Ways around the guards, each with its twin.

import { describe, expect } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { finishAction } from "../../src/contract/action.ts"
import { enginePrincipal } from "../../src/contract/principal.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import type { Store } from "../../src/contract/store.ts"
import type { FilesAct } from "../../src/contract/world.ts"
import { loopSpecOf } from "../../src/controllers/loop-spec.ts"
import { type Guard, type JudgedAction, judgeAction } from "../../src/guard/guard.ts"
import { roundGuards } from "../../src/guard/guards.ts"
import { protectAnnotation } from "../../src/object/object.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { ann, bot, cron, loops, names, Site, widget, widgets } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { siteWith, withCommit } from "./site-with.ts"

const all = (count: number, from = 0) =>
  names(count)
    .slice(from)
    .map((name) => widget(name))
const refOf = (name: string) => ({ ...widgets, namespace: "default", name })

const post = (site: Site, path: string, body: JsonObject, who = ann) =>
  site.as(who).call("POST", `/setpoint/v1/${path}`, body)

describe("the budget", () => {
  prove("G01", "window-counts-all", async (must) => {
    const site = await Site.open({ loop: { limits: { deletes: 10, deletesPercent: 50 } } })
    await site.declare(all(200))
    for (let gone = 10; gone <= 100; gone += 10) await site.declare(all(200, gone))
    await must(() => expect(site.there()).toHaveLength(190))
    await must(() => expect(site.pending().held).toHaveLength(90))
  })

  prove("G01", "budget-survives-restart", async (must) => {
    const site = await Site.open({ loop: { limits: { deletes: 10, deletesPercent: 50 } } })
    await site.declare(all(100))
    await site.declare(all(100, 10))
    expect(site.there()).toHaveLength(90)
    await site.restart()
    await site.look()
    await site.declare(all(100, 15), 10_000)
    await must(() => expect(site.there()).toHaveLength(90))
  })

  prove("G02", "limit-has-no-minimum", async (must) => {
    const site = await Site.open({ loop: { limits: { shrinkPercent: 0 } } })
    await site.declare(all(3))
    await site.declare(all(1))
    await must(() => expect(site.there()).toHaveLength(3))
    await must(() => expect(site.pending().held).toHaveLength(2))
  })

  prove("G02", "protected-object", async (must) => {
    const site = await Site.open()
    const metadata = { name: "db", annotations: { [protectAnnotation]: "true" } }
    await site.declare([{ ...widget("db"), metadata }, ...all(20)])
    await site.declare(all(20), 10_000)
    await must(() => expect(site.there()).toContain("db"))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("Protected"))
  })

  prove("G03", "destruction-by-effect", async (must) => {
    const site = await Site.open()
    const tagged = names(20).map((name) => widget(name, { tags: ["a", "b"] }))
    await site.declare(tagged)
    await site.declare(all(20), 10_000)
    const full = site.world.targets().filter(({ value }) => String(value.tags) === "a,b")
    await must(() => expect(full).toHaveLength(20))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("DeleteLimit"))
  })
})

describe("forcing", () => {
  prove("G06", "orphan-is-noticed", async (must) => {
    const site = await Site.open({ source: false })
    for (const name of names(3)) await site.create(widget(name))
    await site.clock.advance(30 * 60_000)
    const { api, ports } = site.sim.plane
    const bare = { metadata: { finalizers: [] } }
    await site.run(api.verbs.patch(enginePrincipal, refOf("w1"), "merge", bare))
    const key = "/registry/sim.setpoint.dev/widgets/default/w1"
    await site.run(ports.store.commit([], [{ kind: "delete", key }]))
    await site.clock.advance(60_000)
    const answer = site.as(ann).call("GET", "/setpoint/v1/inventory?orphans=true")
    await must(async () => expect(await site.run(answer)).toMatchObject({ items: [{}] }))
    await must(() => expect(site.there()).toHaveLength(3))
  })

  prove("G06", "delete-needs-grant", async (must) => {
    const site = await Site.open({ source: false })
    for (const name of names(3)) await site.create(widget(name))
    await site.clock.advance(30 * 60_000)
    // Marked while the kind's provider is away, so that nobody could judge it.
    await site.sim.stopPlane()
    const { kinds } = site.sim
    site.sim.kinds = []
    await site.sim.start()
    await site.run(site.delete("w0"))
    await site.sim.stopPlane()
    site.sim.kinds = kinds
    await site.sim.start()
    await site.clock.advance(60_000)
    await must(() => expect(site.there()).toEqual(names(3)))
    await must(() => expect(site.pending().held[0]?.reasons[0]?.code).toBe("NotJudged"))
  })

  prove("G07", "break-glass-expires", async (must) => {
    const site = await Site.open()
    await site.declare(all(40))
    const body = { loop: site.loopId, reason: "moving out", for: "10m", deletes: 30 }
    await site.run(post(site, "break-glass", body))
    await site.declare(all(40, 8), 10_000)
    expect(site.there()).toHaveLength(32)
    await site.clock.advance(15 * 60_000)
    await site.declare(all(40, 18), 10_000)
    await must(() => expect(site.there()).toHaveLength(32))
  })

  prove("G08", "guard-failure-denies", async (must) => {
    const broken: Guard = {
      name: "broken",
      judge() {
        throw new Error("out of order")
      },
    }
    const { item, facts } = judged()
    expect(judgeAction(item, facts, roundGuards).kind).toBe("allow")
    const { kind } = judgeAction(item, facts, [...roundGuards, broken])
    await must(() => expect(kind).toBe("deny"))
  })

  prove("G09", "loosening-is-held", async (must) => {
    const site = await Site.open()
    await site.declare(all(40))
    const limits = { deletes: 40, deletesPercent: 100, shrinkPercent: 0 }
    const ref = { ...loops, namespace: "default", name: "site" }
    await site.run(site.as(ann).patch(ref, "merge", { spec: { limits } }))
    await site.clock.advance(3000)
    await site.declare(all(40, 20), 10_000)
    await must(() => expect(site.there()).toHaveLength(40))
  })

  prove("G10", "rollback-is-judged", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    await site.declare([...all(3), ...names(12, "x").map((name) => widget(name))])
    await site.run(post(site, "rollback", { loop: site.loopId, to: "last-good-1" }))
    await site.clock.advance(10_000)
    const marked = (await site.objects()).filter((one) => one.metadata.deletionTimestamp)
    await must(() => expect(marked).toEqual([]))
    await must(() => expect(site.there()).toHaveLength(15))
  })
})

describe("the kill switch", () => {
  prove("G11", "people-lift-stops", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    await site.run(post(site, "stop", { reason: "incident" }))
    for (const who of [cron, bot]) {
      await site.run(post(site, "resume", {}, who)).catch(() => undefined)
    }
    const before = site.mutations
    await site.declare(all(6), 60_000)
    await must(() => expect(site.mutations).toBe(before))
  })

  prove("G11", "stop-outlives-its-file", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    await site.run(post(site, "stop", { reason: "incident" }))
    site.sim.stop.write([])
    await site.restart()
    const before = site.mutations
    await site.declare(all(6), 60_000)
    await must(() => expect(site.mutations).toBe(before))
  })
})

describe("approvals", () => {
  /** One object whose create waits; `ann` asked for it. */
  async function asked(approvals: JsonObject = {}): Promise<Site> {
    const site = await Site.open({ source: false, loop: { mode: "Propose", approvals } })
    await site.create(widget("a"))
    await site.clock.advance(3000)
    return site
  }

  prove("G13", "separate-author", async (must) => {
    const site = await asked({ separateAuthor: true })
    await site.run(site.approval(site.pending())).catch(() => undefined)
    await site.clock.advance(5000)
    await must(() => expect(site.there()).toEqual([]))
    await site.run(site.approval(site.pending(), {}, { name: "bob", kind: "human" }))
    await site.clock.advance(5000)
    expect(site.there()).toEqual(["a"])
  })

  prove("G13", "agents-never-approve", async (must) => {
    const site = await asked()
    await site.run(site.approval(site.pending(), {}, bot)).catch(() => undefined)
    await site.clock.advance(5000)
    await must(() => expect(site.there()).toEqual([]))
  })

  prove("G13", "approval-single-use", async (must) => {
    const points = new CrashPoints()
    const site = await siteWith(
      {
        kind: tokensOfContent,
        store: (store) => crashingStore(endsAfterReceipt(store, points), points),
      },
      { loop: { onDrift: "Hold" } },
    )
    await site.declare(all(3))
    site.world.edit("w0", { color: "blue" })
    await site.look()
    armed.add(points)
    void site.approval(site.pending()).catch(() => undefined)
    await site.clock.runUntil(() => points.crashed !== undefined, { maxMs: 60_000 })
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
    site.world.edit("w0", { color: "blue" })
    site.sim.wrapStore = undefined
    await site.sim.start()
    await site.clock.advance(10_000)
    await site.look()
    await must(() => expect(site.world.find("w0")[0]?.value.color).toBe("blue"))
  })
})

describe("looking", () => {
  prove("G15", "dry-run-stores-nothing", async (must) => {
    const site = await Site.open({ source: false })
    const metadata = { name: "a", namespace: "default" }
    const made = site.as(ann).create(widgets, { ...widget("a"), metadata }, { dryRun: true })
    await site.run(made)
    await site.clock.advance(10_000)
    await must(async () => expect(await site.objects()).toEqual([]))
    await must(() => expect(site.there()).toEqual([]))
  })

  prove("G15", "reading-handles", async (must) => {
    const changed: string[] = []
    const site = await siteWith({
      kind: (kind) => ({
        ...kind,
        observe: async (target, context) => {
          const files = context.world.files as FilesAct
          const made = files.mkdir(`/${target.identity}`, 0o755)
          await made.then(
            () => changed.push(target.identity),
            () => undefined,
          )
          return kind.observe?.(target, context) ?? { kind: "unknown", cause: "not observable" }
        },
      }),
    })
    await site.declare(all(2))
    expect(site.there()).toHaveLength(2)
    await must(() => expect(changed).toEqual([]))
  })
})

/** A medium whose tokens come back with the content: the same drift is the same action again. */
function tokensOfContent(kind: KindProvider): KindProvider {
  return {
    ...kind,
    observe: async (target, context) => {
      const seen = (await kind.observe?.(target, context)) ?? { kind: "unknown", cause: "none" }
      return seen.kind === "present" ? { ...seen, token: JSON.stringify(seen.value) } : seen
    },
    update: (target, { token: _, ...context }) => kind.update(target, context),
  }
}

/** Crash points that are to strike. */
const armed = new WeakSet<CrashPoints>()

/** The process dies right after a receipt is durable. */
function endsAfterReceipt(store: Store, points: CrashPoints): Store {
  const decoder = new TextDecoder()
  return withCommit(store, async (checks, writes) => {
    const answer = await store.commit(checks, writes)
    const receipt = writes.some(
      (one) => one.kind === "put" && decoder.decode(one.value).includes('"type":"receipt"'),
    )
    if (receipt && armed.has(points)) points.crash("receipt")
    return answer
  })
}

/** An update that is in order, and the facts of its round. */
function judged() {
  const metadata = { name: "site", namespace: "default" }
  const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata }
  const spec = loopSpecOf({ ...loop, spec: { mode: "Enforce" } })
  const action = finishAction({
    ...{ verb: "update", uid: "u", object: "widgets/default/a", kind: "Widget" },
    ...{ loop: "default.site", generation: 1, incarnation: 1, target: "sim:a", changes: [] },
    cause: { kind: "edit", text: "a test" },
  })
  const item: JudgedAction = {
    ...{ action, fresh: true, adoptDeclared: false, limitedChange: true, approved: false },
    ...{ granted: "no", flapping: [], effects: [] },
  }
  const facts = {
    ...{ loop: "default.site", spec, actions: [item], inventory: 10, baseline: 10 },
    ...{ deletesUsed: 0, changesUsed: 0, restored: false, coldStart: false, floors: [] },
    ...{ window: { open: true, reason: "" }, vanished: new Map() },
  }
  return { item, facts }
}
