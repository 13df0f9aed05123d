// One program that stays: a line in, a line out, one at a time. Whenever it is not certain which
// answer belongs to which question (a call given up, a line nobody asked for, too late an answer),
// the program is ended, and the next question goes to a new one, after a pause that grows. Whoever
// gave up hears of it only when the program has ended: nothing happens after "it failed".

import type { CommandRequest } from "../../contract/commands.ts"
import { ProgramLines } from "./program-lines.ts"
import { cannotRun, programTimeoutMs } from "./run-program.ts"

const idleMs = 60_000
const pauseFirstMs = 100
const pauseMaxMs = 30_000

interface Question {
  readonly message: string
  readonly timeoutMs: number
  /** Called right before it is sent; what it throws is the answer, and nothing is sent. */
  begin(): void
  answer(line: string): void
  fail(cause: string): void
  refuse(error: unknown): void
  giveUp(): void
}

export class StayingProgram {
  readonly #request: CommandRequest
  readonly #idle: () => void
  readonly #waiting: Question[] = []
  #asked: Question | undefined
  #running: ProgramLines | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #pausing = false
  /** It is being ended, and may still do something. */
  #ending = false
  #closed = false

  /** `idle` is called when it ended because nobody asked it anything for a while. */
  constructor(request: CommandRequest, idle: () => void) {
    this.#request = request
    this.#idle = idle
  }

  ask(
    message: string,
    signal: AbortSignal,
    timeoutMs = programTimeoutMs,
    begin: () => void = () => {},
  ): Promise<string> {
    const program = this.#request.argv[0] ?? ""
    return new Promise((resolve, reject) => {
      const refuse = (cause: string) => reject(cannotRun(program, cause))
      if (signal.aborted) return refuse("it was called off")
      if (this.#closed) return refuse("the plane is closing")
      if (message.includes("\n")) return refuse("a message has to be one line")
      const over = () => signal.removeEventListener("abort", question.giveUp)
      const question: Question = {
        ...{ message, timeoutMs, begin },
        answer: (line) => {
          over()
          resolve(line)
        },
        fail: (cause) => {
          over()
          refuse(cause)
        },
        refuse: (error) => {
          over()
          reject(error)
        },
        giveUp: () => this.#giveUp(question, "it was called off"),
      }
      signal.addEventListener("abort", question.giveUp, { once: true })
      this.#waiting.push(question)
      this.#next()
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const question of this.#waiting.splice(0)) question.fail("the plane is closing")
    this.#running?.finish()
  }

  #next(): void {
    if (this.#asked !== undefined || this.#pausing || this.#ending || this.#closed) return
    clearTimeout(this.#timer)
    if (this.#waiting.length === 0) {
      this.#running?.holds(false)
      this.#timer = setTimeout(() => this.#leave(), idleMs).unref()
      return
    }
    if (this.#running === undefined) {
      if (this.#failures === 0) this.#start()
      else this.#pause()
    }
    if (this.#running === undefined) return
    const question = this.#takeNext()
    if (question === undefined) {
      this.#next()
      return
    }
    this.#asked = question
    this.#running.holds(true)
    this.#running.send(question.message)
    const late = () => this.#giveUp(question, `it took longer than ${question.timeoutMs} ms`)
    this.#timer = setTimeout(late, question.timeoutMs)
  }

  /** Much may have happened while it waited: a stop, too. */
  #takeNext(): Question | undefined {
    const question = this.#waiting.shift()
    try {
      question?.begin()
      return question
    } catch (error) {
      question?.refuse(error)
      return undefined
    }
  }

  #start(): void {
    try {
      const started: ProgramLines = new ProgramLines(this.#request, {
        line: (text) => {
          if (started === this.#running) this.#answer(text)
        },
        ended: (cause) => {
          if (started === this.#running) this.#lost(cause)
        },
      })
      this.#running = started
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      for (const question of this.#waiting.splice(0)) question.fail(cause)
    }
  }

  #answer(line: string): void {
    const question = this.#asked
    if (this.#ending) return
    if (question === undefined) {
      this.#end("it wrote a line that nobody asked for")
      return
    }
    this.#asked = undefined
    this.#failures = 0
    question.answer(line)
    this.#next()
  }

  #giveUp(question: Question, cause: string): void {
    if (this.#asked === question) {
      // Its answer may still come, and must not be taken for the next one's.
      this.#end(cause)
      return
    }
    const at = this.#waiting.indexOf(question)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    question.fail(cause)
  }

  #end(cause: string): void {
    if (this.#ending) return
    this.#ending = true
    clearTimeout(this.#timer)
    this.#running?.kill(cause)
  }

  /** It has ended, for whatever reason. */
  #lost(cause: string): void {
    const question = this.#asked
    clearTimeout(this.#timer)
    this.#running = undefined
    this.#asked = undefined
    this.#ending = false
    this.#failures++
    question?.fail(cause)
    this.#next()
  }

  #pause(): void {
    this.#pausing = true
    const delay = Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(this.#failures - 1, 20))
    this.#timer = setTimeout(() => {
      this.#pausing = false
      if (this.#closed || this.#waiting.length === 0) return
      this.#start()
      this.#next()
    }, delay)
  }

  #leave(): void {
    const running = this.#running
    this.#running = undefined
    running?.finish()
    this.#idle()
  }
}
