// Leases: keys that go when nobody renews.

import { describe, expect, it } from "vitest"
import { type StoreBench, until } from "./store.ts"

export function leasePromises(bench: StoreBench): void {
  describe("leases", () => {
    const gone = (key: string) =>
      until(async () => (await bench.store.get(key)) === undefined, `${key} to be gone`)

    it("deletes every attached key in one commit when the time is over", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      await bench.put("t/b", "2", lease)
      await bench.put("t/free", "3")
      expect(await bench.store.get("t/a")).toMatchObject({ lease })
      const watch = bench.watch({ after: bench.store.revision })
      const next = watch.take(2)
      await bench.clock.advance(9_000)
      expect(await bench.text("t/a")).toBe("1")
      await bench.clock.advance(2_000)
      const changes = (await next).flatMap((event) => {
        return event.kind === "changes" ? event.changes : []
      })
      expect(changes.map(({ key }) => key).sort()).toEqual(["t/a", "t/b"])
      const [first = 0, second] = changes.map(({ modRevision }) => modRevision)
      expect(second).toBe(first + 1)
      expect(await bench.text("t/free")).toBe("3")
      expect(await bench.store.renewLease(lease)).toBe(false)
    })

    it("lives as long as it is renewed", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      for (let step = 0; step < 5; step++) {
        await bench.clock.advance(8_000)
        expect(await bench.store.renewLease(lease)).toBe(true)
      }
      expect(await bench.text("t/a")).toBe("1")
      await bench.clock.advance(11_000)
      await gone("t/a")
    })

    it("is judged by monotonic time: a jump of the wall clock ends nothing", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      bench.clock.jumpWall(3_600_000)
      await bench.clock.advance(1_000)
      expect(await bench.store.renewLease(lease)).toBe(true)
      expect(await bench.text("t/a")).toBe("1")
    })

    it("revokes the lease and its keys at once", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      await bench.store.revokeLease(lease)
      expect(await bench.text("t/a")).toBeUndefined()
      expect(await bench.store.renewLease(lease)).toBe(false)
      await bench.store.revokeLease(lease)
    })

    it("lets go of a key that is put again without it or with another", async () => {
      const lease = await bench.store.grantLease(10_000)
      const other = await bench.store.grantLease(1_000_000)
      await bench.put("t/a", "1", lease)
      await bench.put("t/a", "2")
      await bench.put("t/b", "1", lease)
      await bench.put("t/b", "2", other)
      await bench.store.revokeLease(lease)
      expect(await bench.text("t/a")).toBe("2")
      expect(await bench.text("t/b")).toBe("2")
    })

    it("refuses to attach to a lease that is gone, and writes nothing of that commit", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.store.revokeLease(lease)
      const value = Buffer.from("1")
      const commit = bench.store.commit(
        [],
        [
          { kind: "put", key: "t/free", value },
          { kind: "put", key: "t/a", value, lease },
        ],
      )
      await expect(commit).rejects.toMatchObject({ code: "SPT-STORE-005" })
      expect(await bench.text("t/free")).toBeUndefined()
    })

    it("survives a restart with its keys and its full time", async () => {
      const lease = await bench.store.grantLease(10_000)
      await bench.put("t/a", "1", lease)
      await bench.clock.advance(9_000)
      await bench.reopen()
      await bench.clock.advance(9_000)
      expect(await bench.store.renewLease(lease)).toBe(true)
      expect(await bench.text("t/a")).toBe("1")
      await bench.clock.advance(11_000)
      await gone("t/a")
    })
  })
}
