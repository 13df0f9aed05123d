// The exec protocol, version 1: one line of JSON to a program, one line back. Everything here is
// pure. What is not a whole, valid answer to exactly this question is a problem in words, and
// becomes `unknown`; it is never taken for an answer.

import { z } from "zod"
import { forbiddenKeys, isObject, type JsonObject } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import { diagnosisClasses } from "../../contract/diagnosis.ts"

export const protocolVersion = "exec.setpoint.dev/v1"

export type ExecVerb = "describe" | "observe" | "list" | "watch" | "create" | "update" | "delete"

export interface ExecRequest {
  readonly verb: ExecVerb
  readonly id: string
  readonly kind?: string
  /** NAMESPACE/NAME and the like, for logs. */
  readonly object?: string
  readonly uid?: string
  readonly identity?: string
  readonly externalId?: string
  readonly scope?: string
  readonly desired?: JsonObject
  readonly applied?: JsonObject
  /** What was read just before the act, for kinds whose program gives no tokens. */
  readonly observed?: JsonObject
  readonly token?: string
  readonly idempotencyKey?: string
  /** How long the answer may take. */
  readonly timeoutMs: number
}

export function requestLine(request: ExecRequest): string {
  return jsonText({ apiVersion: protocolVersion, ...request, dryRun: false })
}

const text = z.string().max(4096)
const object = z.custom<JsonObject>(isObject, "has to be an object")

const item = z.object({
  observed: object,
  token: text.optional(),
  externalId: text.optional(),
})

const reply = z.object({
  apiVersion: z.literal(protocolVersion),
  id: z.string(),
  status: z.enum(["ok", "absent", "error", "unknown"]),
  /** The proof of an absence, the cause of an error, a note on a success. */
  message: text.optional(),
  /** With error: trying again is pointless until someone changes something. */
  stuck: z.boolean().optional(),
  class: z.enum(diagnosisClasses as [string, ...string[]]).optional(),
  /** Seconds for which it wants to be left alone. */
  retryAfter: z.number().min(0).max(3600).optional(),
  observed: object.optional(),
  outputs: object.optional(),
  /** Dotted paths in observed and outputs that are not to be kept. */
  sensitivePaths: z.array(text).max(100).optional(),
  token: text.optional(),
  externalId: text.optional(),
  items: z.array(item).max(100_000).optional(),
  complete: z.boolean().optional(),
})

export type ExecReply = z.output<typeof reply>
export type ExecItem = z.output<typeof item>

/** The answer, or in words why there is none. */
export function readReply(line: string, id: string): ExecReply | string {
  const parsed = readJsonObject(line)
  if (typeof parsed === "string") return parsed
  const checked = reply.safeParse(parsed)
  if (!checked.success) return issueText(checked.error)
  if (checked.data.id !== id) return `it answers ${checked.data.id}, and ${id} was asked`
  return checked.data
}

/** One JSON object and nothing else. */
export function readJsonObject(line: string): JsonObject | string {
  if (line.trim() === "") return "it answered nothing"
  let parsed: unknown
  try {
    parsed = parseJson(line)
  } catch {
    return `its answer is not one JSON object: ${line.trim().slice(0, 80)}`
  }
  if (!isObject(parsed)) return "its answer is not a JSON object"
  return isTame(parsed, 0) ? parsed : "its answer is nested too deeply or has a forbidden key"
}

const depthMax = 64

function isTame(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true
  if (depth > depthMax) return false
  return Object.entries(value).every(
    ([name, member]) => !forbiddenKeys.has(name) && isTame(member, depth + 1),
  )
}

export function issueText(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return "its answer is not valid"
  const place = issue.path.length === 0 ? "its answer" : `\`${issue.path.join(".")}\``
  return `${place}: ${issue.message}`
}
