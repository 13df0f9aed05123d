// A request and its answer, whatever way they come: the part of node's classes that the API uses,
// so that everything behind the listeners is written once.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { ClientCertificate } from "./authenticate.ts"

/** What all requests of one connection share. */
export interface ApiConnection {
  readonly remoteAddress?: string | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  /** Of a client that holds the key of one that our own authority signed. */
  readonly certificate?: ClientCertificate | undefined
}

export interface ApiRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn: where one header may come more than once. */
  readonly rawHeaders: readonly string[]
  /** The body was read to its end. */
  readonly complete: boolean
  readonly httpVersionMajor: number
  readonly socket: ApiConnection
  /** The body, where it came along with the rest; as text when it is ASCII. */
  readonly whole?: string | Buffer | undefined
  readonly destroyed: boolean
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown
  on(event: "end" | "close", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown
  once(event: "end" | "close", listener: () => void): unknown
  once(event: "error", listener: (error: Error) => void): unknown
  pause(): unknown
}

export interface ApiResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  setHeader(name: string, value: number | string | readonly string[]): void
  hasHeader(name: string): boolean
  writeHead(status: number, headers: OutgoingHttpHeaders): void
  flushHeaders(): void
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): void
  destroy(): void
  once(event: string, listener: (...args: readonly unknown[]) => void): void
  on(event: string, listener: (...args: readonly unknown[]) => void): void
}
