import { describe, expect, it } from "vitest"
import { finishAction, type Verb } from "../contract/action.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { ActContext, ActResult, KindProvider } from "../contract/provider.ts"
import type { StopEntry } from "../contract/stop.ts"
import { Ledger } from "../ledger/ledger.ts"
import { verifyJournal } from "../ledger/verify-journal.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { emptyWorld } from "../sim/sim-fixture.ts"
import { SimHttp } from "../sim/sim-http.ts"
import { simKind } from "../sim/sim-kind.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { SimWorld } from "../sim/sim-world.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { type ActReport, Actuator, type Admitted } from "./actuator.ts"

type Act = (context: ActContext) => Promise<ActResult>
type Batch = (contexts: readonly ActContext[]) => Promise<readonly ActResult[]>

async function fixture(act: Act, batch?: Batch) {
  const clock = new SimClock()
  const store = await openMemoryStore({ clock, random: new SimRandom(1) })
  const ledger = new Ledger(store, clock)
  const stops: StopEntry[] = []
  let breaker = true
  const http = new SimHttp(clock, [{ on: "POST /x", answer: { status: 200 }, delayMs: 10 }])
  const actuator = new Actuator({
    ...{ ledger, clock, world: { ...emptyWorld(), http } },
    stop: { entries: () => stops, change: () => stops },
    breakers: { mayAct: () => breaker, record: () => {} },
  })
  const base = simKind({ world: new SimWorld({ clock }), flavour: batch ? "batch" : "single" })
  const one: KindProvider["create"] = (_target, context) => act(context)
  const kind: KindProvider = {
    ...{ ...base, create: one, update: one, delete: one },
    ...(batch === undefined
      ? {}
      : { actBatch: (_scope, items) => batch(items.map((item) => item.context)) }),
  }
  const money = { debits: 0, refunds: 0 }
  const admit = (uid: string, verb: Verb = "create"): Admitted => {
    const names = { uid, object: `w/default/${uid}`, target: `sim:${uid}`, loop: "default.site" }
    const action = finishAction({
      ...{ ...names, verb, kind: "Widget", generation: 1, incarnation: 1, changes: [] },
      cause: { kind: "edit", text: "declared" },
    })
    const rest = { owned: verb !== "create", incarnation: 1, generation: 1 }
    return {
      ...{ action, kind, applied: { name: uid }, principal: enginePrincipal },
      target: { uid, object: names.object, desired: { name: uid }, identity: uid },
      record: { format: 1, ...names, kind: "Widget", ...rest },
      debit: () => {
        money.debits++
        return []
      },
      refund: () => {
        money.refunds++
        return []
      },
    }
  }
  const perform = async (...items: Admitted[]): Promise<readonly ActReport[]> => {
    let reports: readonly ActReport[] | undefined
    const performing = actuator.perform(items).then((answer) => {
      reports = answer
    })
    await clock.runUntil(() => reports !== undefined, { maxMs: 120_000 })
    await performing
    return reports ?? []
  }
  const stop = (scope: StopEntry["scope"] = "all") =>
    stops.push({ loop: "*", scope, by: "ann", at: "" })
  const openBreaker = () => {
    breaker = false
  }
  return { clock, store, ledger, actuator, admit, perform, stop, openBreaker, money, http }
}

const done: ActResult = { kind: "done" }
const post = ({ world, signal }: ActContext) =>
  world.http.request({ method: "POST", url: "http://x/x" }, signal)

describe("an act", () => {
  it("has its intent before the provider is called and its receipt after", async () => {
    const seen: number[] = []
    const box: { ledger?: Ledger } = {}
    const rig = await fixture(async () => {
      seen.push(box.ledger?.unfinished().length ?? -1)
      return done
    })
    box.ledger = rig.ledger
    expect(await rig.perform(rig.admit("a"))).toMatchObject([{ result: "done" }])
    expect(seen).toEqual([1])
    expect(rig.ledger.unfinished()).toEqual([])
    expect(await rig.ledger.record("a")).toMatchObject({ owned: true, applied: { name: "a" } })
    expect(await verifyJournal(rig.store, "default.site")).toBe(2)
    expect(rig.money).toEqual({ debits: 1, refunds: 0 })
  })

  it("that is stopped, closed off or broken off writes no intent and takes no debit", async () => {
    for (const end of ["stop", "close", "breaker"] as const) {
      const rig = await fixture(async () => done)
      if (end === "stop") rig.stop()
      else if (end === "close") rig.actuator.close()
      else rig.openBreaker()
      expect(await rig.perform(rig.admit("a"))).toMatchObject([{ result: "refused" }])
      expect(await verifyJournal(rig.store, "default.site")).toBe(0)
      expect(rig.money.debits).toBe(0)
    }
  })

  it("goes on under a stop of deletes, which a delete and a replace do not", async () => {
    const rig = await fixture(async () => done)
    rig.stop("deletes")
    for (const verb of ["create", "update", "adopt"] as const) {
      expect(await rig.perform(rig.admit(verb, verb))).toMatchObject([{ result: "done" }])
    }
    for (const verb of ["delete", "replace"] as const) {
      expect(await rig.perform(rig.admit(verb, verb))).toMatchObject([{ result: "refused" }])
    }
  })

  it("whose first call a stop forbids provably failed, and the debit comes back", async () => {
    const box: { stop?: () => void } = {}
    const rig = await fixture(async (context) => {
      box.stop?.()
      await post(context)
      return done
    })
    box.stop = () => rig.stop()
    const [report] = await rig.perform(rig.admit("a"))
    expect(report).toMatchObject({ result: "failed", fault: { code: "SPT-ACT-001" } })
    expect(rig.http.requests).toEqual([])
    expect(rig.money.refunds).toBe(1)
    expect((await rig.ledger.record("a"))?.pending).toBeUndefined()
  })

  it("whose second call a stop forbids is unknown: the first one happened", async () => {
    const box: { stop?: () => void } = {}
    const rig = await fixture(async (context) => {
      await post(context)
      box.stop?.()
      await post(context)
      return done
    })
    box.stop = () => rig.stop()
    expect(await rig.perform(rig.admit("a"))).toMatchObject([{ result: "unknown" }])
    expect(rig.http.requests).toHaveLength(1)
    expect(rig.money.refunds).toBe(0)
    expect(await rig.ledger.record("a")).toMatchObject({ pending: { verb: "create" } })
  })

  it("that throws is unknown although no handle was used: there are other ways out", async () => {
    const rig = await fixture(async () => {
      throw new Error("connection reset by the database")
    })
    expect(await rig.perform(rig.admit("a"))).toMatchObject([{ result: "unknown" }])
    const applied = { name: "a" }
    expect(await rig.ledger.record("a")).toMatchObject({ pending: { applied }, owned: false })
  })

  it("that says failed is proven: nothing pending, the debit back, `stuck` passed on", async () => {
    const rig = await fixture(async () => ({ kind: "failed", cause: "422", stuck: true }))
    const [report] = await rig.perform(rig.admit("a"))
    expect(report).toMatchObject({ result: "failed", fault: { fault: "stuck" } })
    expect(rig.money.refunds).toBe(1)
  })

  it("that hangs is given up, and its handle refuses what it tries afterwards", async () => {
    const late: unknown[] = []
    const rig = await fixture(async (context) => {
      await new Promise<void>((resolve) => rig.clock.after(60_000, resolve))
      await post(context).catch((error: unknown) => late.push(error))
      return done
    })
    const [report] = await rig.perform(rig.admit("a"))
    expect(report).toMatchObject({ result: "unknown", fault: { code: "SPT-ACT-002" } })
    await rig.clock.advance(60_000)
    expect(late).toMatchObject([{ code: "SPT-ACT-004" }])
    expect(rig.http.requests).toEqual([])
  })
})

describe("a batch", () => {
  const three = (rig: Awaited<ReturnType<typeof fixture>>) =>
    (["create", "adopt", "replace"] as const).map((verb) => rig.admit(verb, verb))

  it("is one call with one intent, a receipt each, and plain verbs", async () => {
    const verbs: string[] = []
    const rig = await fixture(
      async () => done,
      async (contexts) => {
        verbs.push(...contexts.map((context) => context.action.verb))
        return contexts.map(() => done)
      },
    )
    const reports = await rig.perform(...three(rig))
    expect(reports.map((report) => report.result)).toEqual(["done", "done", "done"])
    expect(reports.map((report) => report.action.verb)).toEqual(["create", "adopt", "replace"])
    expect(verbs).toEqual(["create", "update", "delete"])
    expect(await verifyJournal(rig.store, "default.site")).toBe(4)
  })

  it("that may not delete does not begin at all, whichever handle is used", async () => {
    const box: { stop?: () => void } = {}
    const rig = await fixture(
      async () => done,
      async ([first, ...rest]) => {
        box.stop?.()
        if (first !== undefined) await post(first)
        return [first, ...rest].map(() => done)
      },
    )
    box.stop = () => rig.stop("deletes")
    const reports = await rig.perform(...three(rig))
    expect(reports.map((report) => report.result)).toEqual(["failed", "failed", "failed"])
    expect(rig.http.requests).toEqual([])
  })

  it("whose reply was lost is unknown for every item, whichever handle was used", async () => {
    const rig = await fixture(
      async () => done,
      async ([first]) => {
        if (first !== undefined) await post(first)
        throw new Error("reset")
      },
    )
    const reports = await rig.perform(...three(rig))
    expect(reports.map((report) => report.result)).toEqual(["unknown", "unknown", "unknown"])
    expect(rig.money.refunds).toBe(0)
  })

  it("that answers for too few is unknown for the rest", async () => {
    const rig = await fixture(
      async () => done,
      async () => [done],
    )
    const reports = await rig.perform(...three(rig))
    expect(reports.map((report) => report.result)).toEqual(["done", "unknown", "unknown"])
  })
})
