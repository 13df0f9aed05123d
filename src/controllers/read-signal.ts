// One look at what a signal observes: a number, or a fault that says why there is none. It reads
// and never changes anything; time and size are bounded by the ports it uses.

import { RE2JS } from "re2js"
import type { Clock } from "../base/clock.ts"
import { at, isArray, type Json } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import { numberOf, type Probe } from "../contract/invariant.ts"
import type { LogCursor, Probes } from "../contract/probes.ts"
import type { Http } from "../contract/world.ts"
import { controllerFault } from "./faults.ts"

export interface SignalPorts {
  readonly clock: Clock
  readonly http: Http
  /** Missing where the plane has no way to look at such things. */
  readonly probes?: Probes
}

/** What a log's signal remembers between two looks. */
export interface LogMemory {
  cursor?: LogCursor
  /** Matches with the time (monotonic) at which they were read, oldest first. */
  matches: { readonly at: number; readonly count: number }[]
}

export async function readSignal(
  probe: Probe,
  ports: SignalPorts,
  memory: LogMemory,
  signal: AbortSignal,
): Promise<number> {
  switch (probe.kind) {
    case "http":
      return readHttp(probe, ports, signal)
    case "prometheus":
      return readPrometheus(probe, ports, signal)
    case "sql": {
      const value = await probesOf(ports).sql(probe.connection, probe.query, signal)
      return need(numberOf(value), "the query's answer is not a number")
    }
    case "command": {
      const { exitCode, stdout } = await probesOf(ports).command({ argv: probe.argv }, signal)
      if (probe.read === "exitCode") return exitCode
      if (exitCode !== 0) throw failed(`it ended with exit code ${exitCode}`)
      return need(numberOf(stdout.trim()), "its output is not a number")
    }
    case "log":
      return readLog(probe, ports, memory, signal)
  }
}

const failed = (cause: string) => controllerFault("SPT-SIG-001", { cause })

function need(value: number | undefined, cause: string): number {
  if (value === undefined) throw failed(cause)
  return value
}

function probesOf({ probes }: SignalPorts): Probes {
  if (probes === undefined) throw failed("this plane can't look at such things")
  return probes
}

async function readHttp(
  { url, read, expectStatus }: Extract<Probe, { kind: "http" }>,
  { http, clock }: SignalPorts,
  signal: AbortSignal,
): Promise<number> {
  const started = clock.monotonic()
  const answer = await http.request({ method: "GET", url }, signal)
  const latencyMs = clock.monotonic() - started
  if (expectStatus !== undefined && answer.status !== expectStatus) {
    throw failed(`the answer is ${answer.status}, not ${expectStatus}`)
  }
  if (read === "latencyMs") return latencyMs
  if (read === "status") return answer.status
  if (expectStatus === undefined && (answer.status < 200 || answer.status > 299)) {
    throw failed(`the answer is ${answer.status}`)
  }
  return need(numberOf(valueAt(parse(answer.body), read)), `there is no number at ${read}`)
}

async function readPrometheus(
  { url, query }: Extract<Probe, { kind: "prometheus" }>,
  { http }: SignalPorts,
  signal: AbortSignal,
): Promise<number> {
  const base = url.endsWith("/") ? url : `${url}/`
  const address = new URL(`api/v1/query?query=${encodeURIComponent(query)}`, base)
  const answer = await http.request({ method: "GET", url: address.href }, signal)
  const body = parse(answer.body)
  if (answer.status !== 200 || at(body, "status") !== "success") {
    const why = at(body, "error")
    throw failed(`the answer is ${answer.status}${typeof why === "string" ? `: ${why}` : ""}`)
  }
  const result = at(body, "data", "result")
  if (at(body, "data", "resultType") === "scalar") return pairValue(result)
  const series = isArray(result) ? result : []
  // Several series would make the number depend on their order.
  if (series.length !== 1) throw failed(`the query gives ${series.length} series, not one`)
  return pairValue(at(series[0], "value"))
}

function pairValue(pair: Json | undefined): number {
  return need(numberOf(isArray(pair) ? pair[1] : undefined), "the query's answer is not a number")
}

function parse(body: string): Json {
  try {
    return parseJson(body)
  } catch {
    throw failed("the answer is not JSON")
  }
}

/** "queue.depth", "items.0.size". */
function valueAt(value: Json, path: string): Json | undefined {
  let current: Json | undefined = value
  for (const part of path.split(".")) {
    current = isArray(current) ? current[Number(part)] : at(current, part)
  }
  return current
}

async function readLog(
  { path, pattern, windowMs }: Extract<Probe, { kind: "log" }>,
  ports: SignalPorts,
  memory: LogMemory,
  signal: AbortSignal,
): Promise<number> {
  const part = await probesOf(ports).log(path, memory.cursor, signal)
  const expression = RE2JS.compile(pattern)
  const count = part.lines.filter((line) => expression.matcher(line).find()).length
  const now = ports.clock.monotonic()
  memory.cursor = part.cursor
  if (count > 0) memory.matches.push({ at: now, count })
  memory.matches = memory.matches.filter((one) => now - one.at <= windowMs)
  return memory.matches.reduce((sum, one) => sum + one.count, 0)
}
