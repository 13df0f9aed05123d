// Outages in which the loop saw the wrong thing, or forgot what it knew.

import { describe, expect } from "vitest"
import type { Store } from "../../src/contract/store.ts"
import { ann, Site, widget, widgets } from "../sim/site.ts"
import { careless, many, replay, running } from "./replay.ts"

/** As after a restore: what the store knows is of an earlier day. */
const restored = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === "identity") return { ...target.identity, restored: true }
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? member.bind(target) : member
    },
  })

describe("saw the wrong thing", () => {
  replay(
    "external-dns 414, 2858, 3841, 4023, 5603 (an empty answer: everything goes and comes back)",
    ["vanished-targets"],
    async () => {
      const site = await running(12, { loop: careless, flavour: "list" })
      const before = site.world.calls.create
      const lift = site.world.faults.add({ how: "lieEmpty", on: ["list"] })
      await site.look(10_000)
      lift()
      await site.look(10_000)
      return site.world.calls.create === before && site.there().length === 12
    },
  )

  replay(
    "external-dns (a list that breaks off in the middle)",
    ["partial-list-is-doubt"],
    async () => {
      const site = await running(12, {
        loop: { ...careless, onVanish: "Correct" },
        flavour: "list",
      })
      const before = site.world.calls.create
      site.world.faults.add({ how: "partialList", on: ["list"] })
      await site.restart()
      await site.clock.advance(10_000)
      return site.world.calls.create === before
    },
  )

  replay(
    "DataTalks.Club 2026 (an old state is swapped in, and what it does not know is destroyed)",
    ["restored-holds", "cold-start"],
    async () => {
      const site = await running(20, { loop: careless })
      const lift = site.world.faults.add({ how: "refused", on: ["delete"] })
      await site.declare(many(18), 6000)
      await site.sim.stopPlane()
      lift()
      site.sim.wrapStore = restored
      // One system can't be looked at after the restore: nothing is destroyed before it can.
      site.world.faults.add({ how: "serverError", on: ["observe"], identity: "w3" })
      await site.sim.start()
      await site.clock.advance(30_000)
      return site.there().length === 20
    },
  )

  replay(
    "AWS ELB 2012 (state is lost, and balancers are put in order after what is left)",
    ["orphan-is-noticed"],
    async () => {
      const site = await running(6)
      const { verbs } = site.sim.plane.api
      const engine = { name: "setpoint:engine", kind: "service" } as const
      const ref = { ...widgets, namespace: "default", name: "w2" }
      const object = await site.run(verbs.get(engine, ref))
      if (object === undefined) throw new Error("it is there")
      const bare = { ...object, metadata: { ...object.metadata, finalizers: [] } }
      await site.run(verbs.update(engine, widgets, bare))
      await site.run(verbs.delete(engine, ref)).catch(() => {})
      await site.clock.advance(5000)
      const orphans = await site.run(
        site.as(ann).call("GET", "/setpoint/v1/inventory?orphans=true"),
      )
      return site.there().length === 6 && JSON.stringify(orphans).includes("sim:w2")
    },
  )

  replay(
    "Heroku 2025 (what was only set at boot is lost by a restart, and nobody is told)",
    [],
    async () => {
      const site = await running(9, { loop: { interval: "1m" } })
      site.world.remove("w4")
      await site.clock.advance(120_000)
      return site.there().length === 9
    },
  )
})

describe("what is not ours", () => {
  replay("Datadog 2023 (rules that the manager does not know are flushed)", [], async () => {
    const site = await running(6, { flavour: "list" })
    site.world.create({ identity: "cilium", value: { name: "cilium", size: 7, color: "x" } }, "cni")
    await site.restart()
    await site.look(10_000)
    await site.declare(many(6), 10_000)
    return site.world.find("cilium").length === 1
  })

  replay(
    "Kubernetes GC 65200, 88097 (an owner in another namespace is taken for gone)",
    [],
    async () => {
      const site = await Site.open({ source: false })
      const owner = { apiVersion: "v1", kind: "Namespace", name: "elsewhere", uid: "no-such-uid" }
      const plain = widget("topic")
      await site.create({ ...plain, metadata: { ...plain.metadata, ownerReferences: [owner] } })
      await site.clock.advance(5000)
      expect(site.there()).toEqual(["topic"])
      await site.restart()
      await site.clock.advance(60_000)
      return site.there().includes("topic")
    },
  )
})
