// Writes that are apart: each has a revision of its own, and the commit is all or nothing still.

import { describe, expect, it } from "vitest"
import type { Write } from "../../src/contract/store.ts"
import { bytes, linesOf, type StoreBench, within } from "./store.ts"

const put = (key: string, value: string): Write => ({ kind: "put", key, value: bytes(value) })
const apart = (write: Write): Write => ({ ...write, apart: true })
const gone = (key: string): Write => ({ kind: "delete", key })

export function apartPromises(bench: StoreBench): void {
  describe("writes that are apart", () => {
    it("get the next revisions in their order, which the answer tells", async () => {
      await bench.put("t/b", "old")
      const before = bench.store.revision
      const writes = [put("t/c", "1"), gone("t/b"), put("t/a", "2")].map(apart)
      expect(await bench.store.commit([], writes)).toEqual({
        ...{ kind: "committed", revision: before + 3 },
        revisions: [before + 1, before + 2, before + 3],
      })
      expect(bench.store.revision).toBe(before + 3)
      const created = (revision: number) => ({ createRevision: revision, modRevision: revision })
      expect(await bench.store.get("t/c")).toMatchObject({ ...created(before + 1), version: 1 })
      expect(await bench.store.get("t/a")).toMatchObject({ ...created(before + 3), version: 1 })
      expect(await bench.text("t/b", before + 1)).toBe("old")
      expect(await bench.text("t/b", before + 2)).toBeUndefined()
      expect(await bench.text("t/a", before + 2)).toBeUndefined()
    })

    it("share theirs with nobody; neighbours that are not apart share one", async () => {
      const before = bench.store.revision
      const writes = [
        put("t/a", "1"),
        put("t/b", "1"),
        apart(put("t/c", "1")),
        put("t/d", "1"),
        put("t/e", "1"),
        apart(put("t/f", "1")),
        apart(put("t/g", "1")),
      ]
      const answer = await bench.store.commit([], writes)
      const revisions = [1, 1, 2, 3, 3, 4, 5].map((step) => before + step)
      expect(answer).toEqual({ kind: "committed", revision: before + 5, revisions })
    })

    it("make no revision where they change nothing", async () => {
      const before = bench.store.revision
      const writes = [gone("t/no"), put("t/a", "1"), gone("t/none"), put("t/b", "1")].map(apart)
      expect(await bench.store.commit([], writes)).toEqual({
        ...{ kind: "committed", revision: before + 2 },
        revisions: [before, before + 1, before + 1, before + 2],
      })
      const nothing = await bench.store.commit([], [apart(gone("t/no"))])
      const revision = before + 2
      expect(nothing).toEqual({ kind: "committed", revision, revisions: [revision] })
      expect(bench.store.revision).toBe(revision)
    })

    it("are all refused with one check, and with one lease that is gone", async () => {
      const there = await bench.put("t/a", "1")
      const failed = { key: "t/a", modRevision: there + 1 }
      const writes = [put("t/b", "1"), put("t/c", "1")].map(apart)
      const refused = await bench.store.commit([failed], writes)
      expect(refused).toEqual({ kind: "refused", failed, current: there })
      const leased: Write = { kind: "put", key: "t/d", value: bytes("1"), lease: "none" }
      const fault = { code: "SPT-STORE-005" }
      await expect(bench.store.commit([], [...writes, apart(leased)])).rejects.toMatchObject(fault)
      expect(await bench.store.range({ prefix: "t/" })).toMatchObject({
        entries: [{ key: "t/a" }],
        revision: there,
      })
    })

    it("may not write one key twice either", async () => {
      const writes = [put("t/a", "1"), gone("t/a")].map(apart)
      const fault = { code: "SPT-STORE-003" }
      await expect(bench.store.commit([], writes)).rejects.toMatchObject(fault)
    })

    it("are told revision by revision, past and present, and resumed after each", async () => {
      const from = await bench.put("t/b", "0")
      const live = bench.watch({ after: from })
      const begun = live.next()
      const writes = [put("t/a", "1"), gone("t/b"), put("t/c", "2")].map(apart)
      const answer = await bench.store.commit([], writes)
      const lines = [
        `${from + 1}:put:t/a=1`,
        `${from + 2}:delete:t/b`,
        `${from + 3}:put:t/c=2`,
      ] as const
      const events = [await begun, ...(await live.take(2))]
      expect(events.map((event) => event && linesOf(event))).toEqual(lines.map((line) => [line]))
      for (const seen of [0, 1, 2]) {
        const rest = await bench.watch({ after: from + seen }).linesUntil(from + 3)
        expect(rest).toEqual(lines.slice(seen))
      }
      expect(answer).toMatchObject({ revision: from + 3 })
    })

    it("have nobody else's revision between them, however large and however many", async () => {
      const large = "x".repeat(400_000)
      const commits = Array.from({ length: 40 }, (_, index) => {
        const one = () => put(`t/${index}/${Math.random()}`, index % 8 === 0 ? large : "x")
        return bench.store.commit(
          [],
          Array.from({ length: index % 8 === 0 ? 20 : 3 }, one).map(apart),
        )
      })
      const answers = await within(Promise.all(commits), "all commits")
      const all = answers.flatMap((answer) => {
        const revisions = answer.kind === "committed" ? (answer.revisions ?? []) : []
        expect(revisions).toEqual(revisions.map((_, index) => (revisions[0] ?? 0) + index))
        return revisions
      })
      expect(new Set(all).size).toBe(5 * 20 + 35 * 3)
    })

    it("can be 4096, which a restart keeps", async () => {
      const from = bench.store.revision
      const writes = Array.from({ length: 4096 }, (_, index) => apart(put(`t/${index}`, "x")))
      const answer = await bench.store.commit([], writes)
      expect(answer).toMatchObject({ kind: "committed", revision: from + 4096 })
      await bench.reopen()
      expect(await bench.store.get("t/4095")).toMatchObject({ modRevision: from + 4096 })
      const lines = await bench.watch({ after: from }).linesUntil(from + 4096)
      expect(lines).toEqual(writes.map(({ key }, index) => `${from + index + 1}:put:${key}=x`))
    })

    it("are what a lease that ends deletes", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      const from = await bench.put("t/b", "2", lease)
      await bench.store.revokeLease(lease)
      const lines = await bench.watch({ after: from }).linesUntil(from + 2)
      expect(lines).toEqual([`${from + 1}:delete:t/a`, `${from + 2}:delete:t/b`])
    })
  })
}
