// Requests to one plane over a unix socket or a URL: connection reuse, deadlines, bounded answers,
// and failures as faults. Knows nothing of verbs.

import { Agent, type IncomingMessage, request as startRequest } from "node:http"
import { isFault } from "../../base/faults.ts"
import type { Json } from "../../base/json.ts"
import { clientFault } from "../faults.ts"
import { faultFromStatus, isStatus } from "../status-fault.ts"

export interface HttpClientOptions {
  /** Where the plane listens: a unix socket ... */
  readonly socketPath?: string
  /** ... or "http://127.0.0.1:PORT". */
  readonly url?: string
  readonly token: string
  readonly timeoutMs?: number
  readonly answerBytesMax?: number
}

export interface HttpCall {
  readonly method: string
  readonly path: string
  readonly body?: Json | object | undefined
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export class HttpConnection {
  readonly #options: HttpClientOptions
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 8 })
  readonly #where: string

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#where = options.socketPath ?? options.url ?? "no address"
  }

  get where(): string {
    return this.#where
  }

  /** The parsed answer; a Status of failure is thrown as the fault it came from. */
  async call(call: HttpCall): Promise<Json> {
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
  open(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
    const { socketPath, url, token } = this.#options
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
    const base = url === undefined ? undefined : new URL(url)
    const place =
      socketPath === undefined ? { host: base?.hostname, port: base?.port } : { socketPath }
    return new Promise((resolve, reject) => {
      const request = startRequest({
        ...place,
        method: call.method,
        path: call.path,
        agent: this.#agent,
        signal,
        headers: {
          host: "setpoint",
          accept: "application/json",
          authorization: `Bearer ${token}`,
          ...(body === undefined
            ? {}
            : {
                "content-type": call.contentType ?? "application/json",
                "content-length": body.byteLength,
              }),
          ...call.headers,
        },
      })
      request.once("response", resolve)
      request.once("error", (error) => {
        if (signal.aborted) reject(error)
        else {
          const details = { where: this.#where, why: reasonOf(error) }
          reject(clientFault("SPT-CLIENT-002", details, error))
        }
      })
      request.end(body)
    })
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
      value = JSON.parse(text)
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
