import { describe, expect, it } from "vitest"
import { sealedStore } from "../../api/sealed-store.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { openMemoryStore } from "../../store/open-memory-store.ts"
import { Sealing } from "../sealing.ts"
import { aesSealer } from "./aes-sealer.ts"

const place = "/registry/core/secrets/default/a"
const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const text = (value: Uint8Array) => Buffer.from(value).toString("latin1")

function keyRing(...seeds: readonly number[]) {
  let keys = seeds.map((seed) => new Uint8Array(32).fill(seed))
  const add = () => {
    keys = [...keys, new Uint8Array(32).fill(keys.length + 100)]
  }
  return { read: () => keys, add }
}

const open = () => openMemoryStore({ clock: systemClock, random: systemRandom })

describe("a sealed value", () => {
  const sealer = aesSealer(keyRing(1), systemRandom)

  it("opens to what was sealed, and says nothing of it", () => {
    const sealed = sealer.seal(place, bytes("canary"))
    expect(text(sealed)).not.toContain("canary")
    expect(text(sealer.open(place, sealed))).toBe("canary")
    expect(sealer.seal(place, bytes("canary"))).not.toEqual(sealed)
  })

  it("does not open in another place, with a changed byte, or cut short", () => {
    const sealed = sealer.seal(place, bytes("canary"))
    expect(() => sealer.open(`${place}b`, sealed)).toThrow("changed from outside")
    for (const at of [35, 45, sealed.length - 1]) {
      const changed = Uint8Array.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => sealer.open(place, changed)).toThrow("changed from outside")
    }
    expect(() => sealer.open(place, sealed.slice(0, 50))).toThrow("changed from outside")
  })

  it("names the key that is missing", () => {
    const sealed = sealer.seal(place, bytes("canary"))
    const other = aesSealer(keyRing(2), systemRandom)
    const id = sealer.keys()[0] ?? ""
    expect(() => other.open(place, sealed)).toThrow(id)
    expect(other.keyOf(sealed)).toBe(id)
  })
})

describe("a sealed store", () => {
  it("shows plain values in get, range and watch, and holds sealed ones", async () => {
    const below = await open()
    const store = sealedStore(below, aesSealer(keyRing(1), systemRandom))
    const after = store.revision
    await store.commit([], [{ kind: "put", key: place, value: bytes("canary") }])
    await store.commit([], [{ kind: "put", key: "/registry/core/x/-/b", value: bytes("plain") }])
    const raw = await below.get(place)
    expect(raw !== undefined && "value" in raw && text(raw.value)).not.toContain("canary")
    const read = await store.get(place)
    expect(read !== undefined && "value" in read && text(read.value)).toBe("canary")
    const range = await store.range({ prefix: "/registry/" })
    const values = range.kind === "range" ? range.entries.map(({ value }) => text(value)) : []
    expect(values).toEqual(["canary", "plain"])
    const signal = AbortSignal.timeout(5000)
    for await (const event of store.watch({ prefix: "/registry/", after, signal })) {
      if (event.kind !== "changes") continue
      expect(event.changes.map(({ value }) => text(value ?? bytes("")))).toEqual(["canary"])
      break
    }
    await below.close()
  })

  it("fails for a value whose key is missing, and for that value alone", async () => {
    const below = await open()
    const first = sealedStore(below, aesSealer(keyRing(1), systemRandom))
    await first.commit([], [{ kind: "put", key: place, value: bytes("canary") }])
    const sealing = new Sealing(below, aesSealer(keyRing(2), systemRandom))
    await expect(sealing.store.get(place)).rejects.toThrow("not in the key file")
    await expect(sealing.store.range({ prefix: "/registry/core/secrets/" })).rejects.toThrow()
    expect((await sealing.store.range({ prefix: "/registry/" })).kind).toBe("range")
    expect(await sealing.look()).toContain("1 with key")
    expect(await sealing.rotate(true)).toMatchObject({ rewritten: 0, unreadable: 1 })
    const again = await first.get(place)
    expect(again !== undefined && "value" in again && text(again.value)).toBe("canary")
    await below.close()
  })

  it("is written again with a new key, and needs the old one no more", async () => {
    const below = await open()
    const ring = keyRing(1)
    await below.commit([], [{ kind: "put", key: `${place}-plain`, value: bytes("early") }])
    const sealing = new Sealing(below, aesSealer(ring, systemRandom))
    await sealing.store.commit([], [{ kind: "put", key: place, value: bytes("canary") }])
    expect(await sealing.rotate(true)).toMatchObject({ rewritten: 2, unreadable: 0 })
    expect(await sealing.rotate(false)).toMatchObject({ rewritten: 0 })
    const [, newest = new Uint8Array(32)] = ring.read()
    const onlyNew = aesSealer({ read: () => [newest], add: () => {} }, systemRandom)
    const range = await sealedStore(below, onlyNew).range({ prefix: "/registry/core/secrets/" })
    const values = range.kind === "range" ? range.entries.map(({ value }) => text(value)) : []
    expect(values).toEqual(["canary", "early"])
    await below.close()
  })
})
