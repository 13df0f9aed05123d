// Turns anything into a small plain value for a log line: bounded in length, depth and count, never
// calling code of the value but `toJSON` of a Secret, never failing.

import { isFault } from "../base/faults.ts"
import { forbiddenKeys } from "../base/json.ts"
import { Secret } from "../base/secret.ts"

export type LogValue =
  | string
  | number
  | boolean
  | null
  | readonly LogValue[]
  | { readonly [key: string]: LogValue }

const charactersMax = 2048
const depthMax = 5
const membersMax = 50

export function loggable(value: unknown, depth = 0): LogValue {
  if (typeof value === "string") return cut(value)
  if (typeof value === "boolean" || value === null) return value
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (typeof value !== "object") return cut(String(value))
  if (value instanceof Secret) return "***"
  if (depth >= depthMax) return "..."
  if (value instanceof Error) return fromError(value, depth)
  if (value instanceof Uint8Array) return `<${value.length} bytes>`
  if (Array.isArray(value)) return fromArray(value, depth)
  return fromObject(value, depth)
}

function cut(text: string): string {
  if (text.length <= charactersMax) return text
  return `${text.slice(0, charactersMax)}... (${text.length} characters)`
}

function fromError(error: Error, depth: number): LogValue {
  const cause = error.cause === undefined ? {} : { cause: loggable(error.cause, depth + 1) }
  if (isFault(error)) {
    const { code, message, hint } = error
    return { code: cut(code), message: cut(message), hint: cut(hint), ...cause }
  }
  return { name: cut(error.name), message: cut(error.message), ...cause }
}

function fromArray(items: readonly unknown[], depth: number): LogValue {
  const shown = items.slice(0, membersMax).map((item) => loggable(item, depth + 1))
  return items.length > membersMax ? [...shown, `... ${items.length - membersMax} more`] : shown
}

function fromObject(value: object, depth: number): LogValue {
  const result: Record<string, LogValue> = {}
  const members = Object.entries(Object.getOwnPropertyDescriptors(value))
  for (const [key, { value: member, enumerable }] of members.slice(0, membersMax)) {
    if (enumerable !== true || member === undefined || forbiddenKeys.has(key)) continue
    result[cut(key)] = loggable(member, depth + 1)
  }
  if (members.length > membersMax) result["..."] = `${members.length - membersMax} more`
  return result
}
