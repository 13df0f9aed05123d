// The process is killed again and again while it writes: nothing acknowledged is lost. This does
// not test power loss (the page cache survives a kill); store-sync.test.ts and the simulated disk
// do.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { KillRig } from "./store/kill-rig.ts"

const cycles = process.env.SETPOINT_TEST_FULL === "1" ? 300 : 12
const random = new SimRandom(20_261)

describe("the store under kill -9", () => {
  let directory = ""
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "setpoint-kill-"))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it(
    `keeps every acknowledged write over ${cycles} kills, and its watch resumes exactly`,
    async () => {
      const rig = new KillRig(directory, "load")
      for (let cycle = 0; cycle < cycles; cycle++) await rig.cycle(random.next() * 120)
      const { acknowledgements, events } = rig
      console.log(`${cycles} kills, ${acknowledgements} acknowledgements, ${events} watch events`)
      expect(rig.problems).toEqual([])
      expect(acknowledgements).toBeGreaterThan(cycles * 10)
      expect(events).toBeGreaterThan(cycles * 10)
    },
    cycles * 10_000,
  )

  it("is a rig that catches a store which acknowledges early", { timeout: 300_000 }, async () => {
    const rig = new KillRig(directory, "early")
    let kills = 0
    const lost = () => rig.problems.filter((problem) => problem.startsWith("lost:")).length
    while (lost() === 0 && kills < 30) {
      await rig.cycle(random.next() * 60)
      kills++
    }
    console.log(`control: ${lost()} losses found after ${kills} kills`)
    expect(lost()).toBeGreaterThan(0)
  })
})
