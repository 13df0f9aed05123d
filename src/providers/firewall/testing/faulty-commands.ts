// The real programs, except that the next one fails as told.

import type { CommandRequest, CommandResult, CommandsAct } from "../../../contract/commands.ts"
import { nodeCommands } from "../../../provider/adapter/commands.ts"
import type { FaultMode } from "../../../provider/conformance/subject.ts"

export const commandFaultModes: readonly FaultMode[] = [
  ...(["timeout", "lostReply", "unauthorized", "serverError"] as const),
]

export class FaultyCommands {
  readonly commands: CommandsAct
  mutations = 0
  #armed: FaultMode | undefined

  constructor() {
    const real = nodeCommands()
    const once = (call: "look" | "run") => (request: CommandRequest, signal: AbortSignal) => {
      const mode = this.#armed
      this.#armed = undefined
      if (call === "run") this.mutations++
      return perform(mode, () => real[call](request, signal), signal)
    }
    this.commands = { ...real, look: once("look"), run: once("run") }
  }

  failNext(mode: FaultMode): void {
    this.#armed = mode
  }
}

async function perform(
  mode: FaultMode | undefined,
  task: () => Promise<CommandResult>,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (mode === "timeout") {
    return new Promise((_, reject) => {
      const end = () => reject(new Error("the program was ended because it took too long"))
      signal.addEventListener("abort", end, { once: true })
    })
  }
  if (mode === "unauthorized") {
    return { code: 1, stdout: "", stderr: "Error: Operation not permitted (you must be root)" }
  }
  if (mode === "serverError") throw new Error("the program could not be started: EIO")
  const result = await task()
  if (mode === "lostReply") throw new Error("the program's output was lost")
  return result
}
