// The real handle for programs. Looking is limited to so many programs at once. What changes
// something does not wait here, since its stop check came just before; where it has to wait for its
// turn, it is checked again when that comes.

import type { CommandRequest, CommandResult, CommandsAct } from "../../contract/commands.ts"
import type { Closeable } from "../../contract/world.ts"
import { ProgramLines } from "./program-lines.ts"
import { cannotRun, runProgram } from "./run-program.ts"
import { StayingProgram } from "./staying-program.ts"

const looksAtOnce = 16

export interface NodeCommands extends CommandsAct, Closeable {}

export function nodeCommands(): NodeCommands {
  const turns = new Turns(looksAtOnce)
  const staying = new Map<string, StayingProgram>()
  const followed = new Set<ProgramLines>()
  let closed = false
  const ask = (
    request: CommandRequest,
    message: string,
    signal: AbortSignal,
    begin?: () => void,
  ) => {
    if (closed) return Promise.reject(cannotRun(request.argv[0] ?? "", "the plane is closing"))
    const { argv, env, cwd } = request
    const key = JSON.stringify([argv, env ?? {}, cwd ?? ""])
    const known = staying.get(key)
    const program = known ?? new StayingProgram(request, () => staying.delete(key))
    staying.set(key, program)
    return program.ask(message, signal, request.timeoutMs, begin)
  }
  return {
    look: (request, signal) => turns.take(signal, () => runProgram(request, signal)),
    run: runProgram,
    ask: (request, message, signal) => ask(request, message, signal),
    tell: ask,
    follow(request, line, ended) {
      const program: ProgramLines = new ProgramLines(request, {
        line,
        ended: (cause) => {
          followed.delete(program)
          ended(cause)
        },
      })
      if (request.input !== undefined) program.send(request.input)
      program.holds(false)
      followed.add(program)
      return { close: () => program.kill("it is no longer needed") }
    },
    close() {
      closed = true
      for (const program of staying.values()) program.close()
      for (const program of followed) program.kill("the plane is closing")
    },
  }
}

/** First come, first served; whoever gives up leaves the queue. */
class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take(signal: AbortSignal, task: () => Promise<CommandResult>): Promise<CommandResult> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        signal.removeEventListener("abort", leave)
        resolve()
      }
      const leave = () => {
        const at = this.#waiting.indexOf(mine)
        if (at < 0) return
        this.#waiting.splice(at, 1)
        reject(cannotRun("a program", "it was called off"))
      }
      this.#waiting.push(mine)
      signal.addEventListener("abort", leave, { once: true })
      if (signal.aborted) leave()
    })
  }
}
