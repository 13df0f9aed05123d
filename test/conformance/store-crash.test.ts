// The power goes at every disk operation of a workload. Whatever the disk kept of the unsynced
// writes, the store that opens again holds every acknowledged commit, none in part, and counts on.

import { describe, expect, it } from "vitest"
import type { Write } from "../../src/contract/store.ts"
import { type CrashMode, SimDisk } from "../../src/sim/disk.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { LogEngine } from "../../src/store/engines/testing/log-engine.ts"
import type { KvStore } from "../../src/store/kv-store.ts"
import { openStoreOn } from "../../src/store/open-memory-store.ts"
import { bytes, text } from "./store.ts"

const planeId = "plane-under-test"

function open(disk: SimDisk, onFatal?: () => void): Promise<KvStore> {
  const options = { clock: new SimClock(), random: new SimRandom(1), planeId }
  const fatal = onFatal === undefined ? {} : { onFatal }
  return openStoreOn(new LogEngine(disk.open()), { ...options, ...fatal })
}

interface Acknowledged {
  /** By round: the revision that was acknowledged. */
  readonly commits: Map<number, number>
  begun: number
  epoch: number
}

/**
 * Each round writes three keys with its number, and deletes a fourth, in one commit; in every other
 * round the writes are apart.
 */
function roundOf(round: number): Write[] {
  const value = bytes(`${round} ${"x".repeat((round * 131) % 1500)}`)
  const apart = round % 2 === 0 ? ({ apart: true } as const) : {}
  return [
    { kind: "put", key: "t/a", value, ...apart },
    { kind: "put", key: "t/b", value, ...apart },
    { kind: "put", key: `t/c/${round}`, value, ...apart },
    { kind: "delete", key: `t/c/${round - 1}`, ...apart },
  ]
}

async function workload(disk: SimDisk, acknowledged: Acknowledged): Promise<void> {
  let store = await open(disk)
  acknowledged.epoch = store.identity.epoch
  for (let round = 1; round <= 24; round++) {
    acknowledged.begun = round
    // Two at once share a batch.
    const both = [store.commit([], roundOf(round)), store.commit([], [])]
    const [answer] = await Promise.all(both)
    acknowledged.commits.set(round, answer?.kind === "committed" ? answer.revision : -1)
    if (round % 8 === 0) await store.compact(store.revision - 3)
    if (round === 12) {
      await store.close()
      store = await open(disk)
      acknowledged.epoch = store.identity.epoch
    }
  }
  await store.close()
}

async function verify(disk: SimDisk, acknowledged: Acknowledged): Promise<void> {
  const store = await open(disk)
  const last = Math.max(0, ...acknowledged.commits.keys())
  const range = await store.range({ prefix: "t/" })
  if (range.kind !== "range") throw new Error("compacted")
  const rounds = new Set(range.entries.map((entry) => Number(text(entry.value).split(" ")[0])))
  // All keys of one round: none half.
  expect(rounds.size).toBeLessThanOrEqual(1)
  const found = [...rounds][0] ?? 0
  expect(range.entries).toHaveLength(found === 0 ? 0 : 3)
  // The last acknowledged one, or the one that was under way.
  expect(found).toBeGreaterThanOrEqual(last)
  expect(found).toBeLessThanOrEqual(acknowledged.begun)
  const newest = acknowledged.commits.get(last) ?? 0
  expect(store.revision).toBeGreaterThan(newest)
  expect(store.identity.epoch).toBeGreaterThan(acknowledged.epoch)
  const again = await store.commit([], roundOf(found + 1))
  expect(again).toMatchObject({ kind: "committed" })
  await store.close()
}

async function crashEverywhere(modes: () => readonly CrashMode[]): Promise<number> {
  const calm = new SimDisk()
  await workload(calm, { commits: new Map(), begun: 0, epoch: 0 })
  let points = 0
  for (let operation = 1; operation <= calm.operations; operation++) {
    for (const after of [false, true]) {
      for (const mode of modes()) {
        const disk = new SimDisk()
        disk.crashAt(operation, after)
        const acknowledged = { commits: new Map<number, number>(), begun: 0, epoch: 0 }
        await workload(disk, acknowledged).catch(() => {}) // The crash itself.
        disk.crash(mode)
        await verify(disk, acknowledged)
        points++
      }
    }
  }
  return points
}

describe("the store on a disk that loses power", () => {
  it("loses nothing acknowledged when every unsynced write is dropped, anywhere", async () => {
    const points = await crashEverywhere(() => [{ kind: "drop" }])
    console.log(`crash points, unsynced writes dropped: ${points}`)
    expect(points).toBeGreaterThan(100)
  })

  it("loses nothing acknowledged when any sectors survive or the last write is torn", async () => {
    let seed = 0
    const modes = (): CrashMode[] => [
      { kind: "subset", random: new SimRandom(seed++) },
      { kind: "torn", random: new SimRandom(seed++) },
    ]
    const points = await crashEverywhere(modes)
    console.log(`crash points, sectors kept at random or torn: ${points}`)
    expect(points).toBeGreaterThan(200)
  })

  it("is caught by this check when the disk does not really sync", async () => {
    const disk = new SimDisk()
    const handle = disk.open()
    const lying = { ...handle, sync: async () => {} }
    const options = { clock: new SimClock(), random: new SimRandom(1), planeId }
    const store = await openStoreOn(new LogEngine(lying), options)
    const answer = await store.commit([], roundOf(1))
    disk.crash()
    const revision = answer.kind === "committed" ? answer.revision : 0
    const acknowledged = { commits: new Map([[1, revision]]), begun: 1, epoch: 1 }
    await expect(verify(disk, acknowledged)).rejects.toThrow()
  })

  it("stops for good after a failed sync and never acknowledges that commit", async () => {
    const disk = new SimDisk()
    let fatal = 0
    const store = await open(disk, () => fatal++)
    const watch = store.watch({
      prefix: "",
      after: store.revision,
      signal: AbortSignal.timeout(9999),
    })
    const watching = watch[Symbol.asyncIterator]().next()
    disk.failNextSync()
    const stopped = { code: "SPT-STORE-007", fault: "bug" }
    const both = [store.commit([], roundOf(1)), store.commit([], roundOf(2))]
    for (const commit of both) await expect(commit).rejects.toMatchObject(stopped)
    await expect(watching).rejects.toMatchObject(stopped)
    await expect(store.commit([], roundOf(3))).rejects.toMatchObject(stopped)
    await expect(store.get("t/a")).rejects.toMatchObject(stopped)
    expect(fatal).toBe(1)
    await store.close()
    disk.crash()
    await verify(disk, { commits: new Map(), begun: 3, epoch: 1 })
  })

  it("refuses writes while the disk is full, reads on, and goes on with space", async () => {
    const disk = new SimDisk()
    const store = await open(disk)
    await store.commit([], roundOf(1))
    const before = store.revision
    for (let room = 0; room < 3000; room += 97) {
      disk.capacity = disk.durableBytes + room
      const large: Write = { kind: "put", key: "t/large", value: new Uint8Array(3000) }
      const commit = store.commit([], [large])
      await expect(commit).rejects.toMatchObject({ code: "SPT-STORE-006", fault: "retry" })
      expect(await store.get("t/large")).toBeUndefined()
    }
    expect(store.revision).toBe(before)
    disk.capacity = Number.POSITIVE_INFINITY
    const answer = await store.commit([], roundOf(2))
    expect(answer).toMatchObject({ kind: "committed", revision: before + 4 })
    disk.crash()
    await verify(disk, { commits: new Map([[2, before + 4]]), begun: 2, epoch: 1 })
  })

  it("finds every flipped bit of the log and refuses to open", async () => {
    const disk = new SimDisk()
    const store = await open(disk)
    for (let round = 1; round <= 3; round++) await store.commit([], roundOf(round))
    await store.close()
    for (let offset = 0; offset < disk.durableBytes; offset += 13) {
      disk.rot(offset)
      await expect(open(disk)).rejects.toMatchObject({ code: "SPT-STORE-011" })
      disk.rot(offset)
    }
    await verify(disk, { commits: new Map([[3, store.revision]]), begun: 3, epoch: 1 })
  })
})
