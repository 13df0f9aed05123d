// What one commit does to plans: moving a plan to another phase, and bringing the waiting plan of a
// loop in line with what is held. Steps are put together first and written as one, so that what is
// held is never without its plan, not even over a crash.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { sha256 } from "../base/hash.ts"
import { protects } from "../base/protections.ts"
import type { JournalEvent } from "../contract/journal.ts"
import { parseLoopId } from "../contract/loop.ts"
import { endedPhases, type PlanPhase } from "../contract/plan.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import { slotOf } from "../reconcile/held-set.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { carriedApprovals, describeChanged, joinRules, openActions } from "./plan-approval.ts"

export interface Step {
  readonly events: readonly JournalEvent[]
  readonly writes: readonly Write[]
  readonly plans: readonly PlanDocument[]
  /** Has to be durable first, where all together is too much for one commit. */
  readonly before?: readonly Write[]
  /** Follows then: permissions and rejections, one for each action. */
  readonly after?: readonly Following[]
  /** Nothing of it was written: memory is again as it was. */
  undo?(): void
}

/** A write whose effect in memory begins when it is made, and ends when it fails. */
export interface Following {
  make(): Write
  undo(): void
}

/** What fits into one commit without a thought; above it goes in several. */
const writesInOne = 1000
const bytesInOne = 4 * 1024 * 1024
/** A large plan names the first of its actions in the journal; its hash covers all. */
const digestsTold = 1000

/** Ended plans that are kept for people to look at, per loop. */
const endedKept = 50

export interface PlanStepsPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  /** Makes the Plan object show this; never throws. */
  publish(plan: PlanDocument): Promise<void>
}

export class PlanSteps {
  readonly #ports: PlanStepsPorts

  constructor(ports: PlanStepsPorts) {
    this.#ports = ports
  }

  moved(
    plan: PlanDocument,
    phase: PlanPhase,
    note: string,
    change: Partial<PlanDocument> = {},
  ): Step {
    const event: JournalEvent = { type: "plan", plan: plan.name, phase, hash: plan.hash, note }
    return { ...this.changed({ ...plan, ...change, phase, note }), events: [event] }
  }

  /** Without a word in the journal: what is told elsewhere. */
  changed(plan: PlanDocument): Step {
    const { plans } = this.#ports.ledger
    const known = plans.get(plan.name)
    const { head, pages } = plans.put(plan)
    const undo = () => plans.undo(plan.name, known)
    return { events: [], writes: [head], plans: [plan], before: pages, undo }
  }

  /**
   * `from`: the plan whose approvals go on counting for what is still held unchanged. `without`:
   * digests that are about to be let go.
   */
  inLine(loop: LoopEngine, from?: PlanDocument, without?: ReadonlySet<string>): Step[] {
    const waiting = this.#ports.ledger.plans.pending(loop.id)
    const held = loop.held.all(without)
    if (held.length === 0) {
      const note = "nothing of it is asked for any more"
      return waiting === undefined ? [] : [this.moved(waiting, "Stale", note)]
    }
    const hash = loop.held.hash(without)
    if (waiting?.hash === hash) return []
    const plan = this.#newPlan(loop, hash, held, from ?? waiting)
    const note = `replaced by ${plan.name}`
    const over = waiting === undefined ? [] : [this.moved(waiting, "Superseded", note)]
    const reasons = held.flatMap((one) => one.reasons).slice(0, 20)
    const digests = held.slice(0, digestsTold).map((one) => one.action.digest)
    const count = held.length > digests.length ? { count: held.length } : {}
    const event: JournalEvent = { type: "held", plan: plan.name, hash, digests, reasons, ...count }
    return [...over, { ...this.changed(plan), events: [event] }]
  }

  /** Approved, not done, and held again as something else: the approval is for what was. */
  voided(loop: LoopEngine, executing: readonly PlanDocument[]): Step[] {
    return executing.flatMap((plan) => {
      const changed = openActions(plan).filter((held) => {
        const now = loop.held.get(held.action.uid, slotOf(held.action))
        return now !== undefined && now.action.digest !== held.action.digest
      })
      if (changed.length === 0) return []
      const gone = new Set(changed.map(({ action }) => action.digest))
      for (const digest of gone) loop.approvals.delete(digest)
      const all = plan.approved ?? plan.held.map(({ action }) => action.digest)
      const approved = all.filter((digest) => !gone.has(digest))
      const note = describeChanged(loop, changed).replaceAll("the plan was made", "it was approved")
      const left = approved.length - plan.done.length
      const phase = left > 0 ? "Executing" : plan.done.length > 0 ? "Done" : "Stale"
      return [this.moved(plan, phase, `${note}; it is held anew`, { approved })]
    })
  }

  #newPlan(
    loop: LoopEngine,
    hash: string,
    held: readonly HeldAction[],
    before: PlanDocument | undefined,
  ): PlanDocument {
    const now = this.#ports.ledger.time.now()
    const known = new Set(before?.held.map(({ action }) => action.digest))
    const overlap = held.some(({ action }) => known.has(action.digest))
    const rules = joinRules(overlap ? (before?.rules ?? []) : [], [loop.spec.approvals])
    const approvals = carriedApprovals(before, held, now)
    return {
      ...{ format: 1, name: this.#newName(loop.id, hash, now), loop: loop.id, hash, held },
      phase: approvals.length === 0 ? "Pending" : "Approved",
      createdAt: toTimestamp(this.#ports.clock.now()),
      rules,
      expiresAt: now + Math.min(...rules.map((one) => one.expiresAfterMs)),
      approvals,
      done: [],
    }
  }

  /** Of this moment: a request that approved an old plan of the same hash never fits a new one. */
  #newName(loop: string, hash: string, now: number): string {
    const { plans } = this.#ports.ledger
    const nameOf = (count: number) => {
      const id = sha256([loop, hash, now, count].join(" ")).slice(0, 10)
      return `${parseLoopId(loop).name}-${id}`
    }
    let count = 0
    while (plans.get(nameOf(count)) !== undefined) count++
    return nameOf(count)
  }

  /** What can't be written does not count: memory then says what the store says. */
  async commit(loop: string, principal: Principal, steps: readonly Step[]): Promise<void> {
    if (steps.length === 0) return
    const { ledger, publish } = this.#ports
    const events = steps.flatMap((step) => step.events)
    const writes = steps.flatMap((step) => step.writes)
    const before = steps.flatMap((step) => step.before ?? [])
    const after = steps.flatMap((step) => step.after ?? [])
    const atOnce = isSmall(before, after)
    try {
      if (!atOnce) for (const some of portions(before)) await ledger.note(loop, principal, [], some)
      const first = atOnce ? [...before, ...writes, ...after.map((one) => one.make())] : writes
      await ledger.note(loop, principal, events, first)
    } catch (error) {
      if (protects("undone-when-not-written")) {
        if (atOnce) for (const one of after) one.undo()
        for (const step of steps.toReversed()) step.undo?.()
      }
      throw error
    }
    if (!atOnce) await this.follow(loop, principal, after)
    for (const plan of steps.flatMap((step) => step.plans)) await publish(plan)
  }

  /** Each portion counts when it is durable, and not before. */
  async follow(loop: string, principal: Principal, after: readonly Following[]): Promise<void> {
    for (let from = 0; from < after.length; from += writesInOne) {
      const some = after.slice(from, from + writesInOne)
      try {
        const writes = some.map((one) => one.make())
        await this.#ports.ledger.note(loop, principal, [], writes)
      } catch (error) {
        for (const one of some) one.undo()
        throw error
      }
    }
  }

  /** What a crash left of plans that were never whole. */
  async forgetLoose(): Promise<void> {
    const { ledger } = this.#ports
    for (const some of portions(ledger.plans.dropLoose())) {
      await ledger.note("plane", enginePrincipal, [], some)
    }
  }

  async forgetOld(loop: string): Promise<void> {
    const { ledger } = this.#ports
    const ended = ledger.plans.ofLoop(loop).filter((plan) => endedPhases.has(plan.phase))
    const writes = ended.slice(0, -endedKept).flatMap((plan) => ledger.plans.drop(plan.name))
    for (const some of portions(writes)) await ledger.note(loop, enginePrincipal, [], some)
  }
}

const bytesOf = (write: Write): number => (write.kind === "put" ? write.value.length : 0)

function isSmall(before: readonly Write[], after: readonly Following[]): boolean {
  const bytes = before.reduce((sum, write) => sum + bytesOf(write), 0)
  return before.length + after.length <= writesInOne && bytes <= bytesInOne
}

function portions(writes: readonly Write[]): Write[][] {
  const found: Write[][] = []
  let bytes = 0
  for (const write of writes) {
    const last = found.at(-1)
    bytes += bytesOf(write)
    if (last === undefined || last.length >= writesInOne || bytes > bytesInOne) {
      found.push([write])
      bytes = bytesOf(write)
    } else last.push(write)
  }
  return found
}
