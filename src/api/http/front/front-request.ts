// The part of node's requests and responses that the front uses, over HTTP/1.1 and HTTP/2.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"

interface Closing {
  once(event: "close", listener: () => void): unknown
}

interface AnswerStream extends Draining {
  readonly writableNeedDrain: boolean
  setTimeout(ms: number, expire: () => void): unknown
  close(code: number): void
}

interface Draining {
  once(event: "drain", listener: () => void): unknown
}

export interface FrontRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  /** Whoever sent it broke it off. */
  readonly aborted: boolean
  readonly httpVersionMajor: number
  readonly socket: Socket
  /** Over HTTP/2; without a session when it ended before anybody looked at it. */
  readonly stream?: { readonly session?: Closing | undefined; readonly endAfterHeaders?: boolean }
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
  pause(): unknown
}

export interface FrontResponse extends Draining {
  readonly headersSent: boolean
  readonly writableNeedDrain?: boolean
  /** Bytes that have not gone out. */
  readonly writableLength?: number
  /** Over HTTP/2; says by itself whether it is full: not every node's response does. */
  readonly stream?: AnswerStream
  /** Over HTTP/1.1, from when its turn has come. */
  readonly socket?: Socket | null
  /** Over HTTP/1.1: its bytes go as chunks. */
  readonly chunkedEncoding?: boolean
  writeHead(status: number, head: OutgoingHttpHeaders | string[]): unknown
  flushHeaders(): void
  write(chunk: string, encoding: "latin1"): boolean
  write(chunk: Uint8Array): boolean
  end(chunk: string, encoding: "latin1"): unknown
  end(chunk: Uint8Array): unknown
  end(): unknown
  destroy(): unknown
  on(event: "close" | "error" | "finish", listener: (...args: readonly unknown[]) => void): unknown
}
