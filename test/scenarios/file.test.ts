// Gate: the scenario suite on real files, links and directories.

import { directoryScenarios } from "../../src/providers/file/testing/directory-driver.ts"
import { fileScenarios } from "../../src/providers/file/testing/scenario-driver.ts"
import { testScenarios } from "./scenario-tests.ts"

testScenarios(fileScenarios)
testScenarios(directoryScenarios)
