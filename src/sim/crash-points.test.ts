import { describe, expect, it } from "vitest"
import type { KindProvider } from "../contract/provider.ts"
import type { Store, WatchEvent } from "../contract/store.ts"
import { atEveryCrashPoint, Crashed, CrashPoints } from "./crash-points.ts"
import { crashingPort, crashingProvider, crashingStore } from "./crashing-port.ts"
import { SimClock } from "./sim-clock.ts"
import { actContext, newTarget, observeContext } from "./sim-fixture.ts"
import { simKind } from "./sim-kind.ts"
import { SimWorld } from "./sim-world.ts"

/** Settled after everything that can run has run? */
async function state(promise: Promise<unknown>): Promise<"pending" | "resolved" | "rejected"> {
  let result: "pending" | "resolved" | "rejected" = "pending"
  promise.then(
    () => {
      result = "resolved"
    },
    () => {
      result = "rejected"
    },
  )
  await new SimClock().settle()
  return result
}

describe("CrashPoints", () => {
  it("counts points, and hangs at the chosen one and at every later one", async () => {
    const points = new CrashPoints({ crashAt: 2 })
    expect(await state(points.point("a"))).toBe("resolved")
    expect(await state(points.point("b"))).toBe("pending")
    expect(await state(points.point("c"))).toBe("pending")
    expect(points.names).toEqual(["a", "b"])
    expect(points.crashed).toMatchObject({ point: "b", index: 2 })
    expect(await points.whenCrashed()).toBeInstanceOf(Crashed)
    expect(() => points.assertAlive()).toThrow("after a simulated crash at b")
  })

  it("throws instead when told so", async () => {
    const points = new CrashPoints({ crashAt: 1, mode: "throw" })
    await expect(points.point("a")).rejects.toThrow("simulated crash at point 1: a")
    await expect(points.point("b")).rejects.toThrow("simulated crash at point 1: a")
  })

  it("visits every point once", async () => {
    const crashes: string[] = []
    const count = await atEveryCrashPoint(
      async ({ points }) => {
        const work = (async () => {
          for (const name of ["a", "b", "c"]) await points.point(name)
        })()
        const crashed = await Promise.race([points.whenCrashed(), work])
        crashes.push(crashed?.point ?? "none")
      },
      { pointsMax: 10 },
    )
    expect(count).toBe(3)
    expect(crashes).toEqual(["none", "a", "b", "c"])
  })

  it("refuses more points than the bound instead of leaving some out", async () => {
    const run = async ({ points }: { points: CrashPoints }) => {
      for (let n = 0; n < 5; n++) await points.point("x")
    }
    await expect(atEveryCrashPoint(run, { pointsMax: 4 })).rejects.toThrow("5 crash points")
  })
})

function tinyStore(): Store & { readonly written: string[] } {
  const written: string[] = []
  const none = new Error("not part of this test")
  return Object.freeze({
    written,
    identity: {
      planeId: "p",
      epoch: 1,
      epochCheck: { key: "epoch", modRevision: 1 },
      restored: false,
    },
    get revision() {
      return written.length
    },
    get: async () => undefined,
    range: async () => ({ kind: "range" as const, revision: 0, entries: [], more: false }),
    commit: async () => {
      written.push("commit")
      return { kind: "committed" as const, revision: written.length }
    },
    async *watch(): AsyncGenerator<WatchEvent> {
      for (let revision = 1; ; revision++) yield { kind: "progress", revision }
    },
    compact: () => Promise.reject(none),
    grantLease: () => Promise.reject(none),
    renewLease: () => Promise.reject(none),
    revokeLease: () => Promise.reject(none),
    close: async () => {},
  })
}

describe("crashingStore", () => {
  it("crashes before a commit, which then never happens", async () => {
    const store = tinyStore()
    const crashing = crashingStore(store, new CrashPoints({ crashAt: 1 }))
    expect(await state(crashing.commit([], []))).toBe("pending")
    expect(store.written).toHaveLength(0)
    expect(await state(crashing.get("a"))).toBe("pending")
  })

  it("crashes after a commit, which happened although nobody was told", async () => {
    const store = tinyStore()
    const crashing = crashingStore(store, new CrashPoints({ crashAt: 2 }))
    expect(await state(crashing.commit([], []))).toBe("pending")
    expect(store.written).toHaveLength(1)
    expect(await state(crashing.commit([], []))).toBe("pending")
    expect(store.written).toHaveLength(1)
  })

  it("passes reads and live properties through, and ends its watches silently", async () => {
    const store = tinyStore()
    const points = new CrashPoints()
    const crashing = crashingStore(store, points)
    const options = { prefix: "", after: 0, signal: new AbortController().signal }
    const events = crashing.watch(options)[Symbol.asyncIterator]()
    expect(await events.next()).toMatchObject({ value: { revision: 1 } })
    await crashing.commit([], [])
    expect(crashing.revision).toBe(1)
    expect(await crashing.get("a")).toBeUndefined()
    points.crash("now")
    expect(await state(events.next())).toBe("pending")
  })

  it("never answers a call that was in flight at the crash, not even with an error", async () => {
    const points = new CrashPoints()
    const port = { slow: () => Promise.reject(new Error("late")) }
    const coverage = { label: "port", pointed: [], guarded: ["slow"] }
    const pending = crashingPort(port, points, coverage).slow()
    points.crash("now")
    expect(await state(pending)).toBe("pending")
  })
})

describe("crashingProvider", () => {
  it("has points before and after each call to the world and keeps everything else", async () => {
    const clock = new SimClock()
    const world = new SimWorld({ clock })
    const points = new CrashPoints()
    const provider: KindProvider = crashingProvider(Object.freeze(simKind({ world })), points)
    const target = newTarget({ name: "a", size: 1, color: "red" })
    await provider.create(target, actContext("create", target))
    await provider.observe?.(target, observeContext())
    expect(points.names).toEqual([
      "before Widget.create",
      "after Widget.create",
      "before Widget.observe",
      "after Widget.observe",
    ])
    expect([provider.kind, provider.list, provider.identity({ name: "x" })]).toEqual([
      "Widget",
      undefined,
      "x",
    ])
  })
})
