// Gate: the scenario suite on real accounts, which needs root, and on real files of cron.

import { describe } from "vitest"
import { nodeCommands } from "../../src/provider/adapter/commands.ts"
import { nodeFiles } from "../../src/providers/file/adapter/node-files.ts"
import { cronScenarios } from "../../src/providers/host/testing/cron-driver.ts"
import { groupScenarios } from "../../src/providers/host/testing/group-driver.ts"
import { hostScenarios } from "../../src/providers/host/testing/scenario-driver.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { testScenarios } from "./scenario-tests.ts"

const tools = requireTool("unshare: -m true", "useradd", "setpriv")
const handles = { files: nodeFiles(), commands: nodeCommands() }

testScenarios(cronScenarios(handles.files))

describe.skipIf(tools.missing)(`accounts ${tools.name}`, () => {
  testScenarios(hostScenarios(handles, full ? 1000 : 8))
  testScenarios(groupScenarios(handles, full ? 1000 : 8))
})
