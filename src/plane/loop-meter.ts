// Counts what loops do, as it happens: rounds and verdicts before the first intent, acts after
// their receipt, passes and journeys at their end. It never decides anything and never fails what
// it counts.

import type { ActReport } from "../actuator/actuator.ts"
import type { Verb } from "../contract/action.ts"
import type { Verdict, VerdictKind } from "../contract/verdict.ts"
import { type Journey, journeyParts, type PassResult } from "../reconcile/journey-book.ts"
import { countVerbs, type Judged } from "../reconcile/loop-engine.ts"
import { catalog } from "../telemetry/catalog.ts"
import type { Metrics } from "../telemetry/metrics.ts"
import { type LoopTally, newTally } from "./loop-tally.ts"

const verbs: readonly Verb[] = ["create", "update", "replace", "delete", "adopt", "loosen"]
const results: readonly ActReport["result"][] = ["done", "failed", "unknown", "refused"]
const kinds: readonly VerdictKind[] = ["allow", "wait", "hold", "deny"]

type CounterName =
  | "setpoint_rounds_total"
  | "setpoint_actions_planned_total"
  | "setpoint_verdicts_total"
  | "setpoint_acts_total"
  | "setpoint_passes_total"
  | "setpoint_drift_found_total"

export class LoopMeter {
  readonly #metrics: Metrics
  readonly #tallies = new Map<string, LoopTally>()
  readonly #counters
  readonly #gauges
  readonly #whole
  readonly #part

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    const counter = (name: CounterName) => metrics.counter(name, catalog[name])
    this.#counters = {
      rounds: counter("setpoint_rounds_total"),
      planned: counter("setpoint_actions_planned_total"),
      verdicts: counter("setpoint_verdicts_total"),
      acts: counter("setpoint_acts_total"),
      passes: counter("setpoint_passes_total"),
      drift: counter("setpoint_drift_found_total"),
    }
    const gauge = (name: "setpoint_round_actions" | "setpoint_round_verdicts") =>
      metrics.gauge(name, catalog[name])
    this.#gauges = {
      actions: gauge("setpoint_round_actions"),
      verdicts: gauge("setpoint_round_verdicts"),
    }
    const histogram = (
      name: "setpoint_convergence_seconds" | "setpoint_convergence_part_seconds",
    ) => metrics.histogram(name, catalog[name])
    this.#whole = histogram("setpoint_convergence_seconds")
    this.#part = histogram("setpoint_convergence_part_seconds")
  }

  tally(loop: string): LoopTally {
    const known = this.#tallies.get(loop)
    if (known !== undefined) return known
    const tally = newTally()
    this.#tallies.set(loop, tally)
    return tally
  }

  /** Before anything of it is carried out. `isNews`: it was as declared until now. */
  round(loop: string, judged: readonly Judged[], isNews: (key: string) => boolean): void {
    const counts = countVerbs(judged.map(({ proposal }) => proposal.action))
    this.#judged(
      loop,
      counts,
      judged.map(({ verdict }) => verdict),
    )
    const drifted = judged.filter(({ proposal: { action, key } }) => {
      const { kind } = action.cause
      return (kind === "drift" || kind === "missing") && isNews(key)
    })
    this.#counters.drift.add(drifted.length, { loop })
    this.tally(loop).drift += drifted.length
  }

  /** A set of deletes has one verdict for all of it. */
  deletes(loop: string, count: number, verdict: Verdict): void {
    if (count === 0) return
    const counts = { ...newTally().planned, delete: count }
    this.#judged(
      loop,
      counts,
      Array.from({ length: count }, () => verdict),
    )
  }

  /** Nothing of the last round is left to do. */
  rest(loop: string): void {
    for (const verb of verbs) this.#gauges.actions.set(0, { loop, verb })
    for (const verdict of kinds) this.#gauges.verdicts.set(0, { loop, verdict })
  }

  acted(loop: string, { action, result }: ActReport): void {
    const { verb } = action
    const tally = this.tally(loop)
    // From zero on, so that the first failure is seen as a growth.
    for (const one of results)
      this.#counters.acts.add(one === result ? 1 : 0, { loop, verb, result: one })
    if (result === "done") tally.done[verb]++
    else if (result !== "refused") tally.failed++
  }

  passed(loop: string, result: PassResult): void {
    this.#counters.passes.add(1, { loop, result })
    if (result === "noop") this.tally(loop).noops++
  }

  journey({ loop, totalMs, partsMs }: Journey): void {
    const tally = this.tally(loop)
    tally.journeys++
    tally.journeysMs += totalMs
    tally.journeyMsMax = Math.max(tally.journeyMsMax, totalMs)
    this.#whole.observe(totalMs / 1000, { loop })
    for (const part of journeyParts) {
      tally.partsMs[part] += partsMs[part]
      if (partsMs[part] > 0) this.#part.observe(partsMs[part] / 1000, { loop, part })
    }
  }

  /** A loop that is gone leaves no series behind. */
  forget(loop: string): void {
    this.#tallies.delete(loop)
    this.#metrics.forget("loop", loop)
  }

  #judged(
    loop: string,
    counts: Readonly<Record<Verb, number>>,
    verdicts: readonly Verdict[],
  ): void {
    const { planned, verdicts: tallied } = this.tally(loop)
    this.#counters.rounds.add(1, { loop })
    for (const verb of verbs) {
      this.#gauges.actions.set(counts[verb], { loop, verb })
      if (counts[verb] > 0) this.#counters.planned.add(counts[verb], { loop, verb })
      planned[verb] += counts[verb]
    }
    for (const kind of kinds) {
      const count = verdicts.filter((one) => one.kind === kind).length
      this.#gauges.verdicts.set(count, { loop, verdict: kind })
      tallied[kind] += count
    }
    for (const { kind, reasons } of verdicts) {
      const guards = new Set(reasons.map(({ guard }) => guard))
      if (guards.size === 0) guards.add("none")
      for (const guard of guards) this.#counters.verdicts.add(1, { loop, guard, verdict: kind })
    }
  }
}
