// The constant load on web: a few clients that ask again and again, each time on a connection of
// its own, and count. An answer that is not 200, or does not come, is a failed request.

import { request } from "node:http"

const clients = 3
const pauseMs = 25
const answerMs = 20_000

export class Load {
  requests = 0
  failed = 0
  /** What went wrong with the last one that failed. */
  lastFailure = ""
  /** Who answered, by version: process ids. */
  readonly answered = new Map<string, Set<number>>()
  readonly #port: number
  #stopped = false

  constructor(port: number) {
    this.#port = port
  }

  /** Once the first answer has come: until then there is nothing to fail. */
  async start(): Promise<void> {
    while (!this.#stopped && !isGood(await ask(this.#port))) await pause(pauseMs)
    for (let client = 0; client < clients; client++) void this.#client()
  }

  stop(): void {
    this.#stopped = true
  }

  async #client(): Promise<void> {
    while (!this.#stopped) {
      const answer = await ask(this.#port)
      if (this.#stopped) return
      this.requests++
      if (isGood(answer)) this.#note(answer)
      else {
        this.failed++
        this.lastFailure = answer
      }
      await pause(pauseMs)
    }
  }

  #note(answer: string): void {
    const [version = "", pid = ""] = answer.trim().split(" ")
    const known = this.answered.get(version) ?? new Set<number>()
    this.answered.set(version, known.add(Number(pid)))
  }
}

function isGood(answer: string): boolean {
  return /^v\d+ \d+\n$/.test(answer)
}

/** The body of an answer with 200, or what went wrong. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const headers = { connection: "close" }
    const sent = request({ port, host: "127.0.0.1", agent: false, headers }, (response) => {
      let body = ""
      response.on("data", (chunk) => {
        if (body.length < 1000) body += String(chunk)
      })
      response.on("error", (error) => resolve(`cut off: ${error.message}`))
      response.on("end", () => {
        resolve(response.statusCode === 200 ? body : `status ${response.statusCode}`)
      })
    })
    sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer in ${answerMs} ms`)))
    sent.on("error", (error) => resolve(`failed: ${error.message}`))
    sent.end()
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
