// The last fifteen minutes of every loop in steps of five seconds, for charts: what happened in
// each step, and how things stood at its end. A bounded ring of numbers in memory; a restart begins
// anew, and Prometheus is for what is older.

import type { Timer } from "../base/clock.ts"
import { type LoopFacts, loopFacts, type PlaneMoment } from "./loop-facts.ts"
import { type LoopTally, newTally } from "./loop-tally.ts"
import type { Plane } from "./plane.ts"
import { SampleRing } from "./sample-ring.ts"

export const stepSeconds = 5
export const keptSeconds = 900
/** Loops over this have no charts. */
const loopsMax = 300

/** What happened in the step: counts, and seconds of the parts of journeys that ended in it. */
const happened = [
  ...(["plannedCreates", "plannedUpdates", "plannedReplaces", "plannedDeletes"] as const),
  ...(["creates", "updates", "replaces", "deletes", "failures", "noops"] as const),
  ...(["allowed", "waited", "held", "denied", "drift"] as const),
  ...(["journeys", "convergeSeconds", "convergeSecondsMax"] as const),
  ...(["partQueue", "partObserve", "partRound", "partHold"] as const),
  ...(["partRateLimit", "partProvider", "partWait"] as const),
]
/** How it stood at the end of the step. */
const stood = [
  ...(["objects", "converged", "unconverged", "oldestSeconds", "heldActions"] as const),
  ...(["deletesRemaining", "changesRemaining", "observationSeconds", "sourceSeconds"] as const),
  ...(["doubts", "stopped"] as const),
]
export const loopColumns = [...happened, ...stood]
export const planeColumns = [
  ...(["queueDepth", "queueOldestSeconds", "queueDelayed", "passesRunning"] as const),
  ...(["actsInFlight", "breakersOpen", "breakersHalfOpen", "revision"] as const),
]

type LoopColumn = (typeof loopColumns)[number]
type PlaneColumn = (typeof planeColumns)[number]

interface Charted {
  readonly ring: SampleRing<LoopColumn>
  /** As it was at the last sample. */
  last: LoopTally
}

export class LoopSeries {
  readonly #plane: Plane
  readonly #loops = new Map<string, Charted>()
  readonly #size = Math.ceil(keptSeconds / stepSeconds)
  readonly ofPlane: SampleRing<PlaneColumn>
  readonly #moment: () => PlaneMoment
  #timer: Timer | undefined

  constructor(plane: Plane, moment: () => PlaneMoment) {
    this.#plane = plane
    this.#moment = moment
    this.ofPlane = new SampleRing(planeColumns, this.#size)
  }

  start(): void {
    this.#timer = this.#plane.ports.clock.after(stepSeconds * 1000, () => {
      this.sample()
      this.start()
    })
  }

  close(): void {
    this.#timer?.cancel()
  }

  of(loop: string): SampleRing<LoopColumn> | undefined {
    return this.#loops.get(loop)?.ring
  }

  forget(loop: string): void {
    this.#loops.delete(loop)
  }

  sample(): void {
    const moment = this.#moment()
    const at = moment.now / 1000
    this.ofPlane.add(at, this.#planeNow())
    for (const loop of this.#plane.loops.all()) {
      const charted = this.#charted(loop.id)
      if (charted === undefined) return
      const tally = this.#plane.engine.meters.loops.tally(loop.id)
      const facts = loopFacts(this.#plane, loop, moment)
      charted.ring.add(at, { ...between(charted.last, tally), ...standing(facts) })
      charted.last = structuredClone(tally)
      tally.journeyMsMax = 0
    }
  }

  #charted(loop: string): Charted | undefined {
    const known = this.#loops.get(loop)
    if (known !== undefined || this.#loops.size >= loopsMax) return known
    const charted = { ring: new SampleRing(loopColumns, this.#size), last: newTally() }
    this.#loops.set(loop, charted)
    return charted
  }

  #planeNow(): Record<PlaneColumn, number> {
    const { engine, ports } = this.#plane
    const { queue, connections, actuator } = engine
    const breakers = [...connections.states()].map(([, state]) => state)
    return {
      queueDepth: queue.depth(),
      queueOldestSeconds: queue.oldestAgeMs() / 1000,
      queueDelayed: queue.delayed(),
      passesRunning: queue.running(),
      actsInFlight: actuator.inFlight.count,
      breakersOpen: breakers.filter((state) => state === "open").length,
      breakersHalfOpen: breakers.filter((state) => state === "half-open").length,
      revision: ports.store.revision,
    }
  }
}

function between(before: LoopTally, now: LoopTally): Record<(typeof happened)[number], number> {
  const journeys = now.journeys - before.journeys
  const none = Number.NaN // A step in which nothing ended says nothing of how long it takes.
  const part = (name: keyof LoopTally["partsMs"]) =>
    (now.partsMs[name] - before.partsMs[name]) / 1000
  return {
    plannedCreates: now.planned.create - before.planned.create,
    plannedUpdates: now.planned.update - before.planned.update,
    plannedReplaces: now.planned.replace - before.planned.replace,
    plannedDeletes: now.planned.delete - before.planned.delete,
    creates: now.done.create - before.done.create,
    updates: now.done.update - before.done.update,
    replaces: now.done.replace - before.done.replace,
    deletes: now.done.delete - before.done.delete,
    failures: now.failed - before.failed,
    noops: now.noops - before.noops,
    allowed: now.verdicts.allow - before.verdicts.allow,
    waited: now.verdicts.wait - before.verdicts.wait,
    held: now.verdicts.hold - before.verdicts.hold,
    denied: now.verdicts.deny - before.verdicts.deny,
    drift: now.drift - before.drift,
    journeys,
    convergeSeconds: journeys === 0 ? none : (now.journeysMs - before.journeysMs) / journeys / 1000,
    convergeSecondsMax: journeys === 0 ? none : now.journeyMsMax / 1000,
    partQueue: part("queue"),
    partObserve: part("observe"),
    partRound: part("round"),
    partHold: part("hold"),
    partRateLimit: part("rate_limit"),
    partProvider: part("provider"),
    partWait: part("wait"),
  }
}

function standing(facts: LoopFacts): Record<(typeof stood)[number], number> {
  const { objects, converged, unconverged, oldestSeconds, doubts } = facts
  const { deletesRemaining, changesRemaining, observationSeconds } = facts
  return {
    ...{ objects, converged, unconverged, oldestSeconds, doubts },
    ...{ deletesRemaining, changesRemaining, observationSeconds },
    heldActions: facts.held,
    sourceSeconds: facts.sourceSeconds ?? Number.NaN,
    stopped: { nothing: 0, deletes: 1, all: 2 }[facts.stopped],
  }
}
