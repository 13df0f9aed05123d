// Gate: the scenario suite on real name servers, bind9 and knot.

import { describe } from "vitest"
import { startBind, startKnot } from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { dnsScenarios } from "../../src/providers/dns/testing/scenario-driver.ts"
import { nodeFiles } from "../../src/providers/file/adapter/node-files.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { testScenarios } from "./scenario-tests.ts"

const bind = requireTool("named: -v", "dig: -v", "nsupdate: -V")

describe.skipIf(bind.missing)("bind9", () => testScenarios(dnsScenarios(startBind, nodeFiles())))

if (full) {
  const knot = requireTool("knotd: -V", "dig: -v", "nsupdate: -V")
  describe.skipIf(knot.missing)("knot", () => testScenarios(dnsScenarios(startKnot, nodeFiles())))
}
