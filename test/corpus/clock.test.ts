// Faults of time, each with its twin.

import { describe, expect } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import type { StopEntry } from "../../src/contract/stop.ts"
import { names, Site, widget } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { puts, siteWith, withCommit } from "./site-with.ts"
import { wide } from "./wide.ts"

const all = (count: number, from = 0) =>
  names(count)
    .slice(from)
    .map((name) => widget(name))
const hour = 60 * 60_000

describe("clock", () => {
  prove("T02", "ledger-time", async (must) => {
    const site = await Site.open()
    await site.declare(all(100))
    await site.declare(all(100, 5))
    expect(site.there()).toHaveLength(95)
    site.clock.jumpWall(hour)
    await site.declare(all(100, 6))
    await must(() => expect(site.there()).toHaveLength(95))
    expect(site.pending().held).toHaveLength(1)
    await site.declare(all(100, 5))
    site.clock.jumpWall(-2 * hour)
    await site.clock.advance(11 * 60_000)
    await site.declare(all(100, 6))
    await must(() => expect(site.there()).toHaveLength(94))
    await must(() => site.verify())
  })

  prove("T03", "handles-revoked", async (must) => {
    const late: string[] = []
    const site = await siteWith({
      kind: (kind, { clock }) => ({
        ...kind,
        update: async (target, context) => {
          // Stopped by the system for a minute; the deadline has passed when it wakes.
          await sleep(clock, 60_000)
          const { files } = context.world
          await files.mkdir(`/${target.identity}`, 0o755).then(
            () => late.push(target.identity),
            () => undefined,
          )
          return kind.update(target, context)
        },
      }),
    })
    await site.declare([widget("a")])
    await site.declare([widget("a", { size: 2 })], 50_000)
    await site.clock.advance(5 * 60_000)
    await must(() => expect(late).toEqual([]))
  })

  prove("T04", "stop-checked-at-effect", async (must) => {
    let blocked = false
    const site = await siteWith({
      store: (store, { sim }) =>
        withCommit(store, async (checks, writes) => {
          const answer = await store.commit(checks, writes)
          // Nothing ran between the intent and the call; somebody else wrote the file meanwhile.
          if (blocked && puts(writes, "/ledger/intents/")) sim.stop.write([everything])
          return answer
        }),
    })
    await site.declare(all(3))
    blocked = true
    const before = site.mutations
    await site.declare(all(6), 60_000)
    await must(() => expect(site.mutations).toBe(before))
  })

  prove("T06", "time-window", async (must) => {
    const window = { kind: "Open", schedule: "0 12 * * *", duration: "1h" }
    const windows = [{ ...window, timeZone: "Europe/Berlin" }]
    const site = new Site({ loop: { ...wide, windows, interval: "1m" } })
    // Summer time began in the night before: noon is at ten o'clock UTC from this day on.
    site.clock.jumpWall(Date.parse("2026-03-29T08:00:00Z") - site.clock.now())
    await site.sim.start()
    await site.makeLoop()
    site.sim.source.declare(all(2))
    await site.clock.advance(119 * 60_000)
    await must(() => expect(site.there()).toEqual([]))
    await site.clock.advance(6 * 60_000)
    await must(() => expect(site.there()).toEqual(names(2)))
    await site.clock.advance(56 * 60_000)
    site.world.edit("w0", { color: "blue" })
    await site.clock.advance(hour)
    await must(() => expect(site.world.find("w0")[0]?.value.color).toBe("blue"))
  })
})

const everything: StopEntry = {
  ...{ loop: "*", scope: "all", by: "someone at the console" },
  at: "2026-01-01T00:00:00Z",
}
