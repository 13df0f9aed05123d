// Reads: key order, pages, old revisions, and what compaction forgets and keeps.

import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/contract/store.ts"
import { type StoreBench, text } from "./store.ts"

async function readAll(
  bench: StoreBench,
  prefix: string,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<{ revision: number; entries: Entry[] }> {
  const entries: Entry[] = []
  let at: number | undefined
  for (;;) {
    const after = entries.at(-1)?.key
    const page = await bench.store.range({
      prefix,
      limit,
      ...(at === undefined ? {} : { at }),
      ...(after === undefined ? {} : { after }),
    })
    if (page.kind !== "range") throw new Error("compacted")
    at = page.revision
    entries.push(...page.entries)
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    if (!page.more) return { revision: at, entries }
    await between()
  }
}

export function rangePromises(bench: StoreBench): void {
  describe("reads", () => {
    it("answers in key order, only keys with the prefix", async () => {
      for (const key of ["t/b", "t/a", "s/z", "t/a/x", "t", "u/a", "t/B"]) await bench.put(key, key)
      const range = await bench.store.range({ prefix: "t/" })
      const keys = range.kind === "range" ? range.entries.map((entry) => entry.key) : []
      expect(keys).toEqual(["t/B", "t/a", "t/a/x", "t/b"])
    })

    it("answers an unknown prefix with nothing and an unknown key with undefined", async () => {
      expect(await bench.store.range({ prefix: "none/" })).toMatchObject({
        entries: [],
        more: false,
      })
      expect(await bench.store.get("t/none")).toBeUndefined()
    })

    it("says more exactly when there is more", async () => {
      for (const key of ["t/1", "t/2", "t/3"]) await bench.put(key, key)
      expect(await bench.store.range({ prefix: "t/", limit: 2 })).toMatchObject({ more: true })
      expect(await bench.store.range({ prefix: "t/", limit: 3 })).toMatchObject({ more: false })
      const rest = await bench.store.range({ prefix: "t/", limit: 3, after: "t/2" })
      expect(rest).toMatchObject({ entries: [{ key: "t/3" }], more: false })
    })

    it("pages one snapshot while others write", async () => {
      for (let index = 0; index < 60; index++) await bench.put(`t/${index}`, "old")
      let turn = 0
      const { entries } = await readAll(bench, "t/", 7, async () => {
        turn++
        await bench.put(`t/${turn}`, "new")
        await bench.delete(`t/${59 - turn}`)
        await bench.put(`t/5${turn}x`, "new")
      })
      expect(entries).toHaveLength(60)
      expect(new Set(entries.map((entry) => text(entry.value)))).toEqual(new Set(["old"]))
    })

    it("reads every past state until it is compacted", async () => {
      const revisions: number[] = []
      for (let index = 0; index < 20; index++) revisions.push(await bench.put("t/a", `${index}`))
      const gone = await bench.delete("t/a")
      for (const [index, revision] of revisions.entries())
        expect(await bench.text("t/a", revision)).toBe(`${index}`)
      expect(await bench.text("t/a", gone)).toBeUndefined()
      expect(await bench.text("t/a", (revisions[0] ?? 0) - 1)).toBeUndefined()
    })

    it("refuses a revision that does not exist yet", async () => {
      const at = bench.store.revision + 1
      const code = "SPT-STORE-009"
      await expect(bench.store.get("t/a", at)).rejects.toMatchObject({ code })
      await expect(bench.store.range({ prefix: "", at })).rejects.toMatchObject({ code })
    })

    it("refuses a limit that is no count", async () => {
      const wrong = bench.store.range({ prefix: "", limit: 0 })
      await expect(wrong).rejects.toMatchObject({ code: "SPT-STORE-003" })
    })
  })

  describe("compaction", () => {
    it("keeps current values, forgets the past, and says what is the oldest", async () => {
      const first = await bench.put("t/a", "1")
      await bench.put("t/b", "keep")
      await bench.put("t/a", "2")
      await bench.put("t/c", "gone")
      const before = await bench.delete("t/c")
      await bench.put("t/a", "3")
      await bench.store.compact(before)
      const compacted = { kind: "compacted", oldest: before }
      expect(await bench.store.get("t/a", first)).toEqual(compacted)
      expect(await bench.store.range({ prefix: "t/", at: before - 1 })).toEqual(compacted)
      expect(await bench.text("t/a", before)).toBe("2")
      expect(await bench.text("t/a")).toBe("3")
      expect(await bench.text("t/b")).toBe("keep")
      expect(await bench.text("t/c")).toBeUndefined()
      await bench.reopen()
      expect(await bench.store.get("t/a", first)).toEqual(compacted)
      expect(await bench.text("t/a", before)).toBe("2")
      expect(await bench.text("t/b")).toBe("keep")
    })

    it("never goes back and refuses the future", async () => {
      const revision = await bench.put("t/a", "1")
      await bench.store.compact(revision)
      await bench.store.compact(revision - 1)
      expect(await bench.store.get("t/a", revision - 1)).toMatchObject({ oldest: revision })
      const future = bench.store.compact(bench.store.revision + 1)
      await expect(future).rejects.toMatchObject({ code: "SPT-STORE-009" })
    })

    it("never reuses a revision, even when everything was deleted and compacted", async () => {
      await bench.put("t/a", "1")
      const last = await bench.delete("t/a")
      await bench.store.compact(last)
      await bench.reopen()
      expect(await bench.put("t/a", "2")).toBeGreaterThan(last)
    })

    it("leaves reads right while it runs beside writers", async () => {
      const model = new Map<string, string>()
      for (let round = 0; round < 6; round++) {
        const writes: Promise<number>[] = []
        for (let index = 0; index < 120; index++) {
          const key = `t/${(index * 7 + round) % 90}`
          model.set(key, `${round}.${index}`)
          writes.push(bench.put(key, `${round}.${index}`))
        }
        const compacted = bench.store.compact(bench.store.revision)
        await Promise.all(writes)
        await compacted
      }
      const { entries } = await readAll(bench, "t/", 50)
      expect(new Map(entries.map((entry) => [entry.key, text(entry.value)]))).toEqual(model)
    })

    it("forgets by itself after the time that was chosen", async () => {
      await bench.start({ retention: { maxAgeMs: 1000 } })
      const first = await bench.put("t/a", "1")
      await bench.put("t/a", "2")
      for (let step = 0; step < 30; step++) {
        await bench.clock.advance(100)
        await bench.put("t/b", "x")
      }
      const found = await bench.store.get("t/a", first)
      expect(found).toMatchObject({ kind: "compacted" })
      expect(await bench.text("t/a")).toBe("2")
    })

    it("forgets by itself when there are more rows than chosen", async () => {
      await bench.start({ retention: { maxRows: 64 } })
      const first = await bench.put("t/a", "1")
      for (let index = 0; index < 200; index++) await bench.put("t/b", `${index}`)
      expect(await bench.store.get("t/a", first)).toMatchObject({ kind: "compacted" })
      expect(await bench.text("t/a")).toBe("1")
    })
  })
}
