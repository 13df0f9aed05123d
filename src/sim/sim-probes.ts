// What signals see in the simulator: numbers that a test sets by name. A name without a number
// fails; "hang" never answers.

import type { Json } from "../base/json.ts"
import type { CommandRequest, CommandResult, LogPart, Probes } from "../contract/probes.ts"

export class SimProbes implements Probes {
  /** By the program, the connection or the log's path. */
  readonly numbers = new Map<string, number | "hang">()

  async command({ argv }: CommandRequest): Promise<CommandResult> {
    return { exitCode: 0, stdout: `${await this.#number(argv[0] ?? "")}\n` }
  }

  async sql(connection: string): Promise<Json> {
    return this.#number(connection)
  }

  async log(path: string): Promise<LogPart> {
    const lines = Array.from({ length: await this.#number(path) }, () => "line")
    return { cursor: { file: path, offset: 0 }, lines, skipped: false }
  }

  #number(name: string): Promise<number> {
    const number = this.numbers.get(name)
    if (number === "hang") return new Promise(() => {})
    if (number === undefined) return Promise.reject(new Error(`there is no ${name}`))
    return Promise.resolve(number)
  }
}
