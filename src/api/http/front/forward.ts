// The front's side of each exchange: requests to the thread that answers, its words to the client.
// A small body goes along with its request, within a bound for all of them; a large one is handed
// over piece by piece once it is asked for, so that nobody makes us hold what nobody wants to read.

import type { Deadlines } from "../deadlines.ts"
import { peerCertificate } from "./certificate.ts"
import { ChunkWriter, drainOf } from "./chunk-writer.ts"
import { ClientConnection, type FrontExchange } from "./client-connection.ts"
import type { FrontRequest, FrontResponse } from "./front-request.ts"
import { type Gathered, Gathering } from "./gathering.ts"
import {
  type Bytes,
  type FromFront,
  ownBytes,
  packBody,
  type RequestHead,
  type ToFront,
} from "./messages.ts"
import type { Outbox } from "./outbox.ts"
import { NumberedPlaces } from "./places.ts"
import { isRemembered, sameHead } from "./same-head.ts"
import { Unread } from "./unread.ts"

/** What comes along with its request; more has to be asked for. */
const wholeBytesMax = 64 * 1024

type ToOne = Extract<ToFront, readonly [string, number, ...unknown[]]>
type ToExchange = ToOne | Extract<ToFront, readonly ["write", ...unknown[]]>

const ignore = () => {}

export class Forwarder {
  readonly #outbox: Outbox<FromFront>
  readonly #bodyMax: number
  readonly #gathering: Gathering
  readonly #connections = new WeakMap<object, ClientConnection>()
  /** Until the answer is whole or the client gone. */
  readonly #exchanges = new NumberedPlaces<FrontExchange>()
  readonly #chunks = new ChunkWriter()
  readonly #unread: Unread
  #connectionCount = 0

  /** `deadlines`: within which a small body has to come over HTTP/2. */
  constructor(
    outbox: Outbox<FromFront>,
    bodyMax: number,
    deadlines: Deadlines,
    unread = new Unread(),
  ) {
    this.#unread = unread
    this.#outbox = outbox
    this.#bodyMax = bodyMax
    this.#gathering = new Gathering(deadlines)
  }

  forward(request: FrontRequest, response: FrontResponse): void {
    try {
      response.on("error", ignore) // A client that goes away mid-answer is its own affair.
      const connection = this.#connectionOf(request)
      if (connection === undefined || connection.isClosed) return
      if (connection.isFull) connection.hold(request, response)
      else this.#begin(connection, request, response)
    } catch {
      // What can't be read is no reason to lose everybody else's connection.
      response.destroy()
    }
  }

  hear(message: ToExchange): void {
    if (message[0] !== "write") {
      this.#with(message[1], (exchange) => this.#carryOut(message, exchange))
      return
    }
    const write = this.#chunks.writing(message[2])
    for (const id of message[1]) this.#with(id, ({ response }) => write(response))
  }

  /** Once a turn, after everything that was to be heard. */
  flush(): void {
    this.#chunks.flush()
  }

  #with(id: number, act: (exchange: FrontExchange) => void): void {
    const exchange = this.#exchanges.get(id)
    if (exchange === undefined) return
    try {
      act(exchange)
    } catch {
      // Nor is what can't be sent.
      exchange.response.destroy()
      this.#gone(exchange)
    }
  }

  #carryOut(message: ToOne, exchange: FrontExchange): void {
    const { request, response } = exchange
    const [kind] = message
    if (kind === "answer" || kind === "end" || kind === "destroy") this.#leave(exchange)
    if (kind === "answer") {
      response.writeHead(message[2], message[3])
      end(response, message[4])
      this.#unread.note(response, message[4].length)
    } else if (kind === "head") {
      response.writeHead(message[2], message[3])
      response.flushHeaders()
    } else if (kind === "end") response.end()
    else if (kind === "destroy") response.destroy()
    else if (kind === "mark") this.#mark(exchange)
    else if (kind === "read") this.#read(exchange)
    else request.pause()
  }

  #begin(connection: ClientConnection, request: FrontRequest, response: FrontResponse): void {
    const exchange: FrontExchange = { id: 0, connection, request, response, body: undefined }
    exchange.id = this.#exchanges.add(exchange)
    connection.underWay.push(exchange)
    response.on("close", () => this.#gone(exchange))
    const size = bodySize(request)
    if (size !== undefined && size > 0 && size <= wholeBytesMax) {
      const tell = (gathered: Gathered) => this.#gathered(exchange, gathered)
      exchange.body = this.#gathering.begin(request, size, tell)
    }
    if (exchange.body === undefined) this.#handOver(exchange, size === 0 ? "" : undefined)
  }

  #gathered(exchange: FrontExchange, gathered: Gathered): void {
    exchange.body = undefined
    if (typeof gathered === "object") this.#handOver(exchange, packBody(gathered))
    else {
      this.#leave(exchange)
      refuse(exchange, gathered)
    }
  }

  #handOver(exchange: FrontExchange, body: Bytes | undefined): void {
    const { id, connection, request } = exchange
    const head = headOf(connection, request)
    const { httpVersionMajor: version, method = "GET", url = "/" } = request
    this.#outbox.say(["request", id, connection.id, version, method, url, head, body])
  }

  /** False when it was over before. */
  #leave(exchange: FrontExchange): boolean {
    if (!this.#exchanges.delete(exchange.id)) return false
    const { connection } = exchange
    connection.remove(exchange)
    const next = connection.next()
    if (next !== undefined) this.#begin(connection, ...next)
    return true
  }

  #gone(exchange: FrontExchange): void {
    if (this.#exchanges.get(exchange.id) !== exchange) return
    // Said before its place is taken by what waits: its number is found by its place.
    if (exchange.body === undefined) this.#outbox.say(["gone", exchange.id])
    else exchange.body.stop()
    this.#leave(exchange)
  }

  /** Undefined when it ended before its request was looked at. */
  #connectionOf({ socket, stream, httpVersionMajor }: FrontRequest): ClientConnection | undefined {
    const isSerial = httpVersionMajor < 2
    // Over HTTP/2 a stream's socket closes with the stream.
    const key = isSerial ? socket : stream?.session
    if (key === undefined) return undefined
    const known = this.#connections.get(key)
    if (known !== undefined) return known
    const connection = new ClientConnection(++this.#connectionCount, isSerial ? socket : undefined)
    this.#connections.set(key, connection)
    const { remoteAddress, localAddress } = socket
    const certificate = peerCertificate(socket)
    this.#outbox.say(["connected", connection.id, remoteAddress, localAddress, certificate])
    key.once("close", () => this.#close(connection))
    return connection
  }

  /** Not every node tells responses whose turn has not come. */
  #close(connection: ClientConnection): void {
    connection.close()
    for (const exchange of [...connection.underWay]) this.#gone(exchange)
    this.#outbox.say(["disconnected", connection.id])
  }

  #mark({ id, response }: FrontExchange): void {
    const say = () => this.#outbox.say(["drained", id])
    const drain = drainOf(response)
    if (drain.writableNeedDrain === true) drain.once("drain", say)
    else say()
  }

  #read(exchange: FrontExchange): void {
    const { id, request } = exchange
    const isUnderWay = () => this.#exchanges.get(id) === exchange
    let size = 0
    request.on("data", (chunk) => {
      if (!isUnderWay()) return
      size += chunk.byteLength
      this.#outbox.say(["chunk", id, ownBytes(chunk)])
      // Enough for the other side to see that it is too much.
      if (size > this.#bodyMax) request.pause()
    })
    request.on("error", ignore)
    request.on("end", () => {
      // Over HTTP/2 what breaks off ends as well.
      if (isUnderWay() && !request.aborted) this.#outbox.say(["end", id])
    })
  }
}

function refuse({ response }: FrontExchange, why: "late" | "broken"): void {
  if (why === "broken") response.destroy()
  else {
    response.writeHead(408, {})
    response.end()
  }
}

function headOf(
  connection: ClientConnection,
  { rawHeaders: raw, headers }: FrontRequest,
): RequestHead {
  const difference = sameHead(connection.raw, raw)
  if (difference === "same") return undefined
  connection.raw = difference === "other" && !isRemembered(raw) ? [] : raw
  return difference === "other" ? { headers: { ...headers }, raw } : difference
}

/** Undefined when it does not say. */
function bodySize({ headers, stream, httpVersionMajor }: FrontRequest): number | undefined {
  const length = headers["content-length"]
  if (length !== undefined) return Number.isSafeInteger(Number(length)) ? Number(length) : undefined
  if (httpVersionMajor > 1) return stream?.endAfterHeaders === true ? 0 : undefined
  return headers["transfer-encoding"] === undefined ? 0 : undefined
}

function end(response: FrontResponse, bytes: Bytes): void {
  if (bytes.length === 0) response.end()
  else if (typeof bytes === "string") response.end(bytes, "latin1")
  else response.end(bytes)
}
