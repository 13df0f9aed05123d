// Plans of thousands: they are kept, approved, rejected and carried on after a restart like small
// ones, and a decision that the store did not take lets nothing happen.

import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import { ledgerKeys } from "../../src/ledger/keys.ts"
import { puts, siteWith, withCommit } from "../corpus/site-with.ts"
import { full } from "../full.ts"
import { names, Site, type SiteOptions, widget } from "./site.ts"

let arm = () => {}
afterEach(() => arm())

/** Some pages in either case. */
const many = full ? 1600 : 1000
const options: SiteOptions = { flavour: "batch", loop: { interval: "1h" } }

/** All but ten are no longer declared. */
async function shrunk(count: number, site: Site): Promise<Site> {
  await site.declare(
    names(count).map((name) => widget(name)),
    20_000,
  )
  expect(site.there().length).toBe(count)
  await site.declare(
    names(10).map((name) => widget(name)),
    10_000,
  )
  expect(site.there().length).toBe(count)
  expect(site.pending().held.length).toBe(count - 10)
  return site
}

describe("a plan of thousands", () => {
  it("outlives a restart, is approved as one and done as a whole", async () => {
    const site = await shrunk(many, await Site.open(options))
    const { name } = site.pending()
    await site.restart()
    expect(site.pending().name).toBe(name)
    await site.approve(site.pending(), {}, 1000)
    await site.restart()
    await site.clock.advance(600_000)
    expect(site.there().length).toBe(10)
    expect(site.plan(name)).toMatchObject({ phase: "Done" })
    expect(site.plan(name).done.length).toBe(many - 10)
    expect(await site.verify()).toBeGreaterThan(many)
  }, 120_000)

  it("is rejected as one, and not asked again after a restart", async () => {
    const site = await shrunk(many, await Site.open(options))
    await site.reject()
    expect(site.plans("Pending")).toEqual([])
    await site.restart()
    await site.look()
    expect(site.plans("Pending")).toEqual([])
    expect(site.there().length).toBe(many)
  }, 120_000)
})

it.runIf(full)(
  "a set that the limits allow goes also when no commit could hold it",
  async () => {
    const limits = { deletes: 100_000, deletesPercent: 100, shrinkPercent: 0 }
    const site = await Site.open({ ...options, loop: { interval: "1h", limits } })
    await site.declare(
      names(2600).map((name) => widget(name)),
      30_000,
    )
    expect(site.there().length).toBe(2600)
    await site.declare(
      names(10).map((name) => widget(name)),
      600_000,
    )
    expect(site.there().length).toBe(10)
  },
  120_000,
)

describe("an approval that could not be written", () => {
  async function failing(): Promise<{ site: Site; fails: { now: boolean } }> {
    const fails = { now: false }
    const store = (one: Parameters<typeof withCommit>[0]) =>
      withCommit(one, async (checks, writes) => {
        if (fails.now && puts(writes, ledgerKeys.plans)) throw new Error("no space left")
        return one.commit(checks, writes)
      })
    const site = await shrunk(30, await siteWith({ store }, options))
    return { site, fails }
  }

  async function refusedThenLooked(): Promise<Site> {
    const { site, fails } = await failing()
    const plan = site.pending()
    fails.now = true
    expect(await site.refused(site.approval(plan))).toContain("no space left")
    fails.now = false
    await site.look(60_000)
    await site.declare(
      names(9).map((name) => widget(name)),
      60_000,
    )
    return site
  }

  it("lets nothing happen, then or later, and can be given again", async () => {
    const site = await refusedThenLooked()
    expect(site.there().length).toBe(30)
    await site.approve(site.pending(), {}, 60_000)
    expect(site.there().length).toBe(9)
  })

  it("does, without undone-when-not-written", async () => {
    arm = disarm("undone-when-not-written")
    const site = await refusedThenLooked()
    expect(site.there().length).toBeLessThan(30)
  })

  it("as a rejection that could not be written leaves the plan as it was", async () => {
    const { site, fails } = await failing()
    const plan = site.pending()
    fails.now = true
    expect(await site.refused(site.approval(plan, { decision: "reject" }))).toContain("no space")
    fails.now = false
    expect(site.pending().name).toBe(plan.name)
    await site.approve(plan, {}, 60_000)
    expect(site.there().length).toBe(10)
  })
})
