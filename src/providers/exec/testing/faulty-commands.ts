// Programs that fail on demand, for the conformance suites of kinds that run programs.

import type { CommandResult, CommandsAct } from "../../../contract/commands.ts"
import type { FaultMode } from "../../../provider/conformance/subject.ts"

export const commandFaultModes: readonly FaultMode[] = ["timeout", "lostReply", "serverError"]

export interface FaultyCommands {
  readonly commands: CommandsAct
  failNext(mode: FaultMode): void
  mutations(): number
}

/** The next call hangs, is lost after its effect, or ends with exit code 1 without an effect. */
export function faultyCommands(real: CommandsAct): FaultyCommands {
  let armed: FaultMode | undefined
  let mutations = 0
  const next = <T>(signal: AbortSignal, run: () => Promise<T>, broken: () => T): Promise<T> => {
    const mode = armed
    armed = undefined
    if (mode === undefined) return run()
    if (mode === "serverError") return Promise.resolve(broken())
    const lost = (cause: string): never => {
      throw new Error(cause)
    }
    if (mode === "lostReply") return run().then(() => lost("the answer is lost"))
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("it was called off")))
    })
  }
  const broken = (): CommandResult => ({ code: 1, stdout: "", stderr: "broken\n" })
  const commands: CommandsAct = {
    look: (request, signal) => next(signal, () => real.look(request, signal), broken),
    ask: (request, line, signal) =>
      next(
        signal,
        () => real.ask(request, line, signal),
        () => "",
      ),
    follow: (request, line, ended) => real.follow(request, line, ended),
    run(request, signal) {
      mutations++
      return next(signal, () => real.run(request, signal), broken)
    },
    tell(request, line, signal, begin) {
      mutations++
      return next(
        signal,
        () => real.tell(request, line, signal, begin),
        () => "",
      )
    },
  }
  const failNext = (mode: FaultMode) => {
    armed = mode
  }
  return { commands, failNext, mutations: () => mutations }
}
