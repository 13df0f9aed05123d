// What makes a revision of a set: everything that goes into the spec of a replica, and nothing
// else. Scaling or another strategy is no new revision. The spec of a replica is the template with
// the replica's own slot and port filled in: as fields, as environment variables, and for the two
// declared placeholders $(SETPOINT_SLOT) and $(SETPOINT_PORT), which are numbers. No other text of
// the user's is ever interpreted.

import { hashJson } from "../../../base/hash.ts"
import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"

export interface RevisionSource extends JsonObject {
  readonly template: JsonObject
  /** Replica N listens on base + N. */
  readonly ports?: { readonly base: number }
  /** Any text: a new one replaces all replicas. */
  readonly restart?: string
}

/** Counts up when the same source makes other replicas than before. */
const form = 1

/**
 * `source` without secret values: anybody may read a revision and could try values until one fits.
 * `secrets` is a keyed hash of them, so that another secret is another revision all the same.
 */
export function revisionOf(source: RevisionSource, secrets?: string): string {
  const keyed = secrets === undefined ? {} : { secrets }
  return hashJson({ form, ...source, ...keyed }).slice(0, 10)
}

export function portOf({ ports }: RevisionSource, slot: number): number | undefined {
  return ports === undefined ? undefined : ports.base + slot
}

export function replicaSpec(source: RevisionSource, slot: number): JsonObject {
  const { template } = source
  const port = portOf(source, slot)
  const numbers: Record<string, string> = { SETPOINT_SLOT: String(slot) }
  if (port !== undefined) numbers.SETPOINT_PORT = String(port)
  const filled = mapTexts(template, ["command", "env"], numbers)
  const env = isObject(filled.env) ? filled.env : {}
  return {
    ...filled,
    env: { ...env, ...numbers },
    ...(port === undefined ? {} : { port }),
  }
}

function mapTexts(
  template: JsonObject,
  fields: readonly string[],
  numbers: Readonly<Record<string, string>>,
): JsonObject {
  const out: Record<string, Json | undefined> = { ...template }
  for (const field of fields) {
    const value = template[field]
    if (value !== undefined) out[field] = fill(value, numbers)
  }
  return out
}

function fill(value: Json, numbers: Readonly<Record<string, string>>): Json {
  if (typeof value === "string") {
    return value.replace(/\$\((SETPOINT_(?:SLOT|PORT))\)/g, (text, name) => numbers[name] ?? text)
  }
  if (isArray(value)) return value.map((one) => fill(one, numbers))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, one]) => {
    return [name, one === undefined ? one : fill(one, numbers)]
  })
  return Object.fromEntries(entries)
}
