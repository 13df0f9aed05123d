// One program that an operator named at start, and how it is called: run for each request, or kept
// running when it says that it can. Whatever is not a valid answer and exit code 0 is thrown, and
// so counts as unknown.

import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import type {
  CommandRequest,
  CommandResult,
  CommandsAct,
  CommandsRead,
} from "../../contract/commands.ts"
import type { Closeable } from "../../contract/world.ts"
import { type Description, readDescription } from "./description.ts"
import { ExecWatches } from "./exec-watches.ts"
import { execFault } from "./faults.ts"
import { type ExecReply, type ExecRequest, readReply, requestLine } from "./protocol.ts"

const answerBytesMax = 4 * 1024 * 1024
const hintBytesMax = 64 * 1024
const describeMs = 10_000

export interface ExecProgramOptions {
  /** The operator's name for it. */
  readonly name: string
  /** Absolute path. */
  readonly path: string
}

export type ExecClock = Pick<Clock, "monotonic" | "after">
export type ExecCall = Omit<ExecRequest, "id">

export class ExecProgram {
  readonly name: string
  readonly #argv: readonly string[]
  readonly #clock: ExecClock
  readonly #watches: ExecWatches
  #persistent = false
  #calls = 0
  #quietUntil = Number.NEGATIVE_INFINITY

  constructor({ name, path }: ExecProgramOptions, clock: ExecClock) {
    this.name = name
    this.#argv = [path]
    this.#clock = clock
    this.#watches = new ExecWatches(clock)
  }

  /** Asked once, at start; always of a process of its own. */
  async describe(commands: CommandsRead, signal: AbortSignal): Promise<Description> {
    const input = `${requestLine({ verb: "describe", id: "describe", timeoutMs: describeMs })}\n`
    const request = { ...this.#request(describeMs), input }
    const said = readDescription(finished(await commands.look(request, signal)), this.name)
    if (typeof said !== "string") {
      this.#persistent = said.persistent
      return said
    }
    throw execFault("SPT-EXEC-002", { name: this.name, cause: said })
  }

  /** Milliseconds for which the program asked to be left alone. */
  get quietMs(): number {
    return Math.max(0, this.#quietUntil - this.#clock.monotonic())
  }

  look(commands: CommandsRead, call: ExecCall, signal: AbortSignal): Promise<ExecReply> {
    return this.#exchange(call, (request, line) =>
      this.#persistent
        ? commands.ask(request, line, signal)
        : commands.look({ ...request, input: `${line}\n` }, signal).then(finished),
    )
  }

  act(commands: CommandsAct, call: ExecCall, signal: AbortSignal): Promise<ExecReply> {
    return this.#exchange(call, (request, line) =>
      this.#persistent
        ? commands.tell(request, line, signal)
        : commands.run({ ...request, input: `${line}\n` }, signal).then(finished),
    )
  }

  /** In a process of its own, shared by all that have the same key. */
  watch(commands: CommandsRead, call: ExecCall, key: string, changed: () => void): Closeable {
    const input = requestLine({ ...call, id: "watch" })
    const request = { argv: this.#argv, input, outputBytesMax: hintBytesMax }
    return this.#watches.follow(key, commands, request, changed)
  }

  async #exchange(
    call: ExecCall,
    send: (request: CommandRequest, line: string) => Promise<string>,
  ): Promise<ExecReply> {
    this.#calls++
    const id = String(this.#calls)
    const { verb, timeoutMs } = call
    const failed = (cause: string, error?: unknown) =>
      execFault("SPT-EXEC-003", { verb, name: this.name, cause }, error)
    let line: string
    try {
      line = await send(this.#request(timeoutMs), requestLine({ ...call, id }))
    } catch (error) {
      throw failed(error instanceof Error ? error.message : String(error), error)
    }
    const reply = readReply(line, id)
    if (typeof reply === "string") throw failed(reply)
    if (reply.retryAfter !== undefined) {
      this.#quietUntil = this.#clock.monotonic() + reply.retryAfter * 1000
    }
    return reply
  }

  /** The same for every call of a verb, so that a program that stays is one process. */
  #request(timeoutMs: number): CommandRequest {
    return { argv: this.#argv, timeoutMs, outputBytesMax: answerBytesMax }
  }
}

/** An answer counts only with exit code 0. */
function finished({ code, stdout, stderr }: CommandResult): string {
  if (code === 0 || !protects("exec-answer-needs-exit-zero")) return stdout
  const last = stderr.trim().split("\n").at(-1) ?? ""
  throw new Error(`exit code ${code}${last === "" ? "" : `: ${last.slice(0, 300)}`}`)
}
