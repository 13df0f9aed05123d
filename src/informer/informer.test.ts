import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { encodeObject } from "../api/codec.ts"
import { storageKey } from "../api/storage-keys.ts"
import { deferred } from "../base/async.ts"
import { systemClock, systemRandom } from "../base/system.ts"
import type { Store } from "../contract/store.ts"
import { loopLabel } from "../object/object.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { Informer } from "./informer.ts"
import { ObjectCache } from "./object-cache.ts"

const kind = { group: "test.dev", resource: "things" }
const keyOf = (name: string) => `things.test.dev/default/${name}`
const path = (name: string) => storageKey({ ...kind, namespace: "default", name })

const value = (name: string, size: number, more: object = {}) =>
  encodeObject({
    apiVersion: "test.dev/v1",
    kind: "Thing",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      generation: size,
      labels: { [loopLabel]: "default.site" },
      ...more,
    },
    spec: { size },
  })

let store: Store
let informer: Informer
let seen: string[]

const put = async (name: string, size: number, more: object = {}) => {
  const write = { kind: "put", key: path(name), value: value(name, size, more) } as const
  const result = await store.commit([], [write])
  return result.kind === "committed" ? result.revision : 0
}
const remove = (name: string) => store.commit([], [{ kind: "delete", key: path(name) }])

const start = (from: Store = store) => {
  informer = new Informer({ store: from, clock: systemClock, ...kind, pageSize: 2 })
  seen = []
  informer.onChange((key, change) => seen.push(`${change} ${key.split("/")[2]}`))
  return informer.synced()
}

beforeEach(async () => {
  store = await openMemoryStore({ clock: systemClock, random: systemRandom })
})
afterEach(async () => {
  await informer.close()
  await store.close()
})

describe("informer", () => {
  it("knows every object that existed before, over several pages", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await put(name, 1)
    await start()
    expect([...informer.keys()].sort()).toEqual(["a", "b", "c", "d", "e"].map(keyOf))
    expect(seen).toHaveLength(5)
    expect(informer.entry(keyOf("a"))).toMatchObject({
      uid: "uid-a",
      generation: 1,
      loop: "default.site",
      marked: false,
    })
  })

  it("lets a writer wait for its own write", async () => {
    await start()
    const revision = await put("a", 1)
    await informer.waitFor(revision)
    expect(informer.entry(keyOf("a"))?.revision).toBe(revision)
    const marked = await put("a", 2, { deletionTimestamp: "2026-01-01T00:00:00Z" })
    await informer.waitFor(marked)
    expect(informer.entry(keyOf("a"))).toMatchObject({ generation: 2, marked: true })
    await remove("a")
    await informer.waitFor(store.revision)
    expect(informer.entry(keyOf("a"))).toBeUndefined()
    expect(seen).toEqual(["put a", "put a", "delete a"])
  })

  it("parses an object when asked, and hashes its spec", async () => {
    await put("a", 3)
    await start()
    expect(await informer.get(keyOf("a"))).toMatchObject({ spec: { size: 3 } })
    expect(await informer.get(keyOf("a"))).toBe(await informer.get(keyOf("a")))
    const hash = await informer.specHash(keyOf("a"))
    await informer.waitFor(await put("a", 4))
    expect(await informer.specHash(keyOf("a"))).not.toBe(hash)
    await informer.waitFor(await put("a", 3))
    expect(await informer.specHash(keyOf("a"))).toBe(hash)
    expect(await informer.get(keyOf("none"))).toBeUndefined()
  })

  it("stays out of other resources whose names begin alike", async () => {
    const other = storageKey({ ...kind, resource: "things2", namespace: "default", name: "a" })
    await store.commit([], [{ kind: "put", key: other, value: value("a", 1) }])
    await start()
    expect(informer.size).toBe(0)
  })

  for (const ending of ["compacted", "overrun", "error"] as const) {
    it(`loses no delete when its watch ends with ${ending}`, async () => {
      for (const name of ["a", "b", "c"]) await put(name, 1)
      let watches = 0
      const changed = deferred<void>()
      // The first watch never delivers; meanwhile the world changes and its past goes.
      const flaky: Store = Object.create(store, {
        watch: {
          value: async function* (options: Parameters<Store["watch"]>[0]) {
            if (++watches > 1) {
              yield* store.watch(options)
              return
            }
            await changed.promise
            if (ending === "error") throw new Error("the wire broke")
            if (ending === "compacted") await store.compact(store.revision)
            yield ending === "compacted"
              ? { kind: "compacted", oldest: store.revision }
              : { kind: "overrun" }
          },
        },
        range: { value: (query: Parameters<Store["range"]>[0]) => store.range(query) },
        get: { value: (key: string) => store.get(key) },
      })
      await start(flaky)
      await remove("b")
      await put("c", 2)
      await put("d", 1)
      changed.resolve()
      await informer.waitFor(await put("e", 1))
      expect([...informer.keys()].sort()).toEqual(["a", "c", "d", "e"].map(keyOf))
      expect(seen.slice(3).sort()).toEqual(["delete b", "put c", "put d", "put e"])
    })
  }
})

describe("object cache", () => {
  it("keeps within count and bytes and gives only the revision asked for", () => {
    const cache = new ObjectCache({ objects: 2, bytes: 100 })
    const object = { apiVersion: "v1", kind: "A", metadata: { name: "a" } }
    cache.put("a", 1, object, 10)
    cache.put("b", 1, object, 10)
    cache.get("a", 1)
    cache.put("c", 1, object, 10)
    expect([cache.get("a", 1), cache.get("b", 1)]).toEqual([object, undefined])
    expect(cache.get("a", 2)).toBeUndefined()
    cache.put("d", 1, object, 95)
    expect(cache.size).toBe(1)
  })
})
