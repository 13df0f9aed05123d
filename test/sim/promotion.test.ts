// Promotion: prod takes only revisions of the shared repository that staging held converged for so
// many clean rounds. Until then, and whatever happens to staging, it keeps what it has.

import { afterEach, describe, expect, it } from "vitest"
import { at, type Json } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { Source, SourceSnapshot } from "../../src/contract/source.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { preview } from "../../src/plane/preview.ts"
import { ann, loops, Site, widget } from "./site.ts"

const git = { url: "https://host/site.git" }
const prodRef = { ...loops, namespace: "default", name: "prod" }

type Environment = "staging" | "prod"

/** One repository with two folders. */
class Repository {
  readonly #revisions = new Map<string, Readonly<Record<Environment, readonly ApiObject[]>>>()
  readonly #watching = new Set<() => void>()
  head = ""
  /** Which folder nobody can read now. */
  closed: Environment | undefined

  push(revision: string, size: number): void {
    const objects = (environment: Environment) => [widget(`${environment}-a`, { size })]
    this.#revisions.set(revision, { staging: objects("staging"), prod: objects("prod") })
    this.head = revision
    for (const changed of this.#watching) changed()
  }

  open(environment: Environment): Source {
    const readAt = async (revision: string): Promise<SourceSnapshot> => {
      const objects = this.#revisions.get(revision)?.[environment]
      if (objects === undefined || this.closed === environment) {
        return { kind: "unreadable", issues: [] }
      }
      const manifests = objects.map((object, index) => {
        const position = { file: `${environment}/a.yaml`, line: index + 1, column: 1 }
        return { object, position, locate: () => position }
      })
      return { kind: "complete", revision, manifests }
    }
    return {
      description: `git ${git.url} ${environment}`,
      read: () => readAt(this.head),
      readAt,
      watch: (changed) => {
        this.#watching.add(changed)
        return { close: () => this.#watching.delete(changed) }
      },
    }
  }
}

let rearm = () => {}
afterEach(() => rearm())

async function open(promotion = { from: "site", cleanRounds: 3 }) {
  const repository = new Repository()
  repository.push("rev-1", 1)
  const site = new Site({ loop: { source: { git: { ...git, path: "staging" } } } })
  site.sim.wrapSource = (_source, loop) =>
    repository.open(loop === "default.site" ? "staging" : "prod")
  await site.sim.start()
  await site.makeLoop()
  const source = { git: { ...git, path: "prod" }, promotion }
  const loop: ApiObject = {
    ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
    metadata: { name: "prod", namespace: "default" },
    spec: { mode: "Enforce", source },
  }
  await site.run(site.as(ann).apply(loops, loop, { fieldManager: "ann", force: true }))
  await site.clock.advance(3000)
  return { site, repository }
}

async function promoted(site: Site) {
  const loop = await site.run(site.as(ann).get(prodRef))
  const conditions = loop?.status?.conditions
  const all = Array.isArray(conditions) ? conditions : []
  const found: unknown = all.find((one) => Object(one).type === "Promoted")
  return Object(found) as { status: string; reason: string; message: string }
}

const size = (site: Site, name: string) =>
  site.world.targets().find(({ identity }) => identity === name)?.value.size

async function rounds(site: Site, count: number): Promise<void> {
  for (let round = 0; round < count; round++) await site.look()
}

describe("a promoted loop", () => {
  it("waits until the loop before it had its clean rounds, and says how far that is", async () => {
    const { site } = await open()
    expect(site.there()).toEqual(["staging-a"])
    expect((await promoted(site)).reason).toBe("WaitingForProof")
    await rounds(site, 3)
    expect((await promoted(site)).message).toBe(
      "waiting for default.site: 2 of 3 clean rounds at rev-1",
    )
    expect(site.there()).toEqual(["staging-a"])
    await rounds(site, 1)
    expect(site.there()).toEqual(["prod-a", "staging-a"])
    expect(await promoted(site)).toMatchObject({ status: "True", reason: "Proven" })
    const told = (await site.journal()).filter(({ event }) => event.type === "source")
    expect(told.at(-1)?.event).toMatchObject({ state: "proven", revision: "rev-1" })
  })

  it("keeps its revision while the next one is being proven, and then takes it", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    repository.push("rev-2", 2)
    await site.clock.advance(3000)
    expect([size(site, "staging-a"), size(site, "prod-a")]).toEqual([2, 1])
    await rounds(site, 3)
    expect(size(site, "prod-a")).toBe(1)
    await rounds(site, 1)
    expect(size(site, "prod-a")).toBe(2)
    const prod = await site.journal("default.prod")
    expect(prod.map(({ revision }) => revision)).toContain("rev-2")
    const taken = prod.slice(
      prod.findIndex(({ event }) => at(event as object as Json, "state") === "good"),
    )
    expect(taken.map(({ revision }) => revision)).not.toContain(undefined)
  })

  it("does not take what the loop before it can't hold, however long it waits", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    const lift = site.world.faults.add({ how: "serverError", on: ["update"] })
    repository.push("rev-2", 2)
    await rounds(site, 8)
    lift()
    expect((await promoted(site)).message).toContain("0 of 3 clean rounds at rev-2")
    expect(size(site, "prod-a")).toBe(1)
  })

  it("does not take what a person rolled the loop before it back from", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    repository.push("rev-2", 2)
    repository.closed = "prod" // It is proven, and prod can't follow yet.
    await rounds(site, 5)
    expect([size(site, "staging-a"), size(site, "prod-a")]).toEqual([2, 1])
    const body = { loop: site.loopId, to: "last-good-1", reason: "two is wrong" }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/rollback", body))
    await site.clock.advance(3000)
    expect(size(site, "staging-a")).toBe(1)
    repository.closed = undefined
    await site.clock.advance(600_000)
    expect(size(site, "prod-a")).toBe(1)
    expect((await promoted(site)).message).toBe("waiting: rev-2 was rolled back in default.site")
    repository.push("rev-3", 3)
    await rounds(site, 6)
    expect(size(site, "prod-a")).toBe(3)
  })

  /** Looks come one after another while a read of the target hangs: no pass has ended yet. */
  async function hastyRounds() {
    const { site, repository } = await open()
    await rounds(site, 4)
    site.world.faults.add({ how: "hang", on: ["observe"], identity: "staging-a" })
    repository.push("rev-2", 2)
    await site.clock.advance(1000)
    for (let round = 0; round < 8; round++) await site.look(1)
    return site
  }

  it("counts no round whose passes have not ended: nobody knows yet what they find", async () => {
    const site = await hastyRounds()
    expect((await promoted(site)).message).toContain("0 of 3 clean rounds at rev-2")
    await site.clock.advance(10_000)
    expect(size(site, "prod-a")).toBe(1)
  })

  it("would take what nobody looked at yet, were it not for that rule (twin)", async () => {
    rearm = disarm("promotion-waits-for-passes")
    const site = await hastyRounds()
    await site.clock.advance(10_000)
    expect(size(site, "prod-a")).toBe(2)
  })

  it("takes a revert as any other revision, once it is proven", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    repository.push("rev-2", 2)
    await rounds(site, 5)
    repository.push("rev-3", 1)
    await rounds(site, 2)
    expect(size(site, "prod-a")).toBe(2)
    await rounds(site, 4)
    expect(size(site, "prod-a")).toBe(1)
  })

  it("goes on where it was after a restart: what is proven stays, what it took too", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    repository.push("rev-2", 2)
    await rounds(site, 3)
    await site.restart()
    await site.clock.advance(10_000)
    expect(size(site, "prod-a")).toBe(1)
    expect((await promoted(site)).message).toMatch(/at rev-1, .*[12] of 3 clean rounds at rev-2/)
    await rounds(site, 4)
    expect(size(site, "prod-a")).toBe(2)
  })

  it("holds what it has when the loop before it is gone, and says so", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    await site.run(site.as(ann).delete({ ...loops, namespace: "default", name: "site" }))
    repository.push("rev-2", 2)
    await site.clock.advance(60_000)
    await rounds(site, 4)
    expect(site.there()).toContain("prod-a")
    expect(size(site, "prod-a")).toBe(1)
    expect(await promoted(site)).toMatchObject({ status: "False", reason: "Refused" })
  })

  it("goes quiet when there is nothing to prove: a round then writes nothing", async () => {
    const { site } = await open()
    await rounds(site, 6)
    const before = site.revision
    await rounds(site, 3)
    expect(site.revision).toBe(before)
  })

  it("is planned as it would be done: not with what is not proven", async () => {
    const { site, repository } = await open()
    await rounds(site, 4)
    repository.push("rev-2", 2)
    await site.clock.advance(3000)
    const { ports } = site.sim.plane
    const asked = { ...ports, stops: () => [] }
    const planned = async (anyRevision: boolean) => {
      const answer = await site.run(preview({ anyRevision }, asked))
      const loop = answer.kind === "judged" && answer.loops.find(({ id }) => id === "default.prod")
      return loop === false ? undefined : loop?.actions.map(({ verb, name }) => `${verb} ${name}`)
    }
    expect(await planned(false)).toEqual([])
    expect(await planned(true)).toEqual(["update prod-a"])
  })

  it("would take what nobody proved, were it not for that rule (twin)", async () => {
    rearm = disarm("promotion-takes-what-is-proven")
    const { site } = await open()
    await rounds(site, 2)
    expect(site.there()).toContain("prod-a")
  })
})
