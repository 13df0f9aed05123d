// Signal objects to what is watched, and the pure half of watching: staleness and hysteresis.

import { parseDuration } from "../base/clock.ts"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Probe, SignalSpec, SignalState, Threshold } from "../contract/invariant.ts"
import type { ApiObject } from "../object/object.ts"

const text = (value: Json | undefined, fallback = ""): string =>
  typeof value === "string" ? value : fallback

const duration = (value: Json | undefined, fallback: number): number =>
  parseDuration(text(value)) ?? fallback

/** The API checked the shape when it was written; undefined when there is nothing to look at. */
export function signalSpecOf({ spec = {} }: ApiObject): SignalSpec | undefined {
  const probe = probeOf(spec)
  if (probe === undefined) return undefined
  const intervalMs = Math.max(1000, duration(spec.interval, 30_000))
  return {
    probe,
    intervalMs,
    timeoutMs: Math.max(100, duration(spec.timeout, 10_000)),
    staleAfterMs: duration(spec.staleAfter, 3 * intervalMs),
    breach: threshold(spec.breach),
    clear: threshold(spec.clear ?? spec.breach),
    for: typeof spec.for === "number" ? spec.for : 1,
  }
}

function probeOf({ http, prometheus, sql, command, log }: JsonObject): Probe | undefined {
  if (isObject(http)) {
    const expected = typeof http.expectStatus === "number" ? http.expectStatus : undefined
    const read = text(http.read, "latencyMs")
    const status = expected === undefined ? {} : { expectStatus: expected }
    return { kind: "http", url: text(http.url), read, ...status }
  }
  if (isObject(prometheus)) {
    return { kind: "prometheus", url: text(prometheus.url), query: text(prometheus.query) }
  }
  if (isObject(sql)) {
    return { kind: "sql", connection: text(sql.connection), query: text(sql.query) }
  }
  if (isObject(command)) {
    const argv = isArray(command.argv) ? command.argv.map((one) => text(one)) : []
    return { kind: "command", argv, read: command.read === "exitCode" ? "exitCode" : "stdout" }
  }
  if (!isObject(log)) return undefined
  const windowMs = Math.max(1000, duration(log.window, 300_000))
  return { kind: "log", path: text(log.path), pattern: text(log.pattern), windowMs }
}

function threshold(value: Json | undefined): Threshold {
  const given = isObject(value) ? value : {}
  return {
    ...(typeof given.above === "number" ? { above: given.above } : {}),
    ...(typeof given.below === "number" ? { below: given.below } : {}),
  }
}

/** How far the next state has come: so many readings in a row that speak for it. */
export interface Hysteresis {
  readonly state: SignalState
  readonly inRow: number
}

/** One more reading: the state changes only after `for` of them in a row. */
export function advance(before: Hysteresis, value: number, spec: SignalSpec): Hysteresis {
  const { state } = before
  const limit = state === "Ok" ? spec.breach : spec.clear
  const outside = isOutside(value, limit)
  const speaksForChange = state === "Ok" ? outside : !outside
  if (!speaksForChange) return { state, inRow: 0 }
  const inRow = before.inRow + 1
  if (inRow < spec.for) return { state, inRow }
  return { state: state === "Ok" ? "Breached" : "Ok", inRow: 0 }
}

function isOutside(value: number, { above, below }: Threshold): boolean {
  return (above !== undefined && value > above) || (below !== undefined && value < below)
}
