// What the thread that speaks TLS and HTTP (the front) and the thread that answers say to each
// other. Everything that is said in one turn goes as one message, in order. Flat lists: they cost
// a fraction of objects on the way. Bytes that are few go as text, one character each (latin1).

import { isAscii } from "node:buffer"
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { ClientCertificate } from "../authenticate.ts"

/** Few bytes as latin1 text, many as themselves. */
export type Bytes = string | Uint8Array

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
  | readonly [kind: "chunk", id: number, bytes: Uint8Array]
  | readonly [kind: "end", id: number]
  /** The client left before its answer was whole. */
  | readonly [kind: "gone", id: number]
  | readonly [kind: "drained", id: number]

export type ToFront =
  | readonly [kind: "answer", id: number, status: number, head: AnswerHead, body: Bytes]
  | readonly [kind: "head", id: number, status: number, head: AnswerHead]
  | readonly [kind: "write", id: number, bytes: Bytes]
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

/** A copy that nobody else holds: what is sent may be kept and used again by its owner. */
export function packBytes(chunk: string | Uint8Array, moved: ArrayBuffer[]): Bytes {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : asBuffer(chunk)
  return bytes.byteLength <= textBytesMax ? bytes.toString("latin1") : copied(bytes, moved)
}

/** Text is what it says; bytes may be anything. */
export function packBody(bytes: Buffer, moved: ArrayBuffer[]): Bytes {
  return isAscii(bytes) ? bytes.toString("latin1") : copied(bytes, moved)
}

function copied(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const copy = new Uint8Array(bytes)
  moved.push(copy.buffer)
  return copy
}

export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
