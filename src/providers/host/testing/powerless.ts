// The tools of a host without the right to change anything: what a plane gets that is not root.

import type { CommandRequest, CommandsAct } from "../../../contract/commands.ts"
import type { Trouble } from "../../../provider/scenarios/driver.ts"

const nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

export interface Powerless {
  readonly commands: CommandsAct
  readonly trouble: Trouble
}

export function powerless(real: CommandsAct): Powerless {
  let prefix: readonly string[] = []
  const as = (one: CommandRequest) => ({ ...one, argv: [...prefix, ...one.argv] })
  const run: CommandsAct["run"] = (one, signal) => real.run(as(one), signal)
  const trouble: Trouble = async () => {
    prefix = nobody
    return async () => {
      prefix = []
    }
  }
  return { commands: { ...real, run }, trouble }
}
