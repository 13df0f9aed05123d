// The process kinds of a real plane: their places are in the data directory.

import { join } from "node:path"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { logFiles } from "../../providers/process/adapter/log-files.ts"
import { nodeProbeCalls } from "../../providers/process/adapter/probe-calls.ts"
import { verdictFiles } from "../../providers/process/adapter/verdict-files.ts"
import { processKinds } from "../../providers/process/process-kinds.ts"

export function localProcesses(directory: string): readonly KindProvider[] {
  return processKinds({
    directory: join(directory, "processes"),
    clock: systemClock,
    random: systemRandom,
    probes: nodeProbeCalls,
    verdicts: verdictFiles,
    logs: logFiles,
  })
}
