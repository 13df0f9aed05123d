// Turns the journeys of objects into traces: one trace from the first sign of a difference until
// the target is seen as declared, one span for every part of it, acts with their cause. It follows
// and decides nothing; without somebody to send spans to there is none of it.

import type { ActReport } from "../actuator/actuator.ts"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { JourneyPart, JourneyTrail } from "../reconcile/journey-book.ts"
import { newSpanId, newTraceId, type Span, type SpanSink } from "../telemetry/spans.ts"

interface Trace {
  readonly traceId: string
  readonly rootId: string
  readonly about: Readonly<Record<string, string>>
  /** The act that its phase at the provider was for. */
  act: ActReport | undefined
  /** Kept until something is done: most passes find everything as declared. */
  waiting: Span[]
  told: boolean
  /** From monotonic to wall time; one for all of it, so that its parts lie inside of it. */
  readonly offsetMs: number
}

const tracesMax = 10_000
const waitingMax = 100

export class JourneyTracer implements JourneyTrail {
  readonly #clock: Clock
  readonly #random: Random
  readonly #sink: SpanSink
  readonly #traces = new Map<string, Trace>()

  constructor(clock: Clock, random: Random, sink: SpanSink) {
    this.#clock = clock
    this.#random = random
    this.#sink = sink
  }

  /** For log lines; undefined where there is none. */
  idOf(key: string): string | undefined {
    return this.#traces.get(key)?.traceId
  }

  begun(key: string, loop: string): void {
    if (this.#traces.size >= tracesMax) return
    const [traceId, rootId] = [newTraceId(this.#random), newSpanId(this.#random)]
    const about = { "setpoint.object": key, "setpoint.loop": loop }
    const offsetMs = this.#clock.now() - this.#clock.monotonic()
    const empty = { act: undefined, waiting: [], told: false }
    this.#traces.set(key, { traceId, rootId, about, offsetMs, ...empty })
  }

  acted(report: ActReport): void {
    const trace = this.#traces.get(report.action.object)
    if (trace === undefined) return
    trace.act = report
    this.#tell(trace)
  }

  phase(key: string, part: JourneyPart, fromMs: number, toMs: number): void {
    const trace = this.#traces.get(key)
    if (trace === undefined) return
    const { traceId, rootId: parentId, about } = trace
    const act = part === "provider" ? trace.act : undefined
    const error = act?.result === "done" ? undefined : (act?.fault?.message ?? act?.result)
    const span: Span = {
      ...{ traceId, spanId: newSpanId(this.#random), parentId, name: names[part] },
      ...timesOf(trace, fromMs, toMs),
      attributes: { ...about, ...(act === undefined ? {} : actAttributes(act)) },
      ...(error === undefined ? {} : { error }),
    }
    if (act !== undefined) trace.act = undefined
    if (trace.told) this.#sink(span)
    else if (trace.waiting.length < waitingMax) trace.waiting.push(span)
  }

  ended(key: string, real: boolean, fromMs: number, toMs: number): void {
    const trace = this.#traces.get(key)
    this.#traces.delete(key)
    if (trace === undefined || !real) return
    this.#tell(trace)
    const { traceId, rootId: spanId, about: attributes } = trace
    this.#sink({ traceId, spanId, name: "converge", ...timesOf(trace, fromMs, toMs), attributes })
  }

  #tell(trace: Trace): void {
    trace.told = true
    for (const span of trace.waiting.splice(0)) this.#sink(span)
  }
}

const timesOf = ({ offsetMs }: Trace, fromMs: number, toMs: number) => ({
  startMs: fromMs + offsetMs,
  endMs: toMs + offsetMs,
})

const names: Readonly<Record<JourneyPart, string>> = {
  queue: "wait in the queue",
  observe: "observe and compare",
  round: "wait for the round",
  hold: "held",
  rate_limit: "wait for the rate limit",
  provider: "act",
  wait: "wait",
}

function actAttributes({ action, result }: ActReport): Record<string, string> {
  const { verb, digest, target, cause } = action
  return {
    "setpoint.verb": verb,
    "setpoint.result": result,
    "setpoint.target": target,
    "setpoint.action": digest,
    "setpoint.cause": cause.kind,
    ...(cause.sourceRevision === undefined ? {} : { "setpoint.revision": cause.sourceRevision }),
    ...(cause.principal === undefined ? {} : { "setpoint.principal": cause.principal }),
  }
}
