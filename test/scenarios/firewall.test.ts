// Gate: the scenario suite on real nftables.

import { describe } from "vitest"
import { firewallScenarios } from "../../src/providers/firewall/testing/scenario-driver.ts"
import { firewallTools } from "../e2e/firewall/net-rig.ts"
import { full } from "../full.ts"
import { testScenarios } from "./scenario-tests.ts"

const tools = firewallTools()

describe.skipIf(tools.missing)(`nftables ${tools.name}`, () =>
  // nft reads every table of the host for most of what it is told.
  testScenarios(firewallScenarios(full ? 60 : 20)),
)
