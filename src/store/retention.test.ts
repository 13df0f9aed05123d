import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "./open-memory-store.ts"
import { Retention } from "./retention.ts"

describe("retention", () => {
  it("goes quiet: with nothing to forget the store has no timer", async () => {
    const clock = new SimClock()
    const store = await openMemoryStore({ clock, random: new SimRandom(1) })
    await store.commit([], [{ kind: "put", key: "a", value: Buffer.from("1") }])
    await clock.advance(3_600_000)
    expect(clock.pending).toBe(0)
    await store.close()
  })

  it("never forgets what is younger than chosen, and forgets what is older", async () => {
    const clock = new SimClock()
    const compacted: number[] = []
    const options = { maxAgeMs: 10_000, maxRows: 1_000_000 }
    const retention = new Retention(options, clock, (before) => compacted.push(before))
    const writtenAt = new Map<number, number>()
    for (let revision = 1; revision <= 200; revision++) {
      retention.wrote(1, revision)
      writtenAt.set(revision, clock.monotonic())
      await clock.advance(500)
      const oldest = compacted.at(-1) ?? 0
      // Everything after the oldest readable revision is kept; that one is old enough to be it.
      if (oldest > 0)
        expect(clock.monotonic() - (writtenAt.get(oldest) ?? 0)).toBeGreaterThan(9_999)
    }
    expect(compacted.length).toBeGreaterThan(50)
    expect(compacted).toEqual([...compacted].sort((a, b) => a - b))
    retention.close()
    expect(clock.pending).toBe(0)
  })
})
