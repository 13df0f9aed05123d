// A scripted Http port: a list of exchanges, each with what it answers to and what it answers. A
// request that no exchange expects fails loudly; every request is kept for the test to look at.

import { type Clock, sleep } from "../base/clock.ts"
import { jsonText } from "../base/json-text.ts"
import type { Http, HttpRequest, HttpResponse } from "../contract/world.ts"
import { simFault } from "./faults.ts"

export interface SimAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text, or a value that is sent as JSON. */
  readonly body?: unknown
}

export interface SimExchange {
  /** "GET /zones", "* /zones/1", or a test of the request. Paths are compared without the query. */
  readonly on: string | ((request: HttpRequest) => boolean)
  /** "reset" = it did not arrive, "hang" = no answer within the timeout. */
  readonly answer: SimAnswer | ((request: HttpRequest) => SimAnswer) | "reset" | "hang"
  /** The answer is computed, with its effects, and then lost. */
  readonly loseReply?: boolean
  readonly delayMs?: number
  /** How many requests it answers; all when missing. */
  readonly times?: number
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD"])

export class SimHttp implements Http {
  readonly #clock: Clock
  readonly #exchanges: { readonly exchange: SimExchange; left: number }[] = []
  readonly #requests: HttpRequest[] = []

  constructor(clock: Clock, exchanges: readonly SimExchange[] = []) {
    this.#clock = clock
    for (const exchange of exchanges) this.script(exchange)
  }

  /** Every request that arrived, oldest first. */
  get requests(): readonly HttpRequest[] {
    return this.#requests
  }

  /** Adds an exchange; earlier ones are tried first. */
  script(exchange: SimExchange): void {
    this.#exchanges.push({ exchange, left: exchange.times ?? Number.POSITIVE_INFINITY })
  }

  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    signal.throwIfAborted()
    this.#requests.push(request)
    const found = this.#exchanges.find((one) => one.left > 0 && matches(one.exchange, request))
    const title = `${request.method} ${request.url}`
    if (found === undefined) throw simFault("SPT-SIM-005", { what: title })
    found.left--
    const { answer, delayMs, loseReply } = found.exchange
    await this.#delay(
      answer === "hang" ? Number.POSITIVE_INFINITY : (delayMs ?? 0),
      request,
      signal,
    )
    if (answer === "reset" || answer === "hang") throw reset(title)
    const given = typeof answer === "function" ? answer(request) : answer
    if (loseReply === true) throw reset(title)
    return toResponse(given)
  }

  /** The handle for observing: only GET and HEAD leave. */
  reading(): Http {
    return {
      request: async (request, signal) => {
        if (readingMethods.has(request.method)) return this.request(request, signal)
        const what = "a reading handle only reads"
        throw simFault("SPT-SIM-003", { where: `${request.method} ${request.url}`, what })
      },
    }
  }

  async #delay(ms: number, request: HttpRequest, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return
    const limitMs = request.timeoutMs ?? 30_000
    const ended = await sleep(this.#clock, Math.min(ms, limitMs), signal)
    if (!ended) signal.throwIfAborted()
    if (ms <= limitMs) return
    const what = `no answer within ${limitMs} ms`
    throw simFault("SPT-SIM-003", { where: `${request.method} ${request.url}`, what })
  }
}

function matches(exchange: SimExchange, request: HttpRequest): boolean {
  if (typeof exchange.on === "function") return exchange.on(request)
  const [method, path] = exchange.on.split(" ")
  if (method !== "*" && method !== request.method) return false
  return URL.canParse(request.url) && new URL(request.url).pathname === path
}

function reset(where: string) {
  return simFault("SPT-SIM-003", { where, what: "the connection was reset" })
}

function toResponse(answer: SimAnswer): HttpResponse {
  const { status, headers = {}, body = "" } = answer
  return { status, headers, body: typeof body === "string" ? body : jsonText(body) }
}
