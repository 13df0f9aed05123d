// That the oracle of destruction can speak: with one protection gone it finds a life in which too
// much is destroyed, or without the look, the permission or the ownership that it needs.

import { afterEach, describe, expect, it } from "vitest"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { live } from "./destruction/life.ts"

const seedsMax = 300
/** Where to begin to look: lives in which it matters are not equally frequent. */
const firstSeeds: Partial<Record<Protection, number>> = {
  "permission-counts-until-used": 105,
  "policy-floor": 125,
  "time-window": 50,
  "windows-outlive-restarts": 110,
}

let rearm = () => {}
afterEach(() => rearm())

const twins: readonly (readonly [Protection, RegExp])[] = [
  ["window-counts-all", /in a window of/],
  ["destruction-by-effect", /in a window of|drew on no window/],
  ["limit-has-no-minimum", /in a window of/],
  ["policy-floor", /in a window of|everywhere/],
  ["protected-object", /it is protected|protects its kind/],
  ["loosening-is-held", /in a window of|everywhere|protect/],
  ["windows-outlive-restarts", /in a window of|everywhere/],
  ["budget-survives-restart", /in a window of|everywhere/],
  ["permission-counts-until-used", /in a window of|everywhere/],
  ["time-window", /frozen/],
  ["agents-never-approve", /agent bot approved|service cron approved/],
]

describe("without one protection the oracle finds a life that breaks a rule:", () => {
  for (const [protection, says] of twins) {
    it(protection, async () => {
      rearm = disarm(protection)
      const broken: string[] = []
      const first = firstSeeds[protection] ?? 1
      const last = first + seedsMax
      for (let seed = first; seed < last && !broken.some((one) => says.test(one)); seed++) {
        broken.push(...(await live(seed)).broken)
      }
      expect(broken.join("\n")).toMatch(says)
    }, 300_000)
  }
})
