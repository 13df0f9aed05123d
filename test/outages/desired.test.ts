// Outages in which the loop was told the wrong thing: a source that failed, was emptied, was cut in
// half or belonged elsewhere.

import { describe } from "vitest"
import { ann, loops, widget } from "../sim/site.ts"
import { careless, many, replay, running } from "./replay.ts"

describe("told the wrong thing", () => {
  replay(
    "Google Cloud Service Control 2025 (a policy with blank fields, everywhere in seconds)",
    ["whole-revision-or-nothing"],
    async () => {
      const site = await running(20)
      const blank = { ...widget("policy"), spec: {} }
      await site.declare([...many(20).slice(1), blank], 8000)
      const state = site.sim.plane.loops.sourceState("default.site")
      return site.there().length === 20 && state?.kind === "invalid"
    },
  )

  replay(
    "Skyscanner 2021 (two characters in a root template: no service in any region)",
    ["emptying-holds"],
    async () => {
      const site = await running(60, { loop: careless })
      await site.declare([], 8000)
      return site.there().length === 60
    },
  )

  replay(
    "Argo CD 14318 (a generator gets a login page: 0 applications)",
    ["source-error-is-not-empty", "emptying-holds"],
    async () => {
      const site = await running(30, { loop: careless })
      site.sim.source.fail('unexpected "<" at the first character', "invalid")
      await site.clock.advance(60_000)
      return site.there().length === 30
    },
  )

  replay(
    "Argo CD 18212, 18480, 18780 (a list fails for a moment, fleet-wide)",
    ["source-error-is-not-empty", "emptying-holds"],
    async () => {
      const site = await running(30, { loop: careless })
      const before = site.mutations
      site.sim.source.fail("503 from the source")
      await site.clock.advance(3000)
      await site.declare(many(30), 30_000)
      return site.mutations === before
    },
  )

  replay(
    "Argo CD 9227 (a small patch to a generator: most applications go)",
    ["source-shrunk"],
    async () => {
      const limits = { ...careless.limits, shrinkPercent: 50 }
      const site = await running(60, { loop: { limits } })
      await site.declare(many(5), 8000)
      return site.there().length === 60
    },
  )

  replay(
    "Konflux 2024 (an error in an overlay takes the members away)",
    ["delete-limit"],
    async () => {
      const site = await running(40)
      await site.declare(many(28), 8000)
      return site.there().length === 40 && site.plans("Pending").length === 1
    },
  )

  replay(
    "IONOS 2026 (the file that scopes an operator is lost, it runs elsewhere)",
    ["repointed-source-releases"],
    async () => {
      const site = await running(20, { loop: { ...careless, onEmpty: "Allow" } })
      const ref = { ...loops, namespace: "default", name: "site" }
      site.sim.source.declare(many(3, "other"))
      const source = { directory: { path: "/elsewhere" } }
      await site.run(site.as(ann).patch(ref, "merge", { spec: { source } }))
      await site.clock.advance(10_000)
      return site.there().filter((name) => name.startsWith("w")).length === 20
    },
  )

  replay(
    "Azure Front Door 2025 (a bad change gets past validation, to everything at once)",
    ["change-limit"],
    async () => {
      const site = await running(120, { loop: { limits: { changes: 10 } } })
      const bad = many(120).map((one) => ({ ...one, spec: { ...one.spec, color: "crash" } }))
      await site.declare(bad, 60_000)
      const hit = site.world.targets().filter(({ value }) => value.color === "crash").length
      return hit === 10 // The first wave; somebody looks at it, and stops.
    },
  )
})
