import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  note,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import { isFault } from "../base/faults.ts"
import { systemClock } from "../base/system.ts"
import type { ObjectEvent } from "../contract/client.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { ApiObject } from "../object/object.ts"
import { Informer } from "./informer.ts"

const names = ["a", "b", "c"] as const
const step = fc.record({
  name: fc.constantFrom(...names),
  kind: fc.constantFrom("create", "apply", "patch", "replace", "status", "delete", "end", "wrong"),
  size: fc.integer({ min: 1, max: 4 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take({ verbs }: ApiWorld, { name, kind, size }: Step): Promise<void> {
  const ref = { ...things, namespace: "default", name }
  const spec = { size }
  switch (kind) {
    case "create":
      await verbs.create(alice, things, thing(name, spec))
      return
    case "apply":
      await verbs.apply(alice, things, thing(name, spec), { fieldManager: "kim", force: true })
      return
    case "patch":
      await verbs.patch(alice, ref, "merge", { spec: { color: `c${size}` } })
      return
    case "delete":
      await verbs.delete(alice, ref)
      return
    case "end":
      await verbs.patch(enginePrincipal, ref, "merge", { metadata: { finalizers: null } })
      return
    case "wrong":
      await verbs.create(alice, things, note(name))
      return
    default: {
      const live = await verbs.get(alice, ref)
      if (live === undefined) return
      if (kind === "status") await verbs.updateStatus(alice, things, { ...live, status: spec })
      else await verbs.update(alice, things, { ...live, spec })
    }
  }
}

/** Plays a watch back into the state it describes, checking its order on the way. */
function replay(events: readonly ObjectEvent[]): Map<string, ApiObject> {
  const state = new Map<string, ApiObject>()
  let last = 0
  for (const event of events) {
    if (event.type === "BOOKMARK") continue
    const { name, resourceVersion, generation = 0, uid } = event.object.metadata
    const before = state.get(name)
    expect(Number(resourceVersion)).toBeGreaterThan(last)
    last = Number(resourceVersion)
    expect(event.type === "ADDED").toBe(before === undefined)
    if (before !== undefined) {
      expect(uid).toBe(before.metadata.uid)
      expect(generation).toBeGreaterThanOrEqual(before.metadata.generation ?? 0)
      if (event.type === "MODIFIED") expect(event.object).not.toEqual(before)
    }
    if (event.type === "DELETED") state.delete(name)
    else state.set(name, event.object)
  }
  return state
}

describe("many writers at once", () => {
  it("leave list, watch and informer in agreement", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 4 }),
        async (all) => {
          const world = await openApiWorld()
          const { store } = world
          const informer = new Informer({ store, clock: systemClock, ...things })
          await informer.synced()
          const stop = new AbortController()
          const resourceVersion = String(store.revision)
          const events: ObjectEvent[] = []
          const watching = (async () => {
            const request = { resourceVersion, signal: stop.signal }
            for await (const event of world.verbs.watch(alice, things, request)) events.push(event)
          })()
          const unexpected: unknown[] = []
          await Promise.all(
            all.map(async (steps) => {
              for (const each of steps) {
                await take(world, each).catch((error) => {
                  const expected = isFault(error) && [400, 404, 409].includes(error.status)
                  if (!expected) unexpected.push(error)
                })
              }
            }),
          )
          // The last write of all comes last in every view.
          await take(world, { name: "a", kind: "create", size: 1 }).catch(() => {})
          const mark = await world.verbs.create(alice, things, thing("zz"))
          const end = Number(mark.object.metadata.resourceVersion)
          await informer.waitFor(end)
          await expect
            .poll(() => events.some((one) => "object" in one && one.object.metadata.name === "zz"))
            .toBe(true)
          stop.abort()
          await watching
          const { items } = await world.verbs.list(alice, things)
          const listed = new Map(items.map((object) => [object.metadata.name, object]))
          expect(unexpected).toEqual([])
          expect(replay(events)).toEqual(listed)
          const indexed = [...informer.entries()].map(([key, { revision }]) => [key, revision])
          expect(new Map(indexed as [string, number][])).toEqual(
            new Map(
              items.map(({ metadata }) => [
                `things.test.dev/default/${metadata.name}`,
                Number(metadata.resourceVersion),
              ]),
            ),
          )
          await informer.close()
          await world.close()
        },
      ),
      { numRuns: 25 },
    )
  })
})
