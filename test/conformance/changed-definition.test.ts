// A definition that changes while somebody watches or writes: nobody goes on by what it said.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { storageKey } from "../../src/api/storage-keys.ts"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { alice, definitions, faultOf } from "./client-world.ts"
import { type DefinitionWorld, openDefinitionWorld } from "./definition-world.ts"
import { packDefinition, versionOf } from "./versioned-boxes.ts"

const pads: ResourceRef = { group: "pack.dev", version: "v1", resource: "pads" }
const padAt = { ...pads, namespace: "default", name: "a" }
const padKey = storageKey({ ...padAt })
const text: JsonObject = { type: "string" }
const number: JsonObject = { type: "integer" }
const few = versionOf("v1", { size: number }, { storage: true })
const more = versionOf("v1", { size: number, foo: text }, { storage: true })
const strict = versionOf("v1", { size: { ...number, maximum: 5 } }, { storage: true })

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld()
  await world.create(definitions, packDefinition("pads", "Pad", [few]))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await world.close()
})

const pad = (spec: JsonObject): ApiObject => ({
  apiVersion: "pack.dev/v1",
  kind: "Pad",
  metadata: { name: "a", namespace: "default" },
  spec,
})

async function redefine(version: JsonObject): Promise<void> {
  const live = await world.read(definitions, "pads.pack.dev", "")
  await world.update(definitions, { ...live, spec: { ...live.spec, versions: [version] } })
}

/** Runs once, right before somebody else's first commit of the object. */
function beforeCommit(act: () => Promise<unknown>): void {
  vi.restoreAllMocks()
  const commit = world.store.commit.bind(world.store)
  let isDone = false
  vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
    if (!isDone && writes.some(({ key }) => key === padKey)) {
      isDone = true
      await act()
    }
    return commit(checks, writes)
  })
}

/** A definition and an object of it change while a patch is under way. */
const growsMeanwhile = () =>
  beforeCommit(async () => {
    await redefine(more)
    await world.verbs.patch(alice, padAt, "merge", { spec: { foo: "theirs" } })
  })

const mergePatch = { metadata: { labels: { a: "b" } } }
const stored = async () => (await world.read(pads, "a")).spec

describe("a write during which its definition changes", () => {
  test("keeps a field that came with the change: patch", async () => {
    await world.create(pads, pad({ size: 1 }))
    growsMeanwhile()
    await world.verbs.patch(alice, padAt, "merge", mergePatch)
    expect(await stored()).toEqual({ size: 1, foo: "theirs" })
  })

  test("keeps a field that came with the change: apply", async () => {
    await world.create(pads, pad({ size: 1 }))
    growsMeanwhile()
    const mine = { ...pad({}), metadata: { ...pad({}).metadata, labels: { a: "b" } } }
    await world.verbs.apply(alice, pads, mine, { fieldManager: "mine" })
    expect(await stored()).toEqual({ size: 1, foo: "theirs" })
  })

  test("is judged by the new one: create, update and patch", async () => {
    beforeCommit(() => redefine(strict))
    const created = await faultOf(world.verbs.create(alice, pads, pad({ size: 9 })))
    expect(created.status).toBe(422)
    await redefine(few)
    const made = await world.create(pads, pad({ size: 1 }))
    beforeCommit(() => redefine(strict))
    const updated = await faultOf(world.verbs.update(alice, pads, { ...made, spec: { size: 9 } }))
    expect(updated.status).toBe(422)
    await redefine(few)
    beforeCommit(() => redefine(strict))
    const patched = await faultOf(world.verbs.patch(alice, padAt, "merge", { spec: { size: 9 } }))
    expect(patched.status).toBe(422)
  })

  test("is no conflict for whoever named the version of the object", async () => {
    const made = await world.create(pads, pad({ size: 1 }))
    beforeCommit(async () => {
      const live = await world.read(definitions, "pads.pack.dev", "")
      const metadata = { ...live.metadata, annotations: { note: "n" } }
      await world.update(definitions, { ...live, metadata })
    })
    await world.update(pads, { ...made, spec: { size: 2 } })
    expect(await stored()).toEqual({ size: 2 })
  })
})

describe("a watch of a kind whose definition changes", () => {
  test("ends, so that its client comes back and sees what the kind has now", async () => {
    const made = await world.create(pads, pad({ size: 1 }))
    const resourceVersion = made.metadata.resourceVersion ?? ""
    const signal = AbortSignal.timeout(20_000)
    const over = (async () => {
      for await (const event of world.verbs.watch(alice, pads, { resourceVersion, signal })) {
        if (event.type !== "BOOKMARK") throw new Error("nothing was to be seen")
      }
    })()
    await redefine(more)
    await over
    expect(signal.aborted).toBe(false)
  })

  test("goes on when only its status or an annotation changed", async () => {
    const made = await world.create(pads, pad({ size: 1 }))
    const resourceVersion = made.metadata.resourceVersion ?? ""
    const signal = AbortSignal.timeout(20_000)
    const events = world.verbs
      .watch(alice, pads, { resourceVersion, signal })
      [Symbol.asyncIterator]()
    const first = events.next()
    const live = await world.read(definitions, "pads.pack.dev", "")
    const metadata = { ...live.metadata, annotations: { note: "n" } }
    await world.update(definitions, { ...live, metadata })
    await world.verbs.patch(alice, padAt, "merge", { spec: { size: 2 } })
    const step = await first
    expect(step.done).toBe(false)
    await events.return?.()
  })
})
