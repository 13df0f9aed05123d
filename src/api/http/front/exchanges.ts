// All exchanges that a front has under way: its words become requests, and find those they belong
// to.

import type { IncomingHttpHeaders } from "node:http"
import type { ApiConnection } from "../exchange.ts"
import type { OnRequest } from "../listener.ts"
import { requestFailed } from "../request-failed.ts"
import type { AnswerBox } from "./answer-box.ts"
import { ForwardedRequest, ForwardedResponse } from "./exchange-parts.ts"
import type { FlatHead, FromFront, RequestHead } from "./messages.ts"
import { asBuffer } from "./messages.ts"
import { Places } from "./places.ts"
import { isRemembered } from "./same-head.ts"

interface Connection {
  readonly shared: ApiConnection
  /** Of its last request, when they were few. */
  headers: IncomingHttpHeaders
  raw: FlatHead
}

interface Exchange {
  readonly request: ForwardedRequest
  readonly response: ForwardedResponse
}

type Asked = Extract<FromFront, readonly ["request", ...unknown[]]>

export class Exchanges {
  readonly #outbox: AnswerBox
  readonly #onRequest: OnRequest
  readonly #connections = new Map<number, Connection>()
  /** Until the answer is whole or the client gone. */
  readonly #running = new Places<Exchange>()
  /** A body that was not read is read by nobody any more: whoever waits for it hears so. */
  readonly #ended = (id: number): void => {
    const exchange = this.#running.get(id)
    if (exchange === undefined) return
    this.#running.delete(id)
    if (!exchange.request.complete) exchange.request.gone()
  }

  constructor(outbox: AnswerBox, onRequest: OnRequest) {
    this.#outbox = outbox
    this.#onRequest = onRequest
  }

  hear(message: FromFront): void {
    try {
      this.#take(message)
    } catch (error) {
      const [kind, id] = message
      const isOfOne = kind !== "connected" && typeof id === "number"
      requestFailed(error, isOfOne ? this.#running.get(id)?.response : undefined)
    }
  }

  /** The front is gone, and with it everybody who waited for an answer. */
  lose(): void {
    for (const id of this.#running.numbers()) this.#gone(id)
    this.#connections.clear()
  }

  #take(message: FromFront): void {
    const [kind] = message
    if (kind === "request") this.#begin(message)
    else if (kind === "connected") {
      const [, id, remoteAddress, localAddress, certificate] = message
      const shared = { remoteAddress, localAddress, certificate }
      this.#connections.set(id, { shared, headers: {}, raw: [] })
    } else if (kind === "disconnected") this.#connections.delete(message[1])
    else if (kind === "chunk") this.#running.get(message[1])?.request.chunk(message[2])
    else if (kind === "end") this.#running.get(message[1])?.request.end()
    else if (kind === "drained") this.#running.get(message[1])?.response.drained()
    else if (kind === "gone") this.#gone(message[1])
  }

  #begin([, id, connection, version, method, url, head, body]: Asked): void {
    const known = this.#connections.get(connection)
    if (known === undefined) return
    const request = new ForwardedRequest(
      {
        ...{ id, socket: known.shared, httpVersionMajor: version, method, url },
        ...headOf(known, head),
        whole: typeof body === "object" ? asBuffer(body) : body,
      },
      this.#outbox,
    )
    const response = new ForwardedResponse(id, this.#outbox, this.#ended)
    this.#running.set(id, { request, response })
    this.#onRequest(request, response)
  }

  #gone(id: number): void {
    const exchange = this.#running.get(id)
    if (exchange === undefined) return
    this.#running.delete(id)
    exchange.request.gone()
    exchange.response.gone()
  }
}

function headOf(
  connection: Connection,
  head: RequestHead,
): { readonly headers: IncomingHttpHeaders; readonly rawHeaders: FlatHead } {
  if (head !== undefined && "raw" in head) {
    const { headers, raw } = head
    const isKept = isRemembered(raw)
    connection.headers = isKept ? headers : {}
    connection.raw = isKept ? raw : []
    return { headers, rawHeaders: raw }
  }
  if (head !== undefined) {
    connection.headers = { ...connection.headers, "content-length": head.length }
    connection.raw = connection.raw.with(head.at, head.length)
  }
  return { headers: connection.headers, rawHeaders: connection.raw }
}
