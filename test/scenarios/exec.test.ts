// Gate: the scenario suite on provider programs: one in Python that stays, and one in bash that is
// started for every question.

import { describe } from "vitest"
import { oneShotScenarios } from "../../src/providers/exec/testing/one-shot-driver.ts"
import { execScenarios } from "../../src/providers/exec/testing/scenario-driver.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { testScenarios } from "./scenario-tests.ts"

const python = requireTool("python3")
const bash = requireTool("bash", "jq", "flock")

describe.skipIf(python.missing)("python", () => testScenarios(execScenarios))

/** Each question costs some processes: it is left to `npm run test:all`. */
describe.skipIf(bash.missing || !full)("bash", () => testScenarios(oneShotScenarios(100)))
