import { describe, expect, it } from "vitest"
import type { KindProvider, Target } from "../contract/provider.ts"
import { listingKind } from "./listing-kind.ts"
import { Scheduler } from "./scheduler.ts"
import { SimClock } from "./sim-clock.ts"
import type { SimFaultRule } from "./sim-faults.ts"
import { actContext, newTarget, observeContext } from "./sim-fixture.ts"
import { type SimKindOptions, simKind } from "./sim-kind.ts"
import { SimRandom } from "./sim-random.ts"
import { SimWorld } from "./sim-world.ts"
import { Trace } from "./trace.ts"

function setUp(options: Omit<SimKindOptions, "world"> = {}) {
  const clock = new SimClock()
  const world = new SimWorld({ clock })
  return { clock, world, kind: simKind({ world, ...options }) }
}

const red = newTarget({ name: "a", size: 1, color: "red" })
const blue: Target = { ...red, desired: { name: "a", size: 1, color: "blue" } }

const create = (kind: KindProvider, target = red) =>
  kind.create(target, actContext("create", target))

describe("simKind, single targets", () => {
  it("creates, observes, updates and deletes, and the world keeps a ledger of it", async () => {
    const { kind, world } = setUp()
    expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "absent" })
    await create(kind)
    const seen = await kind.observe?.(red, observeContext())
    expect(seen).toMatchObject({ kind: "present", value: red.desired, mark: "uid-a" })
    const token = seen?.kind === "present" ? seen.token : ""
    expect(await kind.update(blue, actContext("update", blue, { token }))).toMatchObject({
      kind: "done",
    })
    await kind.delete(blue, actContext("delete", blue))
    expect(world.targets()).toEqual([])
    expect(
      world.ledger.map((row) => `${row.sequence} ${row.verb} ${row.identity} ${row.who}`),
    ).toEqual(["1 created a uid-a", "2 updated a uid-a", "3 deleted a uid-a"])
  })

  it("refuses a stale token at the effect and changes nothing", async () => {
    const { kind, world } = setUp()
    await create(kind)
    const seen = await kind.observe?.(red, observeContext())
    world.edit("a", { size: 7 })
    const token = seen?.kind === "present" ? seen.token : ""
    const result = await kind.update(blue, actContext("update", blue, { token }))
    expect(result).toMatchObject({ kind: "failed" })
    expect(await kind.delete(blue, actContext("delete", blue, { token }))).toMatchObject({
      kind: "failed",
    })
    expect(world.find("a")[0]?.value).toMatchObject({ size: 7, color: "red" })
  })

  it("makes one target under a derived identity or client token, else two", async () => {
    const made: Record<string, number> = {}
    for (const identityRule of ["derived", "clientToken", "searchable", "none"] as const) {
      const { kind, world } = setUp({ identityRule })
      world.faults.add({ how: "lostReply", on: ["create"], times: 1 })
      await expect(create(kind)).rejects.toThrow("the connection was reset")
      await create(kind)
      made[identityRule] = world.find("a").length
    }
    expect(made).toEqual({ derived: 1, clientToken: 1, searchable: 2, none: 2 })
  })

  it("finds a target by identity where the rule allows it, else by its recorded id", async () => {
    for (const identityRule of ["clientToken", "none"] as const) {
      const { kind, world } = setUp({ identityRule })
      await create(kind)
      expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "absent" })
      const known = newTarget(red.desired, world.find("a")[0]?.externalId)
      expect(await kind.observe?.(known, observeContext())).toMatchObject({ kind: "present" })
      expect(await kind.delete(known, actContext("delete", known))).toEqual({ kind: "done" })
      expect(world.targets()).toEqual([])
    }
  })

  it("answers unknown, never absent, whatever goes wrong while reading", async () => {
    for (const how of ["unauthorized", "throttled", "serverError", "lostReply"] as const) {
      const { kind, world } = setUp()
      world.faults.add({ how })
      const seen = await kind.observe?.(red, observeContext())
      expect(seen?.kind).toBe("unknown")
      expect(seen?.kind === "unknown" && seen.stuck === true).toBe(how === "unauthorized")
    }
  })

  it("says failed only when nothing can have happened, and throws otherwise", async () => {
    const outcomes: string[] = []
    const ways = ["unauthorized", "refused", "throttled", "serverError", "lostReply"] as const
    for (const how of ways) {
      const { kind, world } = setUp()
      world.faults.add({ how, on: ["create"] })
      const result = await create(kind).then(
        (answer) => answer.kind,
        () => "thrown",
      )
      outcomes.push(`${how} ${result} ${world.ledger.length}`)
    }
    expect(outcomes).toEqual([
      "unauthorized failed 0",
      "refused failed 0",
      "throttled failed 0",
      "serverError thrown 0",
      "lostReply thrown 1",
    ])
  })

  it("hangs, is slow, or lands its effect long after the caller has given up", async () => {
    const { kind, world, clock } = setUp()
    let attempts = 0
    const attempt = async (rule: SimFaultRule) => {
      world.faults.add({ ...rule, times: 1 })
      const controller = new AbortController()
      const target = newTarget({ name: `t-${++attempts}`, size: 1, color: "red" })
      const context = actContext("create", target, { signal: controller.signal })
      const result = kind.create(target, context).then(
        (answer) => answer.kind,
        () => "thrown",
      )
      await clock.advance(10_000)
      controller.abort(new Error("too late"))
      const before = world.find(target.identity).length
      await clock.advance(100_000)
      return `${await result} ${before} ${world.find(target.identity).length}`
    }
    expect(await attempt({ how: "hang" })).toBe("thrown 0 0")
    expect(await attempt({ how: "hangAfter" })).toBe("thrown 1 1")
    expect(await attempt({ how: "slow", ms: 500 })).toBe("done 1 1")
    expect(await attempt({ how: "slow", ms: 50_000 })).toBe("thrown 0 0")
    expect(await attempt({ how: "late", ms: 500 })).toBe("done 1 1")
    expect(await attempt({ how: "late", ms: 50_000 })).toBe("thrown 0 1")
  })

  it("shows the past while reads lag behind, also what is deleted by now", async () => {
    const { kind, world, clock } = setUp()
    world.staleMs = 1000
    await create(kind)
    expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "absent" })
    await clock.advance(1000)
    expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "present" })
    world.remove("a")
    expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "present" })
    await clock.advance(1000)
    expect(await kind.observe?.(red, observeContext())).toMatchObject({ kind: "absent" })
  })

  it("hits the calls that a rule names, after those it skips, as often as it says", async () => {
    const { kind, world } = setUp()
    const lift = world.faults.add({ how: "serverError", identity: "other" })
    world.faults.add({ how: "serverError", on: ["observe"], skip: 1, times: 2 })
    const kinds: (string | undefined)[] = []
    for (let n = 0; n < 4; n++) kinds.push((await kind.observe?.(red, observeContext()))?.kind)
    expect(kinds).toEqual(["absent", "unknown", "unknown", "absent"])
    const other = newTarget({ name: "other", size: 1, color: "red" })
    expect((await kind.observe?.(other, observeContext()))?.kind).toBe("unknown")
    lift()
    expect((await kind.observe?.(other, observeContext()))?.kind).toBe("absent")
    expect(world.calls.observe).toBe(6)
  })
})

describe("simKind, listed scopes", () => {
  const scoped = { flavour: "list" as const, scope: () => "s" }

  it("lists its scope, complete; a failed or partial list says that it is not", async () => {
    const { kind, world } = setUp(scoped)
    for (const name of ["a", "b", "c", "d"]) {
      await create(kind, newTarget({ name, size: 1, color: "red" }))
    }
    world.create({ identity: "x", scope: "elsewhere", value: {} }, "somebody")
    const list = () => kind.list?.("s", red, observeContext())
    const whole = await list()
    expect(whole?.complete).toBe(true)
    expect(whole?.items.map((item) => item.identity)).toEqual(["a", "b", "c", "d"])
    world.faults.add({ how: "partialList", times: 1 })
    expect(await list()).toMatchObject({ complete: false, items: [{}, {}] })
    world.faults.add({ how: "serverError", times: 1 })
    expect(await list()).toMatchObject({ complete: false, items: [] })
    world.faults.add({ how: "lieEmpty", times: 1 })
    expect(await list()).toEqual({ complete: true, items: [] })
    expect(kind.observe).toBeUndefined()
  })

  it("performs a batch whole or not at all", async () => {
    const { kind, world } = setUp({ flavour: "batch" })
    await create(kind)
    const fresh = newTarget({ name: "b", size: 1, color: "red" })
    const item = (verb: "create" | "update" | "delete", target: Target, token?: string) => ({
      target,
      context: actContext(verb, target, token === undefined ? {} : { token }),
    })
    const refused = await kind.actBatch?.("all", [item("create", fresh), item("update", blue, "x")])
    expect(refused?.map((result) => result.kind)).toEqual(["failed", "failed"])
    expect(world.ledger).toHaveLength(1)
    const done = await kind.actBatch?.("all", [item("create", fresh), item("delete", red)])
    expect(done?.map((result) => result.kind)).toEqual(["done", "done"])
    expect(world.targets().map((target) => target.identity)).toEqual(["b"])
    world.faults.add({ how: "throttled", on: ["batch"], times: 1 })
    const throttled = await kind.actBatch?.("all", [item("delete", fresh)])
    expect(throttled).toMatchObject([{ kind: "failed" }])
    world.faults.add({ how: "lostReply", on: ["batch"], times: 1 })
    await expect(kind.actBatch?.("all", [item("delete", fresh)])).rejects.toThrow("reset")
    expect(world.targets()).toEqual([])
  })
})

describe("listingKind", () => {
  it("answers a list of 100,000 without copying, and shows changes in the next one", async () => {
    const kind = listingKind()
    for (let n = 0; n < 100_000; n++) kind.seed({ name: `w-${n}`, size: n, color: "red" })
    const list = async () => (await kind.list?.("all", red, observeContext())) ?? { items: [] }
    const first = await list()
    expect(await list()).toBe(first)
    expect(first.items).toHaveLength(100_000)
    expect(kind.mutations()).toBe(0)
    const target = newTarget({ name: "w-0", size: 9, color: "blue" })
    await kind.update(target, actContext("update", target))
    const second = await list()
    expect(second.items[0]).toMatchObject({ identity: "w-0", value: { size: 9 } })
    expect(second.items[1]).toBe(first.items[1])
    await kind.delete(target, actContext("delete", target))
    expect((await list()).items).toHaveLength(99_999)
    expect(kind.mutations()).toBe(2)
  })
})

async function stormyRun(seed: number): Promise<string> {
  const random = new SimRandom(seed)
  const trace = new Trace()
  const scheduler = new Scheduler(random.fork(), trace)
  const clock = new SimClock({ scheduler })
  const world = new SimWorld({ clock, trace, scheduler })
  const kind = simKind({ world })
  world.faults.storm(random.fork(), 0.3, [
    { how: "serverError" },
    { how: "lostReply" },
    { how: "slow", ms: 20 },
  ])
  const worker = async (name: string) => {
    for (let turn = 0; turn < 10; turn++) {
      const target = newTarget({ name, size: turn, color: "red" })
      const result = await kind.observe?.(target, observeContext())
      trace.add(`${name} saw ${result?.kind}`)
      const act = result?.kind === "present" ? kind.update : kind.create
      await act(target, actContext("create", target)).catch(() => trace.add(`${name} failed`))
    }
  }
  const all = Promise.all(["a", "b", "c"].map(worker))
  let ended = false
  void all.then(() => {
    ended = true
  })
  expect(await clock.runUntil(() => ended, { maxMs: 60_000 })).toBe(true)
  return trace.hash()
}

describe("a simulated run", () => {
  it("gives the same trace for the same seed, with faults and interleaving", async () => {
    const hashes = new Set<string>()
    for (let seed = 0; seed < 10; seed++) {
      const hash = await stormyRun(seed)
      expect(await stormyRun(seed)).toBe(hash)
      hashes.add(hash)
    }
    expect(hashes.size).toBe(10)
  })
})
