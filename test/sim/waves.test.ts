import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { shelf, shelfKind } from "./shelf.ts"
import { ann, Site, type SiteOptions, widget, widgets } from "./site.ts"

let armAgain: (() => void) | undefined
afterEach(() => {
  armAgain?.()
  armAgain = undefined
})

const inWave = (object: ApiObject, wave: number | string): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { "setpoint.dev/wave": String(wave) } },
})
// Names and waves run against each other, so that order by chance can't pass.
const three = [inWave(widget("a"), 2), inWave(widget("b"), 1), widget("c")]
const loop = { interval: "24h", limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" }
const open = (options: SiteOptions = {}) =>
  Site.open({ composites: [shelfKind()], fungible: true, loop, ...options })
const verbs = (site: Site) => site.world.ledger.map((one) => `${one.verb} ${one.identity}`)

describe("waves", () => {
  it("act one after the other, and are deleted in reverse", async () => {
    const site = await open()
    await site.declare(three, 20_000)
    expect(verbs(site)).toEqual(["created c", "created b", "created a"])
    await site.declare([], 60_000)
    expect(verbs(site).slice(3)).toEqual(["deleted a", "deleted b", "deleted c"])
  })

  it("(twin) would act in any order", async () => {
    armAgain = disarm("waves-act-in-turn")
    const site = await open()
    await site.declare(three, 20_000)
    expect(verbs(site)).not.toEqual(["created c", "created b", "created a"])
  })

  it("wait for a wave that is not ready, say so, and go on when it is", async () => {
    const site = await open()
    site.world.faults.add({ on: ["create"], identity: "c", how: "refused" })
    await site.declare(three, 60_000)
    expect(site.there()).toEqual([])
    const told = await site.condition("b", "Ready")
    expect(told).toMatchObject({ status: "False", reason: "Wave" })
    expect(told?.message).toContain("wave 1 waits for wave 0: widgets.sim.setpoint.dev/default/c")
    const path = "/setpoint/v1/explain?object=widgets.sim.setpoint.dev/default/b"
    const view = await site.run(site.as(ann).call("GET", path))
    expect(view).toMatchObject({ wave: 1, waves: { unready: { wave: 0 } } })
    site.world.faults.calm()
    await site.look(30_000)
    expect(site.there()).toEqual(["a", "b", "c"])
  })

  it("keep their order over a change, a restart and an approval", async () => {
    const site = await open({ loop: { ...loop, mode: "Propose" } })
    await site.declare(three, 10_000)
    expect(site.pending().held).toHaveLength(3)
    await site.approve(site.pending(), {}, 60_000)
    expect(verbs(site)).toEqual(["created c", "created b", "created a"])
    await site.restart()
    const blue = three.map((one) => ({ ...one, spec: { ...one.spec, color: "blue" } }))
    await site.declare(blue, 10_000)
    await site.approve(site.pending(), {}, 60_000)
    expect(verbs(site).slice(3)).toEqual(["updated c", "updated b", "updated a"])
  })

  it("are inherited by the children of a composite", async () => {
    const site = await open()
    await site.declare([inWave(shelf("s", { count: 2 }), 1), widget("z")], 20_000)
    expect(verbs(site)[0]).toBe("created z")
    expect(site.there()).toEqual(["s-w0", "s-w1", "z"])
    await site.look()
    const before = site.revision
    await site.look()
    expect(site.revision).toBe(before)
  })

  it("are numbers, or refused", async () => {
    const site = await open({ source: false })
    const { metadata, ...rest } = inWave(widget("a"), "first")
    const object = { ...rest, metadata: { ...metadata, namespace: "default" } }
    const message = await site.refused(site.as(ann).create(widgets, object))
    expect(message).toContain("setpoint.dev/wave")
  })
})
