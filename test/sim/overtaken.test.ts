// A pass that read before our own act, and proposes after it, knows less than the ledger does: what
// it proposes must not happen, and must not make the plane forget what it made.

import { afterEach, describe, expect, it } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import { disarm } from "../../src/base/protections.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import { Site, widget } from "./site.ts"

/** How long the answers to the n-th read of a target are under way. */
const delays: Readonly<Record<string, readonly number[]>> = { w0: [10, 600], w1: [450] }

/** Reads at once, and answers late: as a busy system does. */
function slowAnswers(site: Site, kind: KindProvider): KindProvider {
  const reads = new Map<string, number>()
  return {
    ...kind,
    async observe(target, context) {
      const count = reads.get(target.identity) ?? 0
      reads.set(target.identity, count + 1)
      const seen = await kind.observe?.(target, context)
      if (seen === undefined) throw new Error("the kind has no observe")
      await sleep(site.clock, delays[target.identity]?.[count] ?? 1)
      return seen
    },
  }
}

async function overtaken(): Promise<Site> {
  const site = new Site({ marks: false })
  site.sim.kinds = site.sim.kinds.map((kind) => slowAnswers(site, kind))
  await site.sim.start()
  await site.makeLoop()
  // The second read of w0 is answered while its create is under way, and judged after it.
  site.world.faults.add({ how: "slow", ms: 200, on: ["create"], identity: "w0" })
  await site.declare([widget("w0"), widget("w1")], 100)
  await site.look(20_000)
  return site
}

const arm: (() => void)[] = []
afterEach(() => {
  for (const again of arm.splice(0)) again()
})

describe("a pass that was overtaken by an act", () => {
  it("does not act again, and what was made stays ours", async () => {
    const site = await overtaken()
    const receipts = (await site.journal()).filter(({ event }) => event.type === "receipt")
    expect(receipts).toHaveLength(2)
    site.world.edit("w0", { color: "blue" })
    await site.look(20_000)
    expect(site.plans("Pending")).toEqual([])
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
  })

  it("twin: acts on what it read, and the plane forgets what it made", async () => {
    arm.push(disarm("overtaken-looks-are-dropped"))
    const site = await overtaken()
    const results = (await site.journal()).flatMap(({ event }) =>
      event.type === "receipt" ? [event.result] : [],
    )
    expect(results).toContain("failed")
    site.world.edit("w0", { color: "blue" })
    await site.look(20_000)
    expect(site.pending().held[0]?.action.verb).toBe("adopt")
  })
})
