// Outages in which the loop, or somebody through it, did too much: too many places at once, the
// wrong thing by a name, everything by an empty word, two writers at once, a check that failed.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { modeGuard } from "../../src/guard/mode-guard.ts"
import { protectAnnotation } from "../../src/object/object.ts"
import { ann, cron, loops, names, Site, widget, widgets } from "../sim/site.ts"
import { careless, many, replay, running } from "./replay.ts"
import { TwoPlanes } from "./two-planes.ts"

async function policy(site: Site, spec: JsonObject): Promise<void> {
  const object = {
    ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "GuardPolicy", metadata: { name: "all" } },
    spec,
  }
  const resource = { ...loops, resource: "guardpolicies" }
  await site.run(site.as(ann).apply(resource, object, { fieldManager: "ann", force: true }))
  await site.clock.advance(1000)
}

/** The API's answer, or that it refused. */
async function tried(site: Site, asked: Promise<unknown>): Promise<"done" | "refused"> {
  return site.run(
    asked.then(
      () => "done" as const,
      () => "refused" as const,
    ),
  )
}

describe("too much at once", () => {
  replay(
    "Google Cloud network 2019 (jobs of several independent places descheduled at once)",
    ["policy-floor"],
    async () => {
      const site = await running(20, { loop: careless })
      await policy(site, { everywhere: { deletes: 3, window: "1h" } })
      for (const name of names(6, "hand")) await site.create(widget(name))
      await site.clock.advance(4000)
      await site.declare(many(18), 6000)
      for (const name of names(6, "hand")) {
        await tried(site, site.delete(name))
        await site.clock.advance(1500)
      }
      return site.there().length >= 26 - 3
    },
  )

  replay("Spotify 2018 (the wrong cluster in a console)", ["protected-object"], async () => {
    const site = await Site.open({ source: false })
    const plain = widget("production")
    const annotations = { [protectAnnotation]: "true" }
    await site.create({ ...plain, metadata: { ...plain.metadata, annotations } })
    for (const name of names(5)) await site.create(widget(name))
    await site.clock.advance(4000)
    await tried(site, site.delete("production"))
    await site.clock.advance(4000)
    return site.there().includes("production")
  })

  replay(
    "Atlassian 2022 (a script with ids of the wrong kind deletes 883 sites)",
    ["emptying-holds", "delete-limit"],
    async () => {
      const site = await Site.open({ source: false })
      for (const name of names(40)) await site.create(widget(name))
      await site.clock.advance(6000)
      // Names of widgets, given as loops, hit nothing; the whole collection is held with its count.
      for (const name of names(3)) {
        const ref = { ...loops, namespace: "default", name }
        expect(await tried(site, site.as(cron).delete(ref))).toBe("refused")
      }
      await tried(site, site.as(cron).deleteCollection(widgets, { namespace: "default" }))
      await site.clock.advance(10_000)
      return site.there().length === 40
    },
  )

  replay(
    "Google Diskerase (an empty set means everything)",
    ["empty-selector-is-not-all", "emptying-holds", "delete-limit"],
    async () => {
      const site = await Site.open({ source: false })
      for (const name of names(20)) await site.create(widget(name))
      await site.clock.advance(6000)
      const options = { namespace: "default", labelSelector: "" }
      await tried(site, site.as(cron).deleteCollection(widgets, options))
      await site.clock.advance(10_000)
      return site.there().length === 20
    },
  )
})

describe("a check that fails", () => {
  replay(
    "Google Compute Engine 2016, Meta 2021 (the check that should refuse has a bug)",
    ["guard-failure-denies"],
    async () => {
      const site = await running(6)
      const before = site.mutations
      const { judge } = modeGuard
      try {
        Object.assign(modeGuard, {
          judge: () => {
            throw new Error("a bug in the check")
          },
        })
        await site.declare([widget("w0", { color: "blue" }), ...many(6).slice(1)], 8000)
      } finally {
        Object.assign(modeGuard, { judge })
      }
      return site.mutations === before
    },
  )
})

describe("two writers", () => {
  it("GitHub 2018 (a failover without a fence, both sides write): stopped", async () => {
    expect(await bothWrite()).toBe(true)
  })

  it("GitHub 2018: happens without epoch-fence, token-at-the-effect", async () => {
    const arms = [disarm("epoch-fence"), disarm("token-at-the-effect")]
    try {
      expect(await bothWrite()).toBe(false)
    } finally {
      for (const arm of arms) arm()
    }
  })

  /** True when only the one that took over acted. */
  async function bothWrite(): Promise<boolean> {
    const race = new TwoPlanes()
    const { clock, world, first, second } = race
    await race.startFirst({ interval: "10s" })
    first.source.declare(many(4))
    await clock.advance(4000)
    await race.startSecond()
    const before = world.ledger.length
    // Each side hears its own half of the users.
    second.source.declare(many(4).map((one) => ({ ...one, spec: { ...one.spec, color: "east" } })))
    await clock.advance(60)
    first.source.declare(many(4).map((one) => ({ ...one, spec: { ...one.spec, color: "west" } })))
    await clock.advance(30_000)
    const colors = world.ledger.slice(before).map(({ after }) => after?.color)
    const fenced = first.errors.join().includes("SPT-LEDGER-001")
    return fenced && new Set(colors).size === 1
  }
})
