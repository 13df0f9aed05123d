// Gate: a store that can't write stops acting rather than acting unrecorded. The commit fails at
// every point of a life, once or from there on; at the instant at which a changing call begins, its
// intent must be durable. When the store is good again the loop converges, and nothing is twice.

import { describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import type { ActContext, KindProvider } from "../../src/contract/provider.ts"
import type { Store, Write } from "../../src/contract/store.ts"
import { decodeDocument, ledgerKeys } from "../../src/ledger/keys.ts"
import type { Intent } from "../../src/ledger/ledger.ts"
import { siteWith, withCommit } from "../corpus/site-with.ts"
import { type Flavour, type Site, widget } from "./site.ts"

type How = "once" | "from there on"

interface Life {
  /** Commits of the life, and changing calls that began. */
  readonly commits: number
  readonly begun: number
  readonly unrecorded: readonly string[]
  readonly failed: boolean
  readonly site: Site
}

/** At every commit in full; at every third else, other ones for each way and flavour. */
const step = process.env.SETPOINT_TEST_FULL === "1" ? 1 : 3
const limits = { deletes: 5, deletesPercent: 100, window: "1s" }

/** Creates, an edit, drift and a delete, with a commit that fails at the given point. */
async function live(flavour: Flavour, failAt: number, how: How): Promise<Life> {
  const durable = new Map<string, readonly string[]>()
  const unrecorded: string[] = []
  const state = { commits: 0, begun: 0, counting: false, failed: false }
  const note = (writes: readonly Write[]) => {
    for (const write of writes) {
      if (!write.key.startsWith(ledgerKeys.intents)) continue
      if (write.kind !== "put") durable.delete(write.key)
      else {
        const { actions } = decodeDocument<Intent>(write.value)
        durable.set(
          write.key,
          actions.map(({ digest }) => digest),
        )
      }
    }
  }
  const commit = async (store: Store, ...args: Parameters<Store["commit"]>) => {
    if (state.counting) state.commits++
    const fails = how === "once" ? state.commits === failAt : state.commits >= failAt
    if (state.counting && fails) {
      state.failed = true
      throw new Error("no space left on the device")
    }
    const answer = await store.commit(...args)
    if (!("kind" in answer) || answer.kind !== "refused") note(args[1])
    return answer
  }
  const begin = ({ action }: ActContext) => {
    state.begun++
    const known = [...durable.values()].some((digests) => digests.includes(action.digest))
    if (!known) unrecorded.push(`${action.verb} ${action.target}`)
  }
  const site = await siteWith(
    {
      kind: (kind) => watched(kind, begin),
      store: (store) => withCommit(store, (...args) => commit(store, ...args)),
    },
    { flavour, loop: { limits } },
  )
  state.counting = true
  await site.declare([widget("w0"), widget("w1"), widget("w2")], 3000)
  await site.declare([widget("w0", { size: 2 }), widget("w1"), widget("w2")], 3000)
  if (site.world.find("w1").length > 0) site.world.edit("w1", { color: "blue" })
  void site.sim.plane.loops.look(site.loopId).catch(() => {})
  await site.clock.advance(3000)
  await site.declare([widget("w0", { size: 2 }), widget("w1")], 3000)
  state.counting = false
  return { ...state, unrecorded, site }
}

function watched(kind: KindProvider, begin: (context: ActContext) => void): KindProvider {
  const watch =
    (verb: "create" | "update" | "delete"): KindProvider["create"] =>
    (target, context) => {
      begin(context)
      return kind[verb](target, context)
    }
  const { actBatch } = kind
  const batch: KindProvider["actBatch"] = async (scope, items) => {
    for (const { context } of items) begin(context)
    return (await actBatch?.(scope, items)) ?? []
  }
  const single = { create: watch("create"), update: watch("update"), delete: watch("delete") }
  return { ...kind, ...single, ...(actBatch === undefined ? {} : { actBatch: batch }) }
}

describe.each(["single", "batch"] as const)("a store that can't write (%s)", (flavour) => {
  it.each(["once", "from there on"] as const)(
    "fails %s, at every commit: nothing is done unrecorded, and all is well afterwards",
    async (how) => {
      const whole = await live(flavour, 0, "once")
      expect([whole.unrecorded, whole.begun > 4, whole.commits > 20]).toEqual([[], true, true])
      const first = 1 + ((flavour.length + (how === "once" ? 0 : 1)) % step)
      for (let at = first; at <= whole.commits; at += step) {
        const { unrecorded, site, failed } = await live(flavour, at, how)
        expect([at, failed, unrecorded]).toEqual([at, true, []])
        await site.clock.advance(20 * 60_000)
        expect([at, site.there()]).toEqual([at, ["w0", "w1"]])
        expect(site.world.find("w0")[0]?.value.size).toBe(2)
        const made = site.world.ledger.filter((one) => one.verb === "created")
        expect([at, made.length]).toEqual([at, new Set(made.map((one) => one.identity)).size])
      }
    },
  )

  it("twin: without intents before acts, things are done unrecorded", async () => {
    const arm = disarm("intent-before-act")
    try {
      let found = 0
      for (let at = 1; at <= 20; at++) found += (await live(flavour, at, "once")).unrecorded.length
      expect(found).toBeGreaterThan(0)
    } finally {
      arm()
    }
  })
})
