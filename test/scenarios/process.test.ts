// Gate: the scenario suite on real processes, and on sets of them. Sets are left to
// `npm run test:all`; test/e2e/process-set.test.ts has one under load always.

import { describe } from "vitest"
import { processScenarios } from "../../src/providers/process/testing/scenario-driver.ts"
import { setScenarios } from "../../src/providers/process/testing/set-driver.ts"
import { full } from "../full.ts"
import { testScenarios } from "./scenario-tests.ts"

testScenarios(processScenarios)

describe.runIf(full)("sets", () => testScenarios(setScenarios))
