// Commits: compare and swap, all or nothing, one revision, bounds, and what a restart keeps.

import { describe, expect, it } from "vitest"
import type { Write } from "../../src/contract/store.ts"
import { bytes, type StoreBench } from "./store.ts"

export function commitPromises(bench: StoreBench): void {
  describe("commit", () => {
    it("gives each commit one revision, strictly higher than the one before", async () => {
      const before = bench.store.revision
      const first = await bench.put("t/a", "1")
      const second = await bench.put("t/a", "2")
      expect(first).toBeGreaterThan(before)
      expect(second).toBeGreaterThan(first)
      expect(bench.store.revision).toBe(second)
    })

    it("keeps revisions unique and ordered for commits sent at once", async () => {
      const revisions = await Promise.all(
        Array.from({ length: 200 }, (_, index) => bench.put(`t/${index}`, "x")),
      )
      expect(new Set(revisions).size).toBe(200)
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
    })

    it("counts versions and incarnations", async () => {
      const created = await bench.put("t/a", "1")
      await bench.put("t/a", "2")
      expect(await bench.store.get("t/a")).toMatchObject({ createRevision: created, version: 2 })
      await bench.delete("t/a")
      const again = await bench.put("t/a", "3")
      const entry = { createRevision: again, modRevision: again, version: 1 }
      expect(await bench.store.get("t/a")).toMatchObject(entry)
    })

    it("refuses when a check fails, names it, and writes nothing", async () => {
      const there = await bench.put("t/a", "1")
      const before = bench.store.revision
      const failed = { key: "t/a", modRevision: 0 }
      const put: Write = { kind: "put", key: "t/b", value: bytes("2") }
      const answer = await bench.store.commit([{ key: "t/b", modRevision: 0 }, failed], [put])
      expect(answer).toEqual({ kind: "refused", failed, current: there })
      expect(await bench.text("t/b")).toBeUndefined()
      expect(bench.store.revision).toBe(before)
    })

    it("lets exactly one of many writers win the same compare and swap", async () => {
      const modRevision = await bench.put("t/a", "0")
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          bench.store.commit(
            [{ key: "t/a", modRevision }],
            [{ kind: "put", key: "t/a", value: bytes(`${index}`) }],
          ),
        ),
      )
      expect(answers.filter((answer) => answer.kind === "committed")).toHaveLength(1)
    })

    it("treats a deleted key as one that does not exist", async () => {
      await bench.put("t/a", "1")
      await bench.delete("t/a")
      const check = { key: "t/a", modRevision: 0 }
      const put: Write = { kind: "put", key: "t/a", value: bytes("2") }
      expect(await bench.store.commit([check], [put])).toMatchObject({ kind: "committed" })
    })

    it("answers a commit without writes as a pure check", async () => {
      const revision = await bench.put("t/a", "1")
      const holds = await bench.store.commit([{ key: "t/a", modRevision: revision }], [])
      expect(holds).toEqual({ kind: "committed", revision })
      const fails = await bench.store.commit([{ key: "t/a", modRevision: 0 }], [])
      expect(fails).toMatchObject({ kind: "refused", current: revision })
      expect(bench.store.revision).toBe(revision)
    })

    it("makes no revision for deleting what is not there", async () => {
      const before = bench.store.revision
      expect(await bench.delete("t/none")).toBe(before)
    })

    it("applies all writes of a commit at one revision", async () => {
      await bench.put("t/b", "old")
      const revision = await bench.write(
        { kind: "put", key: "t/a", value: bytes("1") },
        { kind: "delete", key: "t/b" },
        { kind: "put", key: "t/c", value: bytes("3") },
      )
      const range = await bench.store.range({ prefix: "t/" })
      expect(range).toMatchObject({
        revision,
        entries: [
          { key: "t/a", modRevision: revision },
          { key: "t/c", modRevision: revision },
        ],
      })
      expect(await bench.text("t/b", revision - 1)).toBe("old")
    })

    it("keeps the bytes as they were when the caller changes its own later", async () => {
      const value = bytes("before")
      const done = bench.store.commit([], [{ kind: "put", key: "t/a", value }])
      value.fill(0)
      await done
      expect(await bench.text("t/a")).toBe("before")
    })

    it("keeps empty values and the largest allowed value", async () => {
      const largest = new Uint8Array(1.5 * 1024 * 1024).fill(7)
      await bench.write(
        { kind: "put", key: "t/empty", value: new Uint8Array(0) },
        { kind: "put", key: "t/large", value: largest },
      )
      expect(await bench.store.get("t/empty")).toMatchObject({ version: 1 })
      const found = await bench.store.get("t/large")
      expect(found !== undefined && "value" in found && found.value.length).toBe(largest.length)
    })

    it.each<[string, readonly Write[], string]>([
      ["an empty key", [{ kind: "delete", key: "" }], "SPT-STORE-001"],
      ["a key of 1025 characters", [{ kind: "delete", key: "k".repeat(1025) }], "SPT-STORE-001"],
      ["a key with a line break", [{ kind: "delete", key: "a\nb" }], "SPT-STORE-001"],
      ["a key that is not ASCII", [{ kind: "delete", key: "größe" }], "SPT-STORE-001"],
      ["the store's own keys", [{ kind: "delete", key: "/setpoint/store/x" }], "SPT-STORE-001"],
      [
        "a value over 1.5 MiB",
        [{ kind: "put", key: "t/a", value: new Uint8Array(1.5 * 1024 * 1024 + 1) }],
        "SPT-STORE-002",
      ],
      [
        "4097 writes",
        Array.from({ length: 4097 }, (_, index) => ({ kind: "delete", key: `t/${index}` })),
        "SPT-STORE-003",
      ],
      [
        "one key twice",
        [
          { kind: "delete", key: "t/a" },
          { kind: "put", key: "t/a", value: bytes("1") },
        ],
        "SPT-STORE-003",
      ],
    ])("refuses %s with a fault and changes nothing", async (_, writes, code) => {
      const before = bench.store.revision
      const all: Write[] = [{ kind: "put", key: "t/with", value: bytes("1") }, ...writes]
      const many = writes.length > 4000 ? writes : all
      await expect(bench.store.commit([], many)).rejects.toMatchObject({ code })
      expect(bench.store.revision).toBe(before)
    })

    it("takes 4096 writes in one commit", async () => {
      const writes = Array.from({ length: 4096 }, (_, index): Write => {
        return { kind: "put", key: `t/${index}`, value: bytes(`${index}`) }
      })
      const revision = await bench.write(...writes)
      const range = await bench.store.range({ prefix: "t/" })
      expect(range.kind === "range" && range.entries.length).toBe(4096)
      await bench.reopen()
      expect(await bench.store.get("t/4095")).toMatchObject({ modRevision: revision })
    })

    it("keeps everything acknowledged over a restart and goes on counting", async () => {
      const first = await bench.put("t/a", "1")
      const second = await bench.put("t/a", "2")
      await bench.delete("t/gone")
      await bench.reopen()
      expect(await bench.text("t/a")).toBe("2")
      expect(await bench.text("t/a", first)).toBe("1")
      expect(bench.store.revision).toBeGreaterThan(second)
      expect(await bench.put("t/b", "3")).toBeGreaterThan(second)
    })

    it("raises the epoch at each open and fences an older writer", async () => {
      const { planeId, epoch, epochCheck } = bench.store.identity
      const write: Write = { kind: "put", key: "t/a", value: bytes("1") }
      expect(await bench.store.commit([epochCheck], [write])).toMatchObject({ kind: "committed" })
      await bench.reopen()
      expect(bench.store.identity.epoch).toBe(epoch + 1)
      expect(bench.store.identity.planeId).toBe(planeId)
      expect(bench.store.identity.restored).toBe(false)
      expect(await bench.store.commit([epochCheck], [write])).toMatchObject({ kind: "refused" })
      const now = bench.store.identity.epochCheck
      expect(await bench.store.commit([now], [write])).toMatchObject({ kind: "committed" })
    })

    it("refuses everything after close", async () => {
      const store = bench.store
      await store.close()
      const closed = { code: "SPT-STORE-008" }
      await expect(store.get("t/a")).rejects.toMatchObject(closed)
      await expect(store.range({ prefix: "" })).rejects.toMatchObject(closed)
      await expect(store.commit([], [])).rejects.toMatchObject(closed)
    })
  })
}
