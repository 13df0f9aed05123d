// Writes answers: JSON, text or bytes with a length, warnings as Kubernetes sends them, faults as
// Status objects.

import { toFault } from "../../base/faults.ts"
import { at, type Json } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import { statusOf } from "../status-object.ts"
import type { ApiResponse } from "./exchange.ts"

export interface Answer {
  readonly status: number
  /** One of these three, or nothing. */
  readonly body?: Json | object
  readonly text?: string
  readonly bytes?: Uint8Array
  /** Of bytes; JSON and text say it themselves. */
  readonly contentType?: string
  readonly warnings?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Names the request in the log of requests. */
export const auditHeader = "audit-id"

/** All headers in one go where nothing was set before: each set apart is looked at twice. */
export function send(response: ApiResponse, answer: Answer, auditId?: string): void {
  if (response.headersSent || response.destroyed) return
  const { bytes, type } = contentOf(answer)
  const head: Record<string, number | string | string[]> = {}
  if (auditId !== undefined) head[auditHeader] = auditId
  if (type !== undefined) head["content-type"] = type
  head["content-length"] = bytes.byteLength
  if (!response.hasHeader("cache-control")) head["cache-control"] = "no-cache, private"
  head["x-content-type-options"] = "nosniff"
  if (answer.warnings !== undefined && answer.warnings.length > 0) {
    head.warning = answer.warnings.map(warningText)
  }
  response.writeHead(
    answer.status,
    answer.headers === undefined ? head : { ...head, ...answer.headers },
  )
  response.end(bytes)
}

function contentOf(answer: Answer): { bytes: Uint8Array; type: string | undefined } {
  const { body, text, bytes, contentType } = answer
  if (bytes !== undefined) return { bytes, type: contentType ?? "application/octet-stream" }
  if (text !== undefined) {
    return { bytes: Buffer.from(text), type: contentType ?? "text/plain; charset=utf-8" }
  }
  if (body === undefined) return { bytes: Buffer.alloc(0), type: contentType }
  const json = Buffer.from(`${jsonText(body)}\n`)
  return { bytes: json, type: contentType ?? "application/json" }
}

export function sendFault(response: ApiResponse, error: unknown, auditId?: string): void {
  const fault = toFault(error)
  const body = statusOf(fault)
  const seconds = at(body, "details", "retryAfterSeconds")
  const headers: Record<string, string> =
    seconds === undefined ? {} : { "retry-after": String(seconds) }
  send(response, { status: fault.status, body, headers }, auditId)
}

/** A quoted string of visible ASCII: header values carry nothing else. */
function warningText(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, (mark) => `\\${mark}`)
  return `299 - "${plain.slice(0, 1000)}"`
}
