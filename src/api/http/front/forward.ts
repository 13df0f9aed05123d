// The front's side of each exchange: requests to the thread that answers, its words to the client.
// A small body goes along with its request; a large one is handed over piece by piece once it is
// asked for, so that nobody who may not send it makes us hold it.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { peerCertificate } from "./certificate.ts"
import type { Bytes, FromFront, RequestHead, ToFront } from "./messages.ts"
import type { Outbox } from "./outbox.ts"
import { sameHead } from "./same-head.ts"

interface Closing {
  once(event: "close", listener: () => void): unknown
}

/** The part of node's requests that the front uses, over HTTP/1.1 and HTTP/2. */
export interface FrontRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly complete: boolean
  readonly httpVersionMajor: number
  readonly socket: Socket
  /** Over HTTP/2. */
  readonly stream?: { readonly session?: Closing | undefined; readonly endAfterHeaders?: boolean }
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "close", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
  pause(): unknown
}

/** The part of node's responses that the front uses. */
export interface FrontResponse {
  readonly headersSent: boolean
  readonly writableNeedDrain?: boolean
  writeHead(status: number, head: OutgoingHttpHeaders | string[]): unknown
  flushHeaders(): void
  write(chunk: string, encoding: "latin1"): boolean
  write(chunk: Uint8Array): boolean
  end(chunk: string, encoding: "latin1"): unknown
  end(chunk: Uint8Array): unknown
  end(): unknown
  destroy(): unknown
  on(event: "close" | "error", listener: (...args: readonly unknown[]) => void): unknown
  once(event: "drain", listener: () => void): unknown
}

interface Connection {
  readonly id: number
  /** Of the request before. */
  raw: readonly string[]
}

interface Exchange {
  readonly request: FrontRequest
  readonly response: FrontResponse
}

/** What comes along with its request; more has to be asked for. */
const wholeBytesMax = 64 * 1024
/** Of all bodies that are not whole yet: who sends them is not known. */
const gatheringBytesMax = 64 * 1024 * 1024

type About = Extract<ToFront, readonly [string, number, ...unknown[]]>

export class Forwarder {
  readonly #outbox: Outbox<FromFront>
  readonly #bodyMax: number
  readonly #connections = new WeakMap<object, Connection>()
  /** Until the answer is whole or the client gone. */
  readonly #exchanges = new Map<number, Exchange>()
  #gathering = 0
  #connectionCount = 0
  #requestCount = 0

  constructor(outbox: Outbox<FromFront>, bodyMax: number) {
    this.#outbox = outbox
    this.#bodyMax = bodyMax
  }

  forward(request: FrontRequest, response: FrontResponse): void {
    const size = bodySize(request)
    if (size === 0) this.#handOver(request, response, "")
    else if (size === undefined || size > wholeBytesMax || !this.#gather(request, size, response)) {
      this.#handOver(request, response, undefined)
    }
  }

  hear(message: About): void {
    const exchange = this.#exchanges.get(message[1])
    if (exchange === undefined) return
    try {
      this.#carryOut(message, exchange)
    } catch {
      // What can't be sent is no reason to lose everybody else's connection.
      exchange.response.destroy()
    }
  }

  #carryOut(message: About, { request, response }: Exchange): void {
    const [kind, id] = message
    if (kind === "answer" || kind === "end" || kind === "destroy") this.#exchanges.delete(id)
    if (kind === "answer") {
      response.writeHead(message[2], message[3])
      end(response, message[4])
    } else if (kind === "head") {
      response.writeHead(message[2], message[3])
      response.flushHeaders()
    } else if (kind === "write") write(response, message[2])
    else if (kind === "end") response.end()
    else if (kind === "destroy") response.destroy()
    else if (kind === "mark") this.#mark(id, response)
    else if (kind === "read") this.#read(id, request)
    else request.pause()
  }

  /** Waits for a small body; false when too many are waited for. */
  #gather(request: FrontRequest, size: number, response: FrontResponse): boolean {
    if (this.#gathering + size > gatheringBytesMax) return false
    this.#gathering += size
    const chunks: Buffer[] = []
    let isWhole = false
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", () => {
      isWhole = true
      this.#gathering -= size
      this.#handOver(request, response, this.#joined(chunks))
    })
    // Whoever breaks off before has asked for nothing yet.
    request.on("close", () => {
      if (!isWhole) this.#gathering -= size
    })
    return true
  }

  #joined(chunks: readonly Buffer[]): Bytes {
    const [first] = chunks
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
    return this.#outbox.packBody(bytes)
  }

  #handOver(request: FrontRequest, response: FrontResponse, body: Bytes | undefined): void {
    const id = ++this.#requestCount
    const connection = this.#connectionOf(request)
    const head = this.#headOf(connection, request)
    this.#exchanges.set(id, { request, response })
    response.on("error", () => {}) // A client that goes away mid-answer is its own affair.
    response.on("close", () => {
      if (this.#exchanges.delete(id)) this.#outbox.say(["gone", id])
    })
    const { httpVersionMajor: version, method = "GET", url = "/" } = request
    this.#outbox.say(["request", id, connection.id, version, method, url, head, body])
  }

  #headOf(connection: Connection, { rawHeaders: raw, headers }: FrontRequest): RequestHead {
    const difference = sameHead(connection.raw, raw)
    if (difference === "same") return undefined
    connection.raw = raw
    return difference === "other" ? { headers: { ...headers }, raw } : difference
  }

  #connectionOf({ socket, stream }: FrontRequest): Connection {
    const key = stream?.session ?? socket
    const known = this.#connections.get(key)
    if (known !== undefined) return known
    const id = ++this.#connectionCount
    const connection = { id, raw: [] }
    this.#connections.set(key, connection)
    const { remoteAddress, localAddress } = socket
    this.#outbox.say(["connected", id, remoteAddress, localAddress, peerCertificate(socket)])
    // Over HTTP/2 a stream's socket closes with the stream.
    key.once("close", () => this.#outbox.say(["disconnected", id]))
    return connection
  }

  #mark(id: number, response: FrontResponse): void {
    const say = () => this.#outbox.say(["drained", id])
    if (response.writableNeedDrain === true) response.once("drain", say)
    else say()
  }

  #read(id: number, request: FrontRequest): void {
    let size = 0
    request.on("data", (chunk) => {
      size += chunk.byteLength
      this.#outbox.say(["chunk", id, new Uint8Array(chunk)])
      // Enough for the other side to see that it is too much.
      if (size > this.#bodyMax) request.pause()
    })
    request.on("end", () => this.#outbox.say(["end", id]))
    request.on("error", () => {})
    request.on("close", () => {
      if (!request.complete) this.#outbox.say(["gone", id])
    })
  }
}

/** Undefined when it does not say. */
function bodySize({ headers, stream, httpVersionMajor }: FrontRequest): number | undefined {
  const length = headers["content-length"]
  if (length !== undefined) return Number(length)
  if (httpVersionMajor > 1) return stream?.endAfterHeaders === true ? 0 : undefined
  return headers["transfer-encoding"] === undefined ? 0 : undefined
}

function write(response: FrontResponse, bytes: Bytes): void {
  if (typeof bytes === "string") response.write(bytes, "latin1")
  else response.write(bytes)
}

function end(response: FrontResponse, bytes: Bytes): void {
  if (bytes.length === 0) response.end()
  else if (typeof bytes === "string") response.end(bytes, "latin1")
  else response.end(bytes)
}
