// One connection of a client: its headers of last time, what is under way on it, and what waits.
// A client of HTTP/1.1 may send request after request without reading an answer. Answers go out in
// order, so a few requests at once are enough; while more wait nothing is read from its socket.

import type { Socket } from "node:net"
import type { FrontRequest, FrontResponse } from "./front-request.ts"
import type { SmallBody } from "./gathering.ts"
import type { FlatHead } from "./messages.ts"

/** One request until its answer is whole or its client gone. */
export interface FrontExchange {
  id: number
  readonly connection: ClientConnection
  readonly request: FrontRequest
  readonly response: FrontResponse
  /** While it is on its way; nobody was told of the request yet. */
  body: SmallBody | undefined
}

type Waiting = readonly [request: FrontRequest, response: FrontResponse]

const atOnceMax = 8
/** Nothing is read from a socket meanwhile, so its end would not be seen either. */
const heldMs = 60_000

export class ClientConnection {
  readonly id: number
  /** Of the request before. */
  raw: FlatHead = []
  /** Few, or as many as a connection of HTTP/2 may have streams. */
  readonly underWay: FrontExchange[] = []
  isClosed = false
  /** Over HTTP/1.1, where nothing else bounds it. */
  readonly #socket: Socket | undefined
  #waiting: Waiting[] = []
  #isHeard = false
  /** Ends a connection none of whose requests is answered for long while more wait. */
  #late: NodeJS.Timeout | undefined

  constructor(id: number, socket: Socket | undefined) {
    this.id = id
    this.#socket = socket
  }

  get isFull(): boolean {
    return this.#socket !== undefined && this.underWay.length >= atOnceMax
  }

  hold(request: FrontRequest, response: FrontResponse): void {
    this.#waiting.push([request, response])
    const socket = this.#socket
    if (socket === undefined) return
    socket.pause()
    if (this.#late === undefined) this.#hurry(socket)
    if (this.#isHeard) return
    this.#isHeard = true
    // Node reads on after each answer.
    socket.on("resume", () => {
      if (this.#waiting.length > 0) socket.pause()
    })
  }

  /** The one that waits longest, when there is room for it. */
  next(): Waiting | undefined {
    if (this.isClosed || this.#waiting.length === 0 || this.isFull) return undefined
    if (this.#socket?.destroyed === true) return undefined
    const next = this.#waiting.shift()
    this.#calm()
    if (this.#waiting.length === 0) this.#socket?.resume()
    else if (this.#socket !== undefined) this.#hurry(this.#socket)
    return next
  }

  remove(exchange: FrontExchange): void {
    const at = this.underWay.indexOf(exchange)
    const last = this.underWay.pop()
    if (last !== undefined && last !== exchange) this.underWay[at] = last
  }

  close(): void {
    this.isClosed = true
    this.#waiting = []
    this.#calm()
  }

  #hurry(socket: Socket): void {
    this.#late = setTimeout(() => socket.destroy(), heldMs).unref()
  }

  #calm(): void {
    clearTimeout(this.#late)
    this.#late = undefined
  }
}
