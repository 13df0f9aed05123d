// Watches: ordered, unique, gap-free, atomic, resumable; honest when the past is gone or the
// reader is too slow.

import { describe, expect, it } from "vitest"
import { bytes, linesOf, type StoreBench, text } from "./store.ts"

export function watchPromises(bench: StoreBench): void {
  describe("watch", () => {
    it("delivers every change once, in order, from the past into the present", async () => {
      const expected: string[] = []
      const from = bench.store.revision
      const put = async (index: number) => {
        expected.push(
          `${await bench.put(`t/${index % 7}`, `${index}`)}:put:t/${index % 7}=${index}`,
        )
      }
      for (let index = 0; index < 50; index++) await put(index)
      const watch = bench.watch({ after: from })
      const early = await watch.take(10)
      for (let index = 50; index < 100; index++) await put(index)
      const rest = await watch.linesUntil(bench.store.revision)
      expect([...early.flatMap(linesOf), ...rest]).toEqual(expected)
    })

    it("stays gap-free when it starts amid concurrent commits", async () => {
      const from = bench.store.revision
      const writes: Promise<number>[] = []
      const watches = []
      for (let index = 0; index < 300; index++) {
        writes.push(bench.put(`t/${index}`, `${index}`))
        if (index % 60 === 30) {
          watches.push(bench.watch({ after: from }).linesUntil(from + 300))
          await writes.at(-1)
        }
      }
      const revisions = await Promise.all(writes)
      const expected = revisions.map((revision, index) => `${revision}:put:t/${index}=${index}`)
      for (const lines of await Promise.all(watches)) expect(lines).toEqual(expected)
    })

    it("stays gap-free when it starts while a commit is being told of", async () => {
      for (let moment = 0; moment < 30; moment++) {
        const writing = bench.put(`t/${moment}`, "x")
        for (let tick = 0; tick < moment; tick++) await null
        const after = bench.store.revision
        const watch = bench.watch({ after })
        const next = watch.next()
        const revision = await writing
        if (revision > after) expect(await next).toMatchObject({ kind: "changes", revision })
        watch.abort()
      }
    })

    it("delivers a commit as one event, past and present", async () => {
      const from = bench.store.revision
      const live = bench.watch({ after: from })
      const first = live.next()
      const revision = await bench.write(
        { kind: "put", key: "t/a", value: bytes("1") },
        { kind: "put", key: "other", value: bytes("2") },
        { kind: "put", key: "t/b", value: bytes("3") },
      )
      const lines = [`${revision}:put:t/a=1`, `${revision}:put:t/b=3`]
      const event = await first
      expect(event && linesOf(event)).toEqual(lines)
      expect(await bench.watch({ after: from }).linesUntil(revision)).toEqual(lines)
    })

    it("keeps a commit of 4096 writes whole when it is read from the past", async () => {
      const from = bench.store.revision
      const writes = Array.from({ length: 4096 }, (_, index) => {
        return { kind: "put", key: `t/${index}`, value: bytes("x") } as const
      })
      await bench.put("t/before", "1")
      const revision = await bench.write(...writes)
      await bench.put("t/later", "1")
      const events = await bench.watch({ after: from }).take(3)
      const counts = events.map((event) => (event.kind === "changes" ? event.changes.length : 0))
      expect(counts).toEqual([1, 4096, 1])
      expect(events[1]).toMatchObject({ revision })
    })

    it("carries create, previous and last value", async () => {
      const from = bench.store.revision
      const live = bench.watch({ after: from, withPrevious: true })
      const begun = live.next()
      const one = await bench.put("t/a", "1")
      const two = await bench.put("t/a", "2")
      const three = await bench.delete("t/a")
      const four = await bench.put("t/a", "4")
      const expected = [
        { kind: "put", createRevision: one, modRevision: one, previousRevision: 0 },
        { kind: "put", createRevision: one, modRevision: two, previousRevision: one },
        { kind: "delete", createRevision: one, modRevision: three, previousRevision: two },
        { kind: "put", createRevision: four, modRevision: four, previousRevision: 0 },
      ]
      const events = [await begun, ...(await live.take(3))]
      const past = await bench.watch({ after: from, withPrevious: true }).take(4)
      for (const seen of [events, past]) {
        const changes = seen.flatMap((event) => (event?.kind === "changes" ? event.changes : []))
        expect(changes).toMatchObject(expected)
        expect(changes.map((change) => change.value && text(change.value))).toEqual([
          "1",
          "2",
          "2",
          "4",
        ])
      }
    })

    it("leaves the last value out when nobody asked for it", async () => {
      await bench.put("t/a", "1")
      const gone = await bench.delete("t/a")
      const [event] = await bench.watch({ after: gone - 1 }).take(1)
      expect(event?.kind === "changes" && event.changes[0]?.value).toBeUndefined()
    })

    it("delivers nothing outside its prefix", async () => {
      const from = bench.store.revision
      const watch = bench.watch({ prefix: "t/x", after: from })
      await bench.put("t/y", "1")
      await bench.put("t", "1")
      const revision = await bench.put("t/x1", "1")
      expect(await watch.linesUntil(revision)).toEqual([`${revision}:put:t/x1=1`])
    })

    it("resumes after the last seen revision, over a restart too, exactly", async () => {
      const from = bench.store.revision
      for (let index = 0; index < 10; index++) await bench.put("t/a", `${index}`)
      const seen = (await bench.watch({ after: from }).take(4)).flatMap(linesOf)
      const last = Number(seen.at(-1)?.split(":")[0])
      await bench.reopen()
      const end = await bench.put("t/a", "10")
      const rest = await bench.watch({ after: last }).linesUntil(end)
      const values = [...seen, ...rest].map((line) => line.split("=")[1])
      expect(values).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"])
    })

    it("waits for a revision in the future and skips what comes before it", async () => {
      const watch = bench.watch({ after: bench.store.revision + 2 })
      const next = watch.next()
      await bench.put("t/a", "1")
      await bench.put("t/a", "2")
      const revision = await bench.put("t/a", "3")
      const event = await next
      expect(event && linesOf(event)).toEqual([`${revision}:put:t/a=3`])
    })

    it("says compacted instead of leaving a gap, and ends", async () => {
      const first = await bench.put("t/a", "1")
      await bench.put("t/a", "2")
      const oldest = await bench.put("t/a", "3")
      const slow = bench.watch({ after: first - 1 })
      await bench.store.compact(oldest)
      for (const watch of [slow, bench.watch({ after: first }), bench.watch({ after: 0 })]) {
        expect(await watch.next()).toEqual({ kind: "compacted", oldest })
        expect(await watch.next()).toBeUndefined()
      }
      const resumed = bench.watch({ after: oldest })
      const revision = await bench.put("t/a", "4")
      expect(await resumed.linesUntil(revision)).toEqual([`${revision}:put:t/a=4`])
    })

    it("goes on undisturbed by compaction when it has kept up", async () => {
      const watch = bench.watch({ after: bench.store.revision, withPrevious: true })
      for (let index = 0; index < 5; index++) {
        const next = watch.next()
        const revision = await bench.put("t/a", `${index}`)
        expect(await next).toMatchObject({ kind: "changes", revision })
        await bench.store.compact(revision)
      }
    })

    it("reports progress once it has caught up, and again when only others changed", async () => {
      await bench.put("t/a", "1")
      const caughtUp = bench.store.revision
      const watch = bench.watch({ after: caughtUp, withProgress: true })
      expect(await watch.next()).toEqual({ kind: "progress", revision: caughtUp })
      const next = watch.next()
      const other = await bench.put("other", "1")
      await bench.clock.advance(60_000)
      expect(await next).toEqual({ kind: "progress", revision: other })
      const change = watch.next()
      const revision = await bench.put("t/a", "2")
      expect(await change).toMatchObject({ kind: "changes", revision })
    })

    it("never reports progress before the changes it stands for", async () => {
      const watch = bench.watch({ after: bench.store.revision, withProgress: true })
      await watch.next()
      let delivered = 0
      const last = await (async () => {
        let revision = 0
        for (let index = 0; index < 20; index++) {
          await bench.put("other", `${index}`)
          revision = await bench.put("t/a", `${index}`)
        }
        return revision
      })()
      const after = await bench.put("other", "end")
      await bench.clock.advance(60_000)
      for (;;) {
        const event = await watch.next()
        if (event?.kind === "changes") delivered = event.revision
        if (event?.kind === "progress") {
          if (event.revision >= last) expect(delivered).toBe(last)
          if (event.revision === after) break
        }
      }
    })

    it("cuts a reader that is too slow with overrun, and lets it resume", async () => {
      await bench.start({ watchLimits: { changes: 10 } })
      const from = bench.store.revision
      const watch = bench.watch({ after: from })
      const first = watch.next()
      const revisions: number[] = []
      for (let index = 0; index < 30; index++) revisions.push(await bench.put("t/a", `${index}`))
      expect(await first).toMatchObject({ kind: "changes", revision: revisions[0] })
      expect(await watch.next()).toEqual({ kind: "overrun" })
      expect(await watch.next()).toBeUndefined()
      const rest = await bench.watch({ after: revisions[0] ?? 0 }).linesUntil(revisions.at(-1) ?? 0)
      expect(rest).toHaveLength(29)
    })

    it("cuts by bytes as well as by changes", async () => {
      await bench.start({ watchLimits: { bytes: 10_000 } })
      const watch = bench.watch({ after: bench.store.revision })
      const first = watch.next()
      for (let index = 0; index < 5; index++) await bench.put("t/a", "x".repeat(6000))
      expect(await first).toMatchObject({ kind: "changes" })
      expect(await watch.next()).toEqual({ kind: "overrun" })
    })

    it("ends when its signal aborts, also while it waits", async () => {
      const watch = bench.watch({ after: bench.store.revision })
      const waiting = watch.next()
      await bench.clock.settle()
      watch.abort()
      expect(await waiting).toBeUndefined()
    })

    it("ends when the store closes", async () => {
      const watch = bench.watch({ after: bench.store.revision })
      const waiting = watch.next()
      await bench.clock.settle()
      await bench.store.close()
      expect(await waiting).toBeUndefined()
    })
  })
}
