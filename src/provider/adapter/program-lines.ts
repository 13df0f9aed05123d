// A program that goes on, as whole lines of its output. A line that does not end within its bound
// ends the program: nothing is ever shortened.

import type { ChildProcessWithoutNullStreams } from "node:child_process"
import type { CommandRequest } from "../../contract/commands.ts"
import { endGroup, killGroup, programOutputMax, spawnProgram } from "./run-program.ts"

const complaintMax = 500
const drainMs = 200

export interface LineListener {
  line(text: string): void
  /** Once, and nothing after it. */
  ended(cause: string): void
}

export class ProgramLines {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #listener: LineListener
  readonly #bytesMax: number
  #rest: Buffer[] = []
  #size = 0
  #complaint = ""
  #how = "it ended"
  #over = false
  #cut: string | undefined

  constructor(request: CommandRequest, listener: LineListener) {
    this.#listener = listener
    this.#bytesMax = request.outputBytesMax ?? programOutputMax
    this.#child = spawnProgram(request)
    const { stdin, stdout, stderr } = this.#child
    stdout.on("data", (chunk: Buffer) => this.#take(chunk))
    stderr.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString("utf8")).slice(-complaintMax)
    })
    stdin.on("error", () => {}) // Its end is told by exit.
    this.#child.on("error", (error) => this.#end(error.message))
    this.#child.on("exit", (code, signal) => {
      killGroup(this.#child.pid, "SIGKILL")
      this.#how = code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`
      // What left the group may hold the output open for ever.
      setTimeout(() => this.#end(this.#how), drainMs).unref()
    })
    this.#child.on("close", () => this.#end(this.#how))
  }

  send(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  /** End of input, so that it can end by itself; then as `kill`. */
  finish(): void {
    this.#child.stdin.end()
    this.kill("it is no longer needed")
  }

  kill(cause: string): void {
    this.#cut ??= cause
    if (!this.#over) endGroup(this.#child)
  }

  /** While nobody waits for it, it does not keep this process alive. */
  holds(held: boolean): void {
    const { stdin, stdout, stderr } = this.#child
    const parts: readonly object[] = [this.#child, stdin, stdout, stderr]
    for (const part of parts) {
      const method: unknown = Reflect.get(part, held ? "ref" : "unref")
      if (typeof method === "function") Reflect.apply(method, part, [])
    }
  }

  #take(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#rest.push(chunk.subarray(from, end))
      const line = Buffer.concat(this.#rest).toString("utf8")
      this.#rest = []
      this.#size = 0
      from = end + 1
      if (line.length > this.#bytesMax) this.#tooLong()
      if (this.#over || this.#cut !== undefined) return
      this.#listener.line(line)
    }
    this.#rest.push(chunk.subarray(from))
    this.#size += chunk.length - from
    if (this.#size > this.#bytesMax) this.#tooLong()
  }

  #tooLong(): void {
    this.#rest = []
    this.kill(`it wrote a line of more than ${this.#bytesMax} bytes`)
  }

  #end(how: string): void {
    if (this.#over) return
    this.#over = true
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      stream.destroy()
    }
    const said = this.#complaint.trim()
    this.#listener.ended(this.#cut ?? (said === "" ? how : `${how}: ${said}`))
  }
}
