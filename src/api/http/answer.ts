// Writes answers: JSON with a length, warnings as Kubernetes sends them, faults as Status objects.

import type { ServerResponse } from "node:http"
import { toFault } from "../../base/faults.ts"
import type { Json } from "../../base/json.ts"
import { statusOf } from "../status-object.ts"

export interface Answer {
  readonly status: number
  readonly body: Json | object
  readonly warnings?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(`${JSON.stringify(answer.body)}\n`)
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
  const warnings = (answer.warnings ?? []).map(warningText)
  if (warnings.length > 0) response.setHeader("warning", warnings)
  response.writeHead(answer.status, {
    "content-type": "application/json",
    "content-length": body.byteLength,
    "cache-control": "no-cache, private",
    "x-content-type-options": "nosniff",
  })
  response.end(body)
}

export function sendFault(response: ServerResponse, error: unknown): void {
  const fault = toFault(error)
  const retry: Record<string, string> =
    fault.status === 429 || fault.status === 503 ? { "retry-after": "1" } : {}
  send(response, { status: fault.status, body: statusOf(fault), headers: retry })
}

/** A quoted string of visible ASCII: header values carry nothing else. */
function warningText(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, (mark) => `\\${mark}`)
  return `299 - "${plain.slice(0, 1000)}"`
}
