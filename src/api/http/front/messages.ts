// What the thread that speaks TLS and HTTP (the front) and the thread that answers say to each
// other. Everything that is said in one turn goes as one message, in order. Flat lists: they cost
// a fraction of objects on the way. Bytes that are few go as text, one character each (latin1).

import { isAscii } from "node:buffer"
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { ClientCertificate } from "../authenticate.ts"

declare const own: unique symbol

/** Bytes that nobody else holds: their memory moves to the other thread with the message. */
export type OwnBytes = Uint8Array<ArrayBuffer> & { readonly [own]: true }

/** Few bytes as latin1 text, many as themselves. They stand last in their message. */
export type Bytes = string | OwnBytes

/** Names and values in turn. */
export type FlatHead = readonly string[]

/** Of an answer: flat, or as node takes it where a header has several values. */
export type AnswerHead = string[] | OutgoingHttpHeaders

/** The headers of a request, or how they differ from those before it on its connection. */
export type RequestHead =
  | { readonly headers: IncomingHttpHeaders; readonly raw: FlatHead }
  /** The same, but for the length of the body, whose value stands there in the flat list. */
  | { readonly length: string; readonly at: number }
  /** The very same. */
  | undefined

export type FromFront =
  | readonly [kind: "listening", port: number]
  | readonly [kind: "refused", where: string, why: string]
  | readonly [kind: "stopped"]
  | readonly [
      kind: "connected",
      connection: number,
      remoteAddress: string | undefined,
      localAddress: string | undefined,
      certificate: ClientCertificate | undefined,
    ]
  | readonly [kind: "disconnected", connection: number]
  | readonly [
      kind: "request",
      id: number,
      connection: number,
      version: number,
      method: string,
      url: string,
      head: RequestHead,
      /** When it came at once, as text when it is ASCII; undefined when it is to be asked for. */
      body: Bytes | undefined,
    ]
  | readonly [kind: "chunk", id: number, bytes: OwnBytes]
  | readonly [kind: "end", id: number]
  /** The client left before its answer was whole. */
  | readonly [kind: "gone", id: number]
  | readonly [kind: "drained", id: number]

export type ToFront =
  | readonly [kind: "answer", id: number, status: number, head: AnswerHead, body: Bytes]
  | readonly [kind: "head", id: number, status: number, head: AnswerHead]
  /** The same to each of them. */
  | readonly [kind: "write", ids: readonly number[], bytes: Bytes]
  | readonly [kind: "end", id: number]
  | readonly [kind: "destroy", id: number]
  /** Says "drained" as soon as what was written has gone out. */
  | readonly [kind: "mark", id: number]
  /** The body of a request that did not come at once. */
  | readonly [kind: "read", id: number]
  | readonly [kind: "pause", id: number]
  | readonly [kind: "renew", certificate: string, key: string]
  | readonly [kind: "closeIdle"]
  | readonly [kind: "closeAll"]
  | readonly [kind: "stop"]

const textBytesMax = 32 * 1024

/** What is sent may be kept and used again by its owner. */
export function packBytes(chunk: string | Uint8Array): Bytes {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : asBuffer(chunk)
  return bytes.byteLength <= textBytesMax ? bytes.toString("latin1") : ownBytes(bytes)
}

/** Text is what it says; bytes may be anything. */
export function packBody(bytes: Buffer): Bytes {
  return isAscii(bytes) ? bytes.toString("latin1") : ownBytes(bytes)
}

/** A copy: node gives many buffers one memory. */
export function ownBytes(bytes: Uint8Array): OwnBytes {
  return new Uint8Array(bytes) as OwnBytes
}

export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
