// Sets the gauges of every loop from what is true now, before each exposition. Work in proportion
// to loops, never to objects.

import { catalog } from "../telemetry/catalog.ts"
import type { Gauge } from "../telemetry/metrics.ts"
import { type LoopFacts, loopFacts, type PlaneMoment } from "./loop-facts.ts"
import type { Plane } from "./plane.ts"

/** Metrics that say one of the loop's facts. */
const plain = {
  setpoint_objects: "objects",
  setpoint_objects_converged: "converged",
  setpoint_oldest_unconverged_age_seconds: "oldestSeconds",
  setpoint_inventory_targets: "inventory",
  setpoint_held_actions: "held",
  setpoint_plan_age_seconds: "planSeconds",
  setpoint_deletes_allowed: "deletesAllowed",
  setpoint_deletes_remaining: "deletesRemaining",
  setpoint_changes_allowed: "changesAllowed",
  setpoint_changes_remaining: "changesRemaining",
  setpoint_observation_age_seconds: "observationSeconds",
  setpoint_observation_doubts: "doubts",
} as const satisfies Record<string, keyof LoopFacts>

type PlainName = keyof typeof plain

type OtherName =
  | "setpoint_loops"
  | "setpoint_loop_interval_seconds"
  | "setpoint_objects_unconverged"
  | "setpoint_plans_pending"
  | "setpoint_source_state"
  | "setpoint_source_age_seconds"
  | "setpoint_source_issues"
  | "setpoint_source_objects"
  | "setpoint_loop_stopped"
  | "setpoint_invariants"

const sourceStates = ["reading", "good", "invalid", "unreadable"] as const
const states = ["working", "held", "waiting", "denied", "retrying", "stuck"] as const
/** So long a round that left nothing to do is still shown. */
const roundShownMs = 60_000

export class LoopGauges {
  readonly #plane: Plane
  readonly #plain: ReadonlyMap<PlainName, Gauge>
  readonly #other: Readonly<Record<OtherName, Gauge>>
  readonly #journal

  constructor(plane: Plane) {
    this.#plane = plane
    const { metrics } = plane.ports
    const names = Object.keys(plain) as PlainName[]
    this.#plain = new Map(names.map((name) => [name, metrics.gauge(name, catalog[name])]))
    const gauge = (name: OtherName) => metrics.gauge(name, catalog[name])
    this.#other = {
      setpoint_loops: gauge("setpoint_loops"),
      setpoint_loop_interval_seconds: gauge("setpoint_loop_interval_seconds"),
      setpoint_objects_unconverged: gauge("setpoint_objects_unconverged"),
      setpoint_plans_pending: gauge("setpoint_plans_pending"),
      setpoint_source_state: gauge("setpoint_source_state"),
      setpoint_source_age_seconds: gauge("setpoint_source_age_seconds"),
      setpoint_source_issues: gauge("setpoint_source_issues"),
      setpoint_source_objects: gauge("setpoint_source_objects"),
      setpoint_loop_stopped: gauge("setpoint_loop_stopped"),
      setpoint_invariants: gauge("setpoint_invariants"),
    }
    const entries = "setpoint_journal_entries_total"
    this.#journal = metrics.counter(entries, catalog[entries])
  }

  collect(moment: PlaneMoment): void {
    const { loops, engine, invariants } = this.#plane
    const modes = { Observe: 0, Propose: 0, Enforce: 0 }
    for (const loop of loops.all()) {
      modes[loop.spec.mode]++
      const facts = loopFacts(this.#plane, loop, moment)
      for (const [name, gauge] of this.#plain) gauge.set(facts[plain[name]], { loop: loop.id })
      this.#set("setpoint_loop_interval_seconds", loop.id, loop.spec.intervalMs / 1000)
      this.#set("setpoint_plans_pending", loop.id, facts.planSeconds > 0 ? 1 : 0)
      this.#states(loop.id)
      this.#source(loop.id, facts)
      for (const scope of ["all", "deletes"]) {
        const stopped = facts.stopped === "all" || facts.stopped === scope
        this.#other.setpoint_loop_stopped.set(stopped ? 1 : 0, { loop: loop.id, scope })
      }
      this.#journal.reach(engine.ledger.journalHead(loop.id).sequence, { loop: loop.id })
      const open = facts.unconverged + facts.held + loop.acting.size
      const over = moment.now - (loop.lastRound?.at ?? moment.now) > roundShownMs
      if (open === 0 && over) engine.meters.loops.rest(loop.id)
    }
    for (const [mode, count] of Object.entries(modes)) {
      this.#other.setpoint_loops.set(count, { mode })
    }
    this.#other.setpoint_invariants.clear()
    for (const [loop, state] of invariants.keeper.states()) {
      this.#other.setpoint_invariants.add(1, { loop, state })
    }
  }

  #set(name: OtherName, loop: string, value: number): void {
    this.#other[name].set(value, { loop })
  }

  #states(loop: string): void {
    const counts = this.#plane.engine.reporter.book.states(loop)
    for (const state of states) {
      this.#other.setpoint_objects_unconverged.set(counts.get(state) ?? 0, { loop, state })
    }
  }

  #source(loop: string, { sourceSeconds }: LoopFacts): void {
    const source = this.#plane.loops.sourceState(loop)
    if (source === undefined || sourceSeconds === undefined) {
      this.#forgetSource(loop)
      return
    }
    for (const state of sourceStates) {
      this.#other.setpoint_source_state.set(source.kind === state ? 1 : 0, { loop, state })
    }
    this.#set("setpoint_source_age_seconds", loop, sourceSeconds)
    this.#set("setpoint_source_issues", loop, "issues" in source ? source.issues.length : 0)
    if (source.kind === "good") this.#set("setpoint_source_objects", loop, source.objects)
    else this.#other.setpoint_source_objects.remove({ loop })
  }

  /** The loop was pointed at nothing. */
  #forgetSource(loop: string): void {
    for (const state of sourceStates) this.#other.setpoint_source_state.remove({ loop, state })
    this.#other.setpoint_source_age_seconds.remove({ loop })
    this.#other.setpoint_source_issues.remove({ loop })
    this.#other.setpoint_source_objects.remove({ loop })
  }
}
