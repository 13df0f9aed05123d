import { describe, expect, it } from "vitest"
import { isObject, type JsonObject } from "../../src/base/json.ts"
import type { JournalEvent, RoundInputs } from "../../src/contract/journal.ts"
import { readAnchors } from "../../src/ledger/journal.ts"
import { scanPrefix } from "../../src/ledger/scan.ts"
import { checkJournal } from "../../src/ledger/verify-journal.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { ann, flavours, loops, names, Site, widget } from "./site.ts"

const all = (count: number, spec: JsonObject = {}) => names(count).map((name) => widget(name, spec))

type EventOf<T extends JournalEvent["type"]> = Extract<JournalEvent, { type: T }>

async function eventsOf<T extends JournalEvent["type"]>(site: Site, type: T, loop?: string) {
  const entries = await site.journal(loop)
  return entries.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []))
}

const roundsOf = (site: Site) => eventsOf(site, "round")
const { stringify } = JSON

describe("retention", () => {
  const day = 86_400_000
  const journal = { journalSegment: 8, journalKeepMs: 10 * day }
  const loop = { interval: "12h" }

  it("forgets closed segments that are too old, keeps anchors, still verifies", async () => {
    const site = await Site.open({ journal, loop })
    await site.declare(all(20))
    const before = (await site.journal()).length
    await site.clock.advance(11 * day)
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.clock.advance(2 * 3_600_000)
    const { store } = site.sim.plane.ports
    const check = await site.run(checkJournal(store, site.loopId))
    expect(check.bad).toBeUndefined()
    expect(check.from).toBeGreaterThan(8)
    expect(check.from).toBeLessThanOrEqual(before + 1)
    const anchors = await site.run(Array.fromAsync(readAnchors(store, site.loopId)))
    expect(anchors[0]).toMatchObject({ from: 1, to: 8 })
    const [dropped] = await eventsOf(site, "dropped")
    expect(dropped).toMatchObject({ from: 1, to: 8, anchor: anchors[0]?.hash })
    await site.restart()
    expect(
      (await site.run(checkJournal(site.sim.plane.ports.store, site.loopId))).bad,
    ).toBeUndefined()
    expect(site.sim.errors).toEqual([])
  })

  it("forgets nothing that is young enough", async () => {
    const site = await Site.open({ journal, loop })
    await site.declare(all(20))
    await site.clock.advance(9 * day)
    const { store } = site.sim.plane.ports
    expect((await site.run(checkJournal(store, site.loopId))).from).toBe(1)
  })
})

describe("what a round was judged by", () => {
  const limits = { changes: 3, deletes: 1, deletesPercent: 100, window: "10m" }

  it("is written for limited changes, with the limits in force and each verdict", async () => {
    const site = await Site.open({ loop: { limits } })
    await site.declare(all(5))
    expect(await roundsOf(site)).toEqual([])
    await site.declare(all(5, { color: "blue" }))
    const [round] = await roundsOf(site)
    const { inputs, verdicts } = round as EventOf<"round">
    expect(inputs.set).toBe("round")
    expect(inputs.spec).toMatchObject({ mode: "Enforce", limits: { changes: 3, deletes: 1 } })
    expect(inputs.spec.source).toBeUndefined()
    expect(inputs).toMatchObject({ inventory: 5, changesUsed: 0, restored: false })
    expect(inputs.counts).toMatchObject({ actions: 5, verbs: { update: 5 } })
    expect(inputs.counts.verdicts).toEqual({ allow: 3, wait: 2 })
    expect(inputs.actions[0]).toMatchObject({
      ...{ kind: "Widget", verb: "update", destroys: 0, limitedChange: true },
      ...{ approved: false, granted: "no", fresh: true },
      fields: [{ path: "color", why: "requested" }],
    })
    const waiting = verdicts.filter(({ kind }) => kind === "wait")
    expect(waiting.map(({ codes }) => codes)).toEqual([["ChangeLimit"], ["ChangeLimit"]])
    const digests = new Set(inputs.actions.map(({ digest }) => digest))
    expect(verdicts.every(({ digest }) => digests.has(digest))).toBe(true)
  })

  it("stands before the intents of its round, in the same commit", async () => {
    const site = await Site.open({ loop: { limits } })
    await site.declare(all(2))
    await site.declare(all(2, { color: "blue" }))
    const entries = await site.journal()
    const round = entries.findIndex(({ event }) => event.type === "round")
    const intent = entries.findIndex(
      ({ event }) => event.type === "intent" && event.actions[0]?.verb === "update",
    )
    expect(round).toBeGreaterThan(0)
    expect(intent).toBeGreaterThan(round)
    const { store } = site.sim.plane.ports
    const stored = await site.run(
      Array.fromAsync(scanPrefix(store, "/ledger/journal/default.site/")),
    )
    expect(stored[round]?.modRevision).toBe(stored[intent]?.modRevision)
  })

  it.each(["Propose", "Enforce"])(
    "is written once for what stays held, over restarts too (%s)",
    async (mode) => {
      const site = await Site.open({ loop: { mode, onDrift: "Hold" } })
      await site.declare(all(3))
      if (mode === "Enforce") site.world.edit("w1", { color: "blue" })
      await site.look()
      const before = (await roundsOf(site)).length
      expect(before).toBeGreaterThan(0)
      for (let pass = 0; pass < 3; pass++) await site.look()
      expect(await roundsOf(site)).toHaveLength(before)
      await site.restart()
      await site.look()
      expect(await roundsOf(site)).toHaveLength(before)
    },
  )

  it("is written for a set of deletes, once while the source asks again", async () => {
    const site = await Site.open({ loop: { limits } })
    await site.declare(all(6))
    await site.declare(all(2))
    const sets = async () => (await roundsOf(site)).filter(({ inputs }) => inputs.set === "deletes")
    const [held, ...more] = await sets()
    expect(more).toEqual([])
    expect(held?.verdicts).toEqual([{ kind: "hold", codes: ["DeleteLimit", "SourceShrunken"] }])
    const inputs = held?.inputs as RoundInputs
    expect(inputs.actions.map(({ verb, destroys }) => `${verb} ${destroys}`)).toEqual(
      Array(4).fill("delete 1"),
    )
    expect(inputs.facts).toMatchObject({ origin: "prune", inventoryByKind: { Widget: 6 } })
    for (let pass = 0; pass < 3; pass++) await site.look()
    expect(await sets()).toHaveLength(1)
    await site.restart()
    await site.look()
    expect(await sets()).toHaveLength(1)
    await site.declare(all(5))
    expect((await sets()).map(({ verdicts }) => verdicts[0]?.kind)).toEqual(["hold", "allow"])
  })

  it("is bounded: the first thousand actions, and counts over all", async () => {
    const site = await Site.open({
      flavour: "batch",
      loop: { limits: { ...limits, changes: 2000 } },
    })
    await site.declare(all(1200), 10_000)
    await site.declare(all(1200, { color: "blue" }), 10_000)
    const rounds = await roundsOf(site)
    expect(
      rounds.reduce((sum, { inputs }) => sum + inputs.counts.actions, 0),
    ).toBeGreaterThanOrEqual(1200)
    for (const { inputs, verdicts } of rounds) {
      expect(inputs.actions.length).toBeLessThanOrEqual(1000)
      expect(verdicts).toHaveLength(inputs.actions.length)
    }
    expect(site.sim.errors).toEqual([])
  }, 60_000)
})

describe("secrets", () => {
  it("never reach a byte of the ledger, whatever happens to their object", async () => {
    const site = await Site.open({ secretPaths: ["color"], loop: { onConflict: "Hold" } })
    const secret = (text: string) => all(3, { color: `canary-${text}` })
    const bytes = async () => {
      let text = ""
      const read = async () => {
        const { store } = site.sim.plane.ports
        for await (const { key, value } of scanPrefix(store, "/ledger/")) {
          if (key.startsWith("/ledger/blobs/")) continue // Checkpoints pin specs as they are.
          text += `${key} ${Buffer.from(value).toString("latin1")}\n`
        }
      }
      await site.run(read())
      return text
    }
    await site.declare(secret("one"))
    site.world.edit("w1", { color: "canary-drift" })
    await site.look()
    site.world.edit("w2", { color: "canary-conflict" })
    await site.declare(secret("two"))
    await site.declare(secret("two").slice(0, 1))
    const patch = { spec: { mode: "Observe" } }
    await site.run(
      site.as(ann).patch({ ...loops, namespace: "default", name: "site" }, "merge", patch),
    )
    await site.declare(secret("three"))
    await site.look()
    const found = await bytes()
    expect(found).toContain("hmac:sim:")
    expect(found.match(/.{0,80}canary.{0,40}/g) ?? []).toEqual([])
    for (const type of ["intent", "receipt", "would", "states"] as const) {
      expect((await eventsOf(site, type)).length).toBeGreaterThan(0)
    }
  })
})

describe("what every act carries", () => {
  it("is its cause, who asked, the source's revision and the fields before and after", async () => {
    const site = await Site.open({})
    await site.declare(all(2))
    await site.declare(all(2, { color: "blue" }))
    const receipts = await eventsOf(site, "receipt")
    const update = receipts.find(({ action }) => action.verb === "update")?.action
    expect(update?.cause).toMatchObject({ kind: "edit", sourceRevision: "r2" })
    expect(update?.cause.principal).toBe("setpoint-source/default.site")
    expect(update?.changes).toEqual([
      { path: "color", before: "red", after: "blue", why: "requested" },
    ])
    site.world.edit("w0", { color: "green" })
    await site.look()
    const drift = (await eventsOf(site, "receipt")).at(-1)?.action
    expect(drift).toMatchObject({
      cause: { kind: "drift" },
      changes: [{ before: "green", after: "blue" }],
    })
  })

  it("is the approver's name where a person let it happen", async () => {
    const site = await Site.open({ loop: { mode: "Propose" } })
    await site.declare(all(1))
    await site.approve()
    const entries = await site.journal()
    const intent = entries.find(({ event }) => event.type === "intent")
    expect(intent?.principal).toBe("ann")
    expect(stringify(await eventsOf(site, "plan"))).toContain("ann")
  })
})

describe("the plane's own journal", () => {
  it("says when it started and stopped, and a crash leaves no stop", async () => {
    const site = await Site.open({})
    const points = new CrashPoints()
    site.sim.wrapStore = (store) => crashingStore(store, points)
    await site.restart()
    points.crash("now")
    site.sim.wrapStore = undefined
    await site.sim.start()
    const states = (await eventsOf(site, "plane", "plane")).map(({ state }) => state)
    expect(states).toEqual(["start", "stop", "start", "start"])
    await site.verify("plane")
  })
})

describe.each(flavours)("states (%s)", (flavour) => {
  it("are written in one entry for many, once, over restarts too", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(40))
    const first = (await eventsOf(site, "states")).flatMap((event) => event.first ?? [])
    expect(new Set(first).size).toBe(40)
    const before = (await eventsOf(site, "states")).length
    expect(before).toBeLessThanOrEqual(4)
    await site.look()
    await site.restart()
    await site.look()
    expect(await eventsOf(site, "states")).toHaveLength(before)
  })

  it("tell who left the declared state, why, and when it came back", async () => {
    const site = await Site.open({ flavour, loop: { onDrift: "Hold" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    const out = (await eventsOf(site, "states")).flatMap((event) => event.out ?? [])
    expect(out).toMatchObject([{ state: "held", reason: "Drift" }])
    expect(isObject(out[0]) && out[0].object).toContain("w1")
    await site.restart()
    await site.approve()
    const back = (await eventsOf(site, "states")).flatMap((event) => event.in ?? [])
    expect(back).toHaveLength(1)
    expect(site.sim.plane.engine.states.outOf(site.loopId)).toEqual([])
  })
})
