// A git server that does not answer is the trouble of its own loops: the plane starts, other loops
// and policies change, and nothing of the loops that wait is lost, pruned or un-rejected meanwhile.

import { describe, expect, it } from "vitest"
import { type Deferred, deferred } from "../../src/base/async.ts"
import { at } from "../../src/base/json.ts"
import type { Source } from "../../src/contract/source.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { ann, loops, names, Site, widget } from "./site.ts"

const git = { url: "https://host/site.git" }
const all = (count: number) => names(count).map((name) => widget(name))

/** The server behind the source of default.site, which can be made to hang. */
class Server {
  #gate: Deferred<void> | undefined

  hang(): void {
    this.#gate = deferred()
  }

  answer(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }

  over(source: Source): Source {
    return {
      description: `git ${git.url}`,
      watch: (changed) => source.watch(changed),
      read: async (signal) => {
        const aborted = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true })
        })
        await Promise.race([this.#gate?.promise, aborted])
        return source.read(signal)
      },
    }
  }
}

async function open(loop: object = {}) {
  const server = new Server()
  const site = new Site({ loop: { source: { git }, ...loop } })
  site.sim.wrapSource = (source, id) => (id === "default.site" ? server.over(source) : source)
  await site.sim.start()
  await site.makeLoop()
  await site.declare(all(5))
  return { site, server }
}

/** Starts again; the simulator gives up on a start that takes longer than a few minutes. */
async function restart(site: Site): Promise<void> {
  await site.sim.stopPlane()
  await site.sim.start()
}

const sourceState = (site: Site) => site.sim.plane.loops.sourceState("default.site")?.kind

async function makeLoop(site: Site, name: string): Promise<void> {
  const loop: ApiObject = {
    ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
    metadata: { name, namespace: "default" },
    spec: { mode: "Observe" },
  }
  await site.run(site.as(ann).apply(loops, loop, { fieldManager: "ann", force: true }))
  await site.clock.advance(3000)
}

describe("a git server that hangs", () => {
  it("does not keep the plane from its start, nor other loops from their changes", async () => {
    const { site, server } = await open()
    server.hang()
    await restart(site)
    expect(sourceState(site)).toBe("reading")
    await makeLoop(site, "other")
    expect(site.sim.plane.loops.get("default.other")).toBeDefined()
    server.answer()
    await site.clock.advance(3000)
    expect(sourceState(site)).toBe("good")
  })

  it("keeps nobody waiting when a loop is pointed at it", async () => {
    const { site, server } = await open()
    server.hang()
    const source = { git: { ...git, path: "elsewhere" } }
    const change = { spec: { source } }
    await site.run(
      site.as(ann).patch({ ...loops, namespace: "default", name: "site" }, "merge", change),
    )
    await makeLoop(site, "other")
    expect(sourceState(site)).toBe("reading")
    expect(site.sim.plane.loops.get("default.other")).toBeDefined()
    expect(site.there()).toHaveLength(5)
  })

  it("prunes nothing before it was read, and what is gone from it after that", async () => {
    const { site, server } = await open()
    server.hang()
    await site.sim.stopPlane()
    site.sim.source.declare(all(4))
    await site.sim.start()
    await site.clock.advance(20 * 60_000)
    expect(sourceState(site)).toBe("reading")
    expect(site.there()).toHaveLength(5)
    expect(site.plans()).toEqual([])
    server.answer()
    await site.clock.advance(10_000)
    expect(site.there()).toEqual(names(4))
  })

  it("lets nothing pass meanwhile that a person rejected", async () => {
    const { site, server } = await open({ onDrift: "Hold" })
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.reject()
    server.hang()
    await restart(site)
    site.sim.plane.engine.wakeAll("default.site")
    await site.clock.advance(60_000)
    expect(site.plans("Pending")).toEqual([])
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
  })

  it("leaves it known what a promoted loop waits for", async () => {
    const { site, server } = await open()
    const loop: ApiObject = {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
      metadata: { name: "prod", namespace: "default" },
      spec: { source: { git: { ...git, path: "prod" }, promotion: { from: "site" } } },
    }
    await site.run(site.as(ann).apply(loops, loop, { fieldManager: "ann", force: true }))
    server.hang()
    await restart(site)
    expect(site.sim.plane.promotions.of("default.prod")).toEqual({
      ...{ kind: "wait", waiting: "waiting for default.site: 0 of 3 clean rounds at r1" },
    })
  })

  it("lets the plane close", async () => {
    const { site, server } = await open()
    server.hang()
    await restart(site)
    await site.sim.stopPlane()
    server.answer()
    await site.sim.start()
    await site.clock.advance(3000)
    const found = await site.status()
    expect(JSON.stringify(at(found, "loops"))).toContain('"good"')
  })
})
