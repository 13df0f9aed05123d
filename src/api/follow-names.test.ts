import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock, systemRandom } from "../base/system.ts"
import type { Store, WatchEvent } from "../contract/store.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { followNames } from "./follow-names.ts"
import type { Follower } from "./follow-store.ts"
import { storageKey } from "./storage-keys.ts"

const kind = { group: "", resource: "configmaps" }
const path = (namespace: string, name: string) => storageKey({ ...kind, namespace, name })

let store: Store
let follower: Follower
let gone: string[]

const put = (namespace: string, name: string) =>
  store.commit([], [{ kind: "put", key: path(namespace, name), value: Buffer.from("not read") }])
const remove = (namespace: string, name: string) =>
  store.commit([], [{ kind: "delete", key: path(namespace, name) }])

function start(from: Store = store): Promise<void> {
  gone = []
  follower = followNames({
    ...{ store: from, clock: systemClock, ...kind, names: ["kept"] },
    gone: ({ namespace, name }) => gone.push(`${namespace}/${name}`),
  })
  return follower.synced()
}

beforeEach(async () => {
  store = await openMemoryStore({ clock: systemClock, random: systemRandom })
})
afterEach(async () => {
  await follower.close()
  await store.close()
})

describe("names that are followed", () => {
  it("are told when they go, whether they were there before or came later", async () => {
    await put("a", "kept")
    await start()
    await put("b", "kept")
    for (const namespace of ["a", "b"]) await remove(namespace, "kept")
    await follower.waitFor(store.revision)
    expect(gone).toEqual(["a/kept", "b/kept"])
  })

  it("are whole names, and others are nobody's business", async () => {
    for (const name of ["other", "un-kept"]) await put("a", name)
    await start()
    for (const name of ["other", "un-kept"]) await remove("a", name)
    await follower.waitFor(store.revision)
    expect(gone).toEqual([])
  })

  it("are told when they went while the past was forgotten", async () => {
    await put("a", "kept")
    let cut: ((event: WatchEvent) => void) | undefined
    const forgets: Store = Object.create(store, {
      range: { value: store.range.bind(store) },
      watch: {
        value: (options: Parameters<Store["watch"]>[0]) => {
          if (cut !== undefined) return store.watch(options)
          const first = new Promise<WatchEvent>((resolve) => {
            cut = resolve
          })
          return (async function* () {
            yield await first
          })()
        },
      },
    })
    await start(forgets)
    await remove("a", "kept")
    cut?.({ kind: "compacted", oldest: store.revision })
    await follower.waitFor(store.revision)
    expect(gone).toEqual(["a/kept"])
  })
})
