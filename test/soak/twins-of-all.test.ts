// The back door of every driver sees what goes wrong: each wrong provider, made from each provider
// on its real system, is caught by the scenario of its name. test/scenarios/twins does so on one.

import { describe, expect, it } from "vitest"
import { nodeCommands } from "../../src/provider/adapter/commands.ts"
import { startBind } from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { dnsScenarios } from "../../src/providers/dns/testing/scenario-driver.ts"
import { execScenarios } from "../../src/providers/exec/testing/scenario-driver.ts"
import { nodeFiles } from "../../src/providers/file/adapter/node-files.ts"
import { directoryScenarios } from "../../src/providers/file/testing/directory-driver.ts"
import { fileScenarios } from "../../src/providers/file/testing/scenario-driver.ts"
import { firewallScenarios } from "../../src/providers/firewall/testing/scenario-driver.ts"
import { cronScenarios } from "../../src/providers/host/testing/cron-driver.ts"
import { groupScenarios } from "../../src/providers/host/testing/group-driver.ts"
import { hostScenarios } from "../../src/providers/host/testing/scenario-driver.ts"
import { processScenarios } from "../../src/providers/process/testing/scenario-driver.ts"
import {
  forgetful,
  providerScenarios,
  type ScenarioDriver,
  type ScenarioName,
  wrongProviders,
} from "../../src/testing.ts"
import { firewallTools } from "../e2e/firewall/net-rig.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"

interface Tried {
  readonly driver: ScenarioDriver
  readonly missing?: boolean
  /** What is not caught on this medium, each with its reason. */
  readonly harmless?: Partial<Readonly<Record<ScenarioName, string>>>
}

const targets = 30
const handles = { files: nodeFiles(), commands: nodeCommands() }
const accounts = requireTool("unshare: -m true", "useradd", "setpriv").missing
const noImporter = { import: "it imports nothing" }

const all: readonly Tried[] = [
  { driver: fileScenarios },
  { driver: directoryScenarios },
  { driver: cronScenarios(handles.files) },
  { driver: groupScenarios(handles, targets), missing: accounts },
  { driver: hostScenarios(handles, targets), missing: accounts },
  { driver: processScenarios, harmless: noImporter },
  { driver: execScenarios, missing: requireTool("python3").missing, harmless: noImporter },
  {
    driver: dnsScenarios(startBind, handles.files),
    missing: requireTool("named: -v", "dig: -v", "nsupdate: -V").missing,
  },
  { driver: firewallScenarios(targets), missing: firewallTools().missing },
]

async function verdictOf(driver: ScenarioDriver, name: ScenarioName): Promise<string> {
  const wrong = name === "plane-killed" ? forgetful : wrongProviders[name as "create"]
  const options = { targets, crashes: 3, hurry: 5, spoil: wrong.spoil }
  const scenarios = providerScenarios({ ...driver, deadlineMs: 10_000 }, options)
  try {
    await scenarios.find((one) => one.name === name)?.play()
    return "passes"
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe.runIf(full)("a wrong provider is caught", { timeout: 300_000 }, () => {
  for (const { driver, missing = false, harmless = {} } of all) {
    describe.skipIf(missing)(driver.kind, () => {
      for (const name of Object.keys(wrongProviders) as ScenarioName[]) {
        const reason = driver.skip?.[name] ?? harmless[name]
        if (reason !== undefined) it.skip(`${name}: ${reason}`)
        else {
          // What it does wrong may come to nothing once, by a race with what is done by hand.
          it(name, { retry: 2 }, async () => {
            expect(await verdictOf(driver, name)).toMatch(/^cannot accept provider \w+: scenario /)
          })
        }
      }
    })
  }
})
