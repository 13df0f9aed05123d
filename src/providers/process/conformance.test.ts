// The kind against the suite that every provider has to pass, on real processes.

import { describe, test } from "vitest"
import { systemClock, systemRandom } from "../../base/system.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject } from "../../provider/conformance/subject.ts"
import { processFaultModes, processSetup } from "./adapter/testing/conformance-subject.ts"
import { ProcessRig } from "./adapter/testing/process-rig.ts"

const ports = { clock: systemClock, random: systemRandom }
const rig = new ProcessRig(ports)
rig.close()

const subject: ConformanceSubject = {
  // Places are below the root of each setup, so the kind has to be made for it, too.
  get kind() {
    return current.kind
  },
  modes: processFaultModes,
  async setup() {
    current = new ProcessRig(ports)
    return processSetup(current)
  },
}
let current = rig

describe("Process obeys", () => {
  for (const { name, rule, run, skipped } of conformanceOf(subject, systemClock)) {
    if (skipped === undefined) test(`${name}: ${rule}`, run)
    else test.skip(`${name}: ${skipped}`, run)
  }
})
