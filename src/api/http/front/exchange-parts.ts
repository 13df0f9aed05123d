// The answering side of an exchange: a request and its response as the API knows them, made from
// what the front says. Only what the API uses of node's classes is here.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { ApiConnection, ApiRequest, ApiResponse } from "../exchange.ts"
import type { AnswerBox } from "./answer-box.ts"
import { type AnswerHead, asBuffer, type Bytes, type FlatHead, packBytes } from "./messages.ts"

type Listener = (...args: never) => void

/** So many bytes may be on their way to the front before a writer has to wait. */
const aheadBytesMax = 64 * 1024

/** Handlers of a few events; most requests have none. */
class Handlers {
  #all: { readonly event: string; readonly call: Listener; readonly once: boolean }[] = []

  add(event: string, call: Listener, once: boolean): void {
    this.#all.push({ event, call, once })
  }

  remove(event: string, call: Listener): void {
    this.#all = this.#all.filter((one) => one.event !== event || one.call !== call)
  }

  emit(event: string, ...args: readonly unknown[]): void {
    const due = this.#all.filter((one) => one.event === event)
    if (due.length === 0) return
    this.#all = this.#all.filter((one) => one.event !== event || !one.once)
    for (const { call } of due) (call as (...given: readonly unknown[]) => void)(...args)
  }
}

export interface RequestParts {
  readonly id: number
  readonly socket: ApiConnection
  readonly httpVersionMajor: number
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: FlatHead
  readonly whole: string | Buffer | undefined
}

export class ForwardedRequest implements ApiRequest {
  readonly socket: ApiConnection
  readonly httpVersionMajor: number
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: FlatHead
  readonly whole: string | Buffer | undefined
  readonly #id: number
  readonly #outbox: AnswerBox
  #handlers: Handlers | undefined
  #isAsked = false
  complete: boolean
  destroyed = false

  constructor(parts: RequestParts, outbox: AnswerBox) {
    this.#id = parts.id
    this.#outbox = outbox
    this.socket = parts.socket
    this.httpVersionMajor = parts.httpVersionMajor
    this.method = parts.method
    this.url = parts.url
    this.headers = parts.headers
    this.rawHeaders = parts.rawHeaders
    this.whole = parts.whole
    this.complete = parts.whole !== undefined
  }

  on(event: string, listener: Listener): void {
    this.#listen(event, listener, false)
  }

  once(event: string, listener: Listener): void {
    this.#listen(event, listener, true)
  }

  off(event: string, listener: Listener): void {
    this.#handlers?.remove(event, listener)
  }

  pause(): void {
    if (this.whole === undefined) this.#outbox.say(["pause", this.#id])
  }

  chunk(bytes: Uint8Array): void {
    this.#handlers?.emit("data", asBuffer(bytes))
  }

  end(): void {
    this.complete = true
    this.#handlers?.emit("end")
  }

  gone(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#handlers?.emit("close")
  }

  #listen(event: string, listener: Listener, once: boolean): void {
    this.#handlers ??= new Handlers()
    this.#handlers.add(event, listener, once)
    if (event !== "data" || this.#isAsked) return
    this.#isAsked = true
    const { whole } = this
    if (whole === undefined) {
      this.#outbox.say(["read", this.#id])
      return
    }
    // Whoever listens may have more to listen for.
    queueMicrotask(() => {
      if (whole.length > 0) this.#handlers?.emit("data", Buffer.from(whole))
      this.end()
    })
  }
}

export class ForwardedResponse implements ApiResponse {
  readonly #id: number
  readonly #outbox: AnswerBox
  readonly #ended: (id: number) => void
  #handlers: Handlers | undefined
  #set: Record<string, number | string | string[]> | undefined
  #head: AnswerHead | undefined
  #ahead = 0
  statusCode = 200
  headersSent = false
  destroyed = false

  constructor(id: number, outbox: AnswerBox, ended: (id: number) => void) {
    this.#id = id
    this.#outbox = outbox
    this.#ended = ended
  }

  setHeader(name: string, value: number | string | readonly string[]): void {
    this.#set ??= {}
    this.#set[name.toLowerCase()] = typeof value === "object" ? [...value] : value
  }

  hasHeader(name: string): boolean {
    return this.#set !== undefined && Object.hasOwn(this.#set, name.toLowerCase())
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    this.statusCode = status
    this.#head = flatHead(this.#set === undefined ? headers : { ...this.#set, ...headers })
    this.headersSent = true
  }

  flushHeaders(): void {
    const head = this.#head
    if (head === undefined || this.destroyed) return
    this.#head = undefined
    this.#outbox.say(["head", this.#id, this.statusCode, head])
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.destroyed) return false
    this.flushHeaders()
    const before = this.#ahead
    this.#ahead += this.#outbox.write(this.#id, chunk)
    if (before < aheadBytesMax && this.#ahead >= aheadBytesMax) {
      this.#outbox.say(["mark", this.#id])
    }
    return this.#ahead < aheadBytesMax
  }

  end(chunk?: string | Uint8Array): void {
    if (this.destroyed) return
    const head = this.#head
    if (head !== undefined) {
      const body: Bytes = chunk === undefined ? "" : packBytes(chunk)
      this.#outbox.say(["answer", this.#id, this.statusCode, head, body])
    } else {
      if (chunk !== undefined) this.write(chunk)
      this.#outbox.say(["end", this.#id])
    }
    this.#close()
  }

  destroy(): void {
    if (this.destroyed) return
    this.#outbox.say(["destroy", this.#id])
    this.#close()
  }

  on(event: string, listener: Listener): void {
    this.#listen(event, listener, false)
  }

  once(event: string, listener: Listener): void {
    this.#listen(event, listener, true)
  }

  drained(): void {
    this.#ahead = 0
    this.#handlers?.emit("drain")
  }

  gone(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#handlers?.emit("close")
  }

  #listen(event: string, listener: Listener, once: boolean): void {
    // Errors of the connection stay with the front: here they are a client that is gone.
    if (event === "error") return
    this.#handlers ??= new Handlers()
    this.#handlers.add(event, listener, once)
  }

  #close(): void {
    this.#ended(this.#id)
    this.gone()
  }
}

function flatHead(headers: OutgoingHttpHeaders): AnswerHead {
  const flat: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === "object") return headers
    if (value !== undefined) flat.push(name, String(value))
  }
  return flat
}
