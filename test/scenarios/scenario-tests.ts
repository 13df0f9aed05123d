// Plays the scenario suite for one driver: one test per scenario, with its promise as its name.

import { describe, it, vi } from "vitest"
import { describeScenarios, type ScenarioDriver } from "../../src/testing.ts"
import { full } from "../full.ts"

// Steps have deadlines of their own that say what was reached.
vi.setConfig({ testTimeout: 600_000 })

/** Fewer targets and crash points in `npm test`; all of them in `npm run test:all`. */
export const extent = full ? { targets: 1000, crashes: 20 } : { targets: 50, crashes: 2 }

export function testScenarios(driver: ScenarioDriver): void {
  const print = (line: string) => console.log(line)
  describeScenarios(driver, { describe, it }, { ...extent, print })
}
