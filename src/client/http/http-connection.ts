// Requests to one plane over a unix socket or a URL: connection reuse, deadlines, bounded answers,
// and failures as faults. What surely did nothing is tried again for as long as the caller wants.
// Knows nothing of verbs.

import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as startRequest,
} from "node:http"
import { request as startTlsRequest, Agent as TlsAgent } from "node:https"
import { type Fault, isFault } from "../../base/faults.ts"
import type { Json } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import { clientFault } from "../faults.ts"
import { faultFromStatus, isStatus } from "../status-fault.ts"
import { Patience } from "./patience.ts"

/** How a server with TLS is known, and how we are known to it. PEM. */
export interface ClientTls {
  /** The system's authorities when missing. */
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
  readonly serverName?: string
  /** Believes whoever answers. */
  readonly insecure?: boolean
}

export interface HttpClientOptions {
  /** Where the plane listens: a unix socket ... */
  readonly socketPath?: string
  /** ... or "https://HOST:PORT", or "http://127.0.0.1:PORT". */
  readonly url?: string
  readonly tls?: ClientTls
  /** Asked for each request, when it is a function. */
  readonly token?: string | (() => string | undefined)
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly timeoutMs?: number
  readonly answerBytesMax?: number
  /** How long to try again when the plane can't be reached or is busy; 0 when missing. */
  readonly patienceMs?: number
}

export interface HttpCall {
  readonly method: string
  readonly path: string
  readonly body?: Json | object | undefined
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

const agentLimits = { keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }
/** Of those nothing was begun. */
const refusedCodes = ["ECONNREFUSED", "ENOENT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]
const untrusted = /CERT|SIGNATURE|TLS|SSL|ISSUER/
const staleCodes = ["ECONNRESET", "EPIPE"]

export class HttpConnection {
  readonly #options: HttpClientOptions
  readonly #agent: Agent
  readonly #base: URL | undefined
  readonly #where: string

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#base = options.url === undefined ? undefined : new URL(options.url)
    this.#agent = this.#isTls
      ? new TlsAgent({ ...agentLimits, ...tlsOf(options) })
      : new Agent(agentLimits)
    this.#where = options.socketPath ?? options.url ?? "no address"
  }

  get #isTls(): boolean {
    return this.#base?.protocol === "https:"
  }

  get where(): string {
    return this.#where
  }

  patience(): Patience {
    return new Patience(this.#options.patienceMs ?? 0)
  }

  /** The parsed answer; a Status of failure is thrown as the fault it came from. */
  async call(call: HttpCall): Promise<Json> {
    const patience = this.patience()
    for (;;) {
      try {
        return await this.#callOnce(call)
      } catch (error) {
        if (!isFault(error) || !isHarmless(call, error) || !(await patience.again())) throw error
      }
    }
  }

  async #callOnce(call: HttpCall): Promise<Json> {
    const { timeoutMs = 60_000 } = this.#options
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await this.open(call, limit)
      const text = await this.#readText(response)
      return this.#readAnswer(response.statusCode ?? 0, text)
    } catch (error) {
      if (isFault(error)) throw error
      const { where } = this
      if (limit.aborted) throw clientFault("SPT-CLIENT-004", { where, seconds: timeoutMs / 1000 })
      throw clientFault("SPT-CLIENT-003", { where, why: reasonOf(error) }, error)
    }
  }

  /** The answer once its headers are here. */
  async open(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await this.#start(call, signal)
    } catch (error) {
      // The server closed a kept connection while we wrote: that is no answer to a read.
      if (call.method !== "GET" || !(error instanceof StaleConnection)) throw this.#reach(error)
    }
    return this.#start(call, signal).catch((error) => {
      throw this.#reach(error)
    })
  }

  #reach(error: unknown): unknown {
    const cause = error instanceof StaleConnection ? error.cause : error
    if (cause instanceof Error && cause.name === "AbortError") return cause
    return clientFault("SPT-CLIENT-002", { where: this.#where, why: reasonOf(cause) }, cause)
  }

  #start(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
    const { socketPath } = this.#options
    const body = call.body === undefined ? undefined : Buffer.from(jsonText(call.body))
    const base = this.#base
    const host = base?.hostname.replace(/^\[|\]$/g, "")
    const place = socketPath === undefined ? { host, port: base?.port } : { socketPath }
    const prefix = (base?.pathname ?? "").replace(/\/$/, "")
    const start = this.#isTls ? startTlsRequest : startRequest
    return new Promise((resolve, reject) => {
      const request = start({
        ...place,
        method: call.method,
        path: `${prefix}${call.path}`,
        agent: this.#agent,
        signal,
        headers: this.#headers(call, body),
      })
      request.once("response", resolve)
      request.once("error", (error) => {
        const isStale = request.reusedSocket && staleCodes.includes(codeOf(error))
        reject(isStale && !signal.aborted ? new StaleConnection("", { cause: error }) : error)
      })
      request.end(body)
    })
  }

  #headers(call: HttpCall, body: Buffer | undefined): OutgoingHttpHeaders {
    const { token } = this.#options
    const shown = typeof token === "function" ? token() : token
    const type = call.contentType ?? "application/json"
    return {
      // Over a socket there is no host; whoever asks for none is asked for us.
      ...(this.#base === undefined ? { host: "setpoint" } : { host: this.#base.host }),
      accept: "application/json",
      ...(shown === undefined ? {} : { authorization: `Bearer ${shown}` }),
      ...(body === undefined
        ? {}
        : { "content-type": type, "content-length": String(body.byteLength) }),
      ...this.#options.headers,
      ...call.headers,
    }
  }

  async #readText(response: IncomingMessage): Promise<string> {
    const { answerBytesMax = 512 * 1024 * 1024 } = this.#options
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response) {
      size += chunk.length
      if (size > answerBytesMax) {
        response.destroy()
        const why = `it has more than ${answerBytesMax} bytes`
        throw clientFault("SPT-CLIENT-003", { where: this.#where, why })
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString("utf8")
  }

  #readAnswer(status: number, text: string): Json {
    let value: Json
    try {
      value = parseJson(text)
    } catch (error) {
      const why = `status ${status}, and no JSON: ${text.slice(0, 100)}`
      throw clientFault("SPT-CLIENT-003", { where: this.#where, why }, error)
    }
    if (status < 400) return value
    if (isStatus(value)) throw faultFromStatus(value, status)
    const why = `status ${status}`
    throw clientFault("SPT-CLIENT-003", { where: this.#where, why })
  }

  /** Reads an error answer that came instead of a stream. */
  async refuse(response: IncomingMessage): Promise<never> {
    const text = await this.#readText(response)
    this.#readAnswer(response.statusCode ?? 0, text)
    throw clientFault("SPT-CLIENT-003", { where: this.#where, why: "it is no stream" })
  }

  close(): void {
    this.#agent.destroy()
  }
}

class StaleConnection extends Error {}

/** A read, or something of which nothing was begun. */
function isHarmless({ method }: HttpCall, fault: Fault): boolean {
  if (fault.status === 429) return true
  if (fault.code === "SPT-CLIENT-002" && refusedCodes.includes(codeOf(fault.cause))) return true
  return method === "GET" && isPassing(fault)
}

/** Trouble on the way, or of a server that starts or ends. */
export function isPassing(fault: Fault): boolean {
  const { code, status } = fault
  // A server whose certificate is not believed does not become another by waiting.
  if (untrusted.test(codeOf(fault.cause))) return false
  return code === "SPT-CLIENT-002" || [429, 502, 503, 504].includes(status)
}

function tlsOf({ tls = {} }: HttpClientOptions): Record<string, string | boolean> {
  const { authority, certificate, key, serverName, insecure } = tls
  return {
    minVersion: "TLSv1.2",
    ...(authority === undefined ? {} : { ca: authority }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
