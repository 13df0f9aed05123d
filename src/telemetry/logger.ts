// Logs as a port: JSON lines into a sink that is handed in. Nothing is printed from here. Text from
// outside can't forge lines or steer a terminal, a line has a largest size, and a Secret is ***.

import type { Clock } from "../base/clock.ts"
import { type LogValue, loggable } from "./loggable.ts"

export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger
}

export interface LoggerOptions {
  readonly clock: Clock
  /** Gets one line at a time, without its line end. */
  readonly sink: (line: string) => void
  readonly level?: LogLevel
}

/** No line is longer than this many characters. */
export const lineCharactersMax = 16_384

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function newLogger(options: LoggerOptions): Logger {
  return makeLogger(options, {})
}

/** For parts that are not told where to log. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}

function makeLogger(options: LoggerOptions, own: Readonly<Record<string, LogValue>>): Logger {
  const least = rank[options.level ?? "info"]
  const log = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (rank[level] < least) return
    const time = new Date(options.clock.now()).toISOString()
    options.sink(toLine({ time, level, message: loggable(message) }, { ...own, ...clean(fields) }))
  }
  return {
    debug: (message, fields) => log("debug", message, fields),
    info: (message, fields) => log("info", message, fields),
    warn: (message, fields) => log("warn", message, fields),
    error: (message, fields) => log("error", message, fields),
    child: (fields) => makeLogger(options, { ...own, ...clean(fields) }),
  }
}

function clean(fields: LogFields): Readonly<Record<string, LogValue>> {
  const value = loggable(fields)
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, LogValue>>)
    : {}
}

function toLine(
  head: Readonly<Record<string, LogValue>>,
  fields: Readonly<Record<string, LogValue>>,
): string {
  // The head comes last into the object and first into the line: fields can't replace it.
  const line = encode({ ...head, ...fields, ...head })
  if (line.length <= lineCharactersMax) return line
  return encode({ ...head, cut: true, fields: Object.keys(fields).slice(0, 32).join(" ") })
}

/** JSON, with everything escaped that a terminal or a log viewer could act on. */
function encode(value: LogValue): string {
  const risky = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
  return JSON.stringify(value).replaceAll(
    risky,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
