import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  namespaceNamed,
  namespaces,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import type { ObjectEvent } from "../contract/client.ts"
import type { ApiObject } from "../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const make = async (object: ApiObject) =>
  (await world.verbs.create(alice, configMaps, object)).object

const labelled = (name: string, labels: Record<string, string>): ApiObject => {
  const object = configMap(name)
  return { ...object, metadata: { ...object.metadata, labels } }
}

const namesOf = (items: readonly ApiObject[]) => items.map(({ metadata }) => metadata.name)

describe("list", () => {
  it("pages through one snapshot, whatever is written meanwhile", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await make(configMap(name))
    const first = await world.verbs.list(alice, configMaps, { limit: 2 })
    await make(configMap("bb"))
    const second = await world.verbs.list(alice, configMaps, {
      limit: 2,
      continue: first.continue ?? "",
    })
    const third = await world.verbs.list(alice, configMaps, {
      limit: 2,
      continue: second.continue ?? "",
    })
    const pages = [first, second, third]
    expect(pages.map(({ items }) => namesOf(items))).toEqual([["a", "b"], ["c", "d"], ["e"]])
    expect(third.continue).toBeUndefined()
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1)
  })

  it("answers 410 when the snapshot of a page is compacted", async () => {
    for (const name of ["a", "b", "c"]) await make(configMap(name))
    const first = await world.verbs.list(alice, configMaps, { limit: 1 })
    await make(configMap("d"))
    await world.store.compact(world.store.revision)
    const next = { limit: 1, continue: first.continue ?? "" }
    const fault = await faultOf(world.verbs.list(alice, configMaps, next))
    expect(fault).toMatchObject({ status: 410, reason: "Expired" })
  })

  it("selects by label and by name, and pages what it selects", async () => {
    await make(labelled("a", { tier: "web", zone: "x" }))
    await make(labelled("b", { tier: "db" }))
    await make(labelled("c", {}))
    const select = async (labelSelector: string) =>
      namesOf((await world.verbs.list(alice, configMaps, { labelSelector })).items)
    expect(await select("tier=web")).toEqual(["a"])
    expect(await select("tier!=web")).toEqual(["b", "c"])
    expect(await select("tier in (web, db),!zone")).toEqual(["b"])
    expect(await select("tier notin (db)")).toEqual(["a", "c"])
    expect(await select("zone")).toEqual(["a"])
    const fieldSelector = "metadata.name=b"
    const one = await world.verbs.list(alice, configMaps, { namespace: "default", fieldSelector })
    expect(namesOf(one.items)).toEqual(["b"])
    const paged = { labelSelector: "tier", limit: 1 }
    const page = await world.verbs.list(alice, configMaps, paged)
    const rest = await world.verbs.list(alice, configMaps, {
      ...paged,
      continue: page.continue ?? "",
    })
    expect([...namesOf(page.items), ...namesOf(rest.items)]).toEqual(["a", "b"])
  })

  it("refuses selectors and tokens that it does not understand", async () => {
    for (const options of [
      { labelSelector: "a=b=c" },
      { labelSelector: "in (a)" },
      { labelSelector: "a in ()x" },
      { fieldSelector: "spec.color=red" },
      { fieldSelector: "metadata.name" },
      { fieldSelector: "," },
      { fieldSelector: " " },
      { fieldSelector: "metadata.name=a=b" },
      { continue: "AAAA" },
    ]) {
      expect(await faultOf(world.verbs.list(alice, configMaps, options))).toMatchObject({
        status: 400,
      })
    }
  })

  it("keeps namespaces apart", async () => {
    await world.verbs.create(alice, namespaces, namespaceNamed("default-2"))
    await make(configMap("a"))
    const other = configMap("b")
    await make({ ...other, metadata: { ...other.metadata, namespace: "default-2" } })
    const { items } = await world.verbs.list(alice, configMaps, { namespace: "default" })
    expect(namesOf(items)).toEqual(["a"])
    expect((await world.verbs.list(alice, configMaps)).items).toHaveLength(2)
  })
})

/** Reads events until there are as many as asked for, bookmarks left out. */
async function collect(
  events: AsyncIterable<ObjectEvent>,
  count: number,
  stop: AbortController,
): Promise<string[]> {
  const lines: string[] = []
  for await (const event of events) {
    if (event.type === "BOOKMARK") continue
    lines.push(`${event.type} ${event.object.metadata.name}`)
    if (lines.length === count) stop.abort()
  }
  return lines
}

describe("watch", () => {
  it("brings everything after the list, in order", async () => {
    await make(configMap("a"))
    const { resourceVersion } = await world.verbs.list(alice, configMaps)
    const stop = new AbortController()
    const request = { resourceVersion, signal: stop.signal }
    const events = collect(world.verbs.watch(alice, configMaps, request), 3, stop)
    const ref = { ...configMaps, namespace: "default", name: "a" }
    await world.verbs.patch(alice, ref, "merge", { data: { x: "1" } })
    await make(configMap("b"))
    await world.verbs.delete(alice, ref)
    expect(await events).toEqual(["MODIFIED a", "ADDED b", "DELETED a"])
  })

  it("shows leaving a selection as DELETED and entering it as ADDED", async () => {
    await make(labelled("a", { tier: "web" }))
    const { resourceVersion } = await world.verbs.list(alice, configMaps)
    const stop = new AbortController()
    const request = { resourceVersion, signal: stop.signal, labelSelector: "tier=web" }
    const events = collect(world.verbs.watch(alice, configMaps, request), 2, stop)
    const ref = { ...configMaps, namespace: "default", name: "a" }
    for (const tier of ["db", "lab", "web"]) {
      await world.verbs.patch(alice, ref, "merge", { metadata: { labels: { tier } } })
    }
    expect(await events).toEqual(["DELETED a", "ADDED a"])
  })

  it("gives a deleted object the resourceVersion of its deletion", async () => {
    const { metadata } = await make(configMap("a"))
    const stop = new AbortController()
    const { resourceVersion = "" } = metadata
    const request = { resourceVersion, signal: stop.signal }
    const events = world.verbs.watch(alice, configMaps, request)
    await world.verbs.delete(alice, { ...configMaps, namespace: "default", name: "a" })
    for await (const event of events) {
      if (event.type !== "DELETED") continue
      expect(event.object.metadata.resourceVersion).toBe(String(world.store.revision))
      break
    }
    stop.abort()
  })

  it("ends with 410 when its past is compacted", async () => {
    await make(configMap("a"))
    const from = String(world.store.revision)
    await make(configMap("b"))
    await make(configMap("c"))
    await world.store.compact(world.store.revision)
    const stop = new AbortController()
    const request = { resourceVersion: from, signal: stop.signal }
    const fault = await faultOf(collect(world.verbs.watch(alice, configMaps, request), 9, stop))
    expect(fault).toMatchObject({ status: 410, reason: "Expired" })
  })
})
