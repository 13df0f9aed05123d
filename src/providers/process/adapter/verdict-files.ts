// What probes said last, as a file `probes.N` in the process's place, so that a plane that starts
// again does not take every process out of service. What can't be read or written is asked anew.

import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { VerdictKeeper } from "../caretaker.ts"
import type { Verdict } from "../probe-state.ts"

export const verdictFiles: VerdictKeeper = {
  read(directory, run) {
    try {
      return parse(readFileSync(join(directory, `probes.${run}`), "utf8"))
    } catch {
      return undefined
    }
  },
  write(directory, run, { started, ready }) {
    const temporary = join(directory, `.new.probes.${run}`)
    try {
      writeFileSync(temporary, `${JSON.stringify({ started, ready })}\n`, { mode: 0o600 })
      renameSync(temporary, join(directory, `probes.${run}`))
    } catch {
      // The place is gone, or its disk is full: the probes will say it again.
    }
  },
}

function parse(text: string): Verdict {
  const { started, ready } = JSON.parse(text)
  return { started: started === true, ready: ready === true }
}
