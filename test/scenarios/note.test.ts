// The scenario suite for a provider that lists, over real HTTP. Name servers list as well, so this
// one is left to `npm run test:all`.

import { describe } from "vitest"
import { full } from "../full.ts"
import { noteScenarios } from "./note-driver.ts"
import { testScenarios } from "./scenario-tests.ts"

describe.runIf(full)("over HTTP", () => testScenarios(noteScenarios))
