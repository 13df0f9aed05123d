// What the engine tells of its work, in one place: to the counters of loops and of providers, and
// to the book of journeys. Nothing here changes what is done.

import type { ActReport } from "../actuator/actuator.ts"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { ProviderCalls } from "../contract/provider-call.ts"
import type { Verdict } from "../contract/verdict.ts"
import { waitForRound } from "../reconcile/conclude.ts"
import { type Journey, JourneyBook } from "../reconcile/journey-book.ts"
import type { Judged, LoopEngine } from "../reconcile/loop-engine.ts"
import type { Logger } from "../telemetry/logger.ts"
import type { Metrics } from "../telemetry/metrics.ts"
import type { SpanSink } from "../telemetry/spans.ts"
import { CallMeter } from "./call-meter.ts"
import type { Engine } from "./engine.ts"
import { JourneyTracer } from "./journey-tracer.ts"
import { LoopMeter } from "./loop-meter.ts"

export interface MetersPorts {
  readonly clock: Clock
  readonly metrics: Metrics
  readonly random: Random
  readonly logger: Logger
  /** Where spans go; without it nothing is traced. */
  readonly spans?: SpanSink
  /** "" for an object that is gone or belongs to none. */
  loopOf(key: string): string
  /** It was as declared until now, as far as anybody was told. */
  isConverged(key: string): boolean
  /** For how long it was in the queue before it was given out. */
  waitedMs(key: string): number
}

/** Asked for later than made: the engine's parts come one by one. */
export function engineMeters(engine: Engine): Meters {
  const { clock, metrics, random, logger, spans } = engine.ports
  return new Meters({
    ...{ clock, metrics, random, logger },
    ...(spans === undefined ? {} : { spans }),
    loopOf: (key) => engine.feed?.entry(key)?.loop ?? "",
    isConverged: (key) => engine.reporter.stateOf(key) === undefined,
    waitedMs: (key) => engine.queue.waitedMs(key),
  })
}

export class Meters {
  readonly loops: LoopMeter
  readonly journeys: JourneyBook
  readonly calls: ProviderCalls
  readonly #ports: MetersPorts
  readonly #tracer: JourneyTracer | undefined

  constructor(ports: MetersPorts) {
    this.#ports = ports
    this.loops = new LoopMeter(ports.metrics)
    const { clock, random, spans } = ports
    this.#tracer = spans === undefined ? undefined : new JourneyTracer(clock, random, spans)
    const ended = (journey: Journey) => this.loops.journey(journey)
    this.journeys = new JourneyBook(clock, ended, this.#tracer)
    const calls = new CallMeter(ports.metrics)
    this.calls = {
      called: (call) => calls.called(call),
      limited: (kind, object, ms) => {
        calls.waited(kind, ms)
        this.journeys.limited(object, ms)
      },
      acting: (objects) => {
        for (const key of objects) this.journeys.acting(key)
      },
    }
  }

  /** What is declared of it changed, or it is to be deleted. */
  declared(key: string): void {
    const loop = this.#ports.loopOf(key)
    if (loop !== "") this.journeys.declared(key, loop)
  }

  taken(key: string): void {
    const loop = this.#ports.loopOf(key)
    if (loop !== "") this.journeys.taken(key, loop, this.#ports.waitedMs(key))
  }

  passed(key: string, outcome: Outcome): void {
    const loop = this.#ports.loopOf(key)
    const result = this.journeys.passed(key, outcome, outcome === waitForRound)
    if (loop !== "") this.loops.passed(loop, result)
  }

  judged(loop: LoopEngine, judged: readonly Judged[]): void {
    this.loops.round(loop.id, judged, (key) => this.#ports.isConverged(key))
    for (const { proposal, verdict } of judged) this.journeys.judged(proposal.key, verdict)
  }

  /** One that is allowed is judged again as a round, when its objects are marked. */
  deletesJudged(loop: LoopEngine, targets: number, verdict: Verdict): void {
    if (verdict.kind !== "allow") this.loops.deletes(loop.id, targets, verdict)
  }

  acted(loop: LoopEngine, report: ActReport): void {
    this.loops.acted(loop.id, report)
    this.#log(report)
    this.#tracer?.acted(report)
    this.journeys.acted(report.action.object, report.result === "done")
  }

  /** One line for every act, with what leads to its entry in the journal and to its trace. */
  #log({ action, result, fault }: ActReport): void {
    const { loop, object, verb, digest, cause } = action
    const { kind, principal, sourceRevision } = cause
    const trace = this.#tracer?.idOf(object)
    this.#ports.logger.info(`${verb} ${object}: ${result}`, {
      ...{ loop, object, verb, result, action: digest, cause: kind },
      ...(principal === undefined ? {} : { principal }),
      ...(sourceRevision === undefined ? {} : { revision: sourceRevision }),
      ...(trace === undefined ? {} : { trace }),
      ...(fault === undefined ? {} : { code: fault.code, why: fault.message }),
    })
  }
}
