// Keeps plans true to what is held. One pending plan per loop; a new held action makes a new plan
// that supersedes it. Approving a plan is valid as long as each of its digests is still held and
// unchanged: it is looked at again first, and what changed is named.

import { KeyedLock, mapBounded } from "../base/async.ts"
import { type Clock, toTimestamp } from "../base/clock.ts"
import type { JournalEvent } from "../contract/journal.ts"
import { parseLoopId } from "../contract/loop.ts"
import { endedPhases, type PlanPhase } from "../contract/plan.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { controllerFault } from "./faults.ts"

export interface PlanKeeperPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  loopOf(id: string): LoopEngine | undefined
  /** Looks at the target of a held action again, so that the held set knows of any change. */
  recheck(loop: LoopEngine, held: HeldAction): Promise<void>
  /** Makes the Plan object show this; never throws. */
  publish(plan: PlanDocument): Promise<void>
  /** Sets approved actions going: marks for deletes, a pass for the rest. */
  execute(loop: LoopEngine, held: readonly HeldAction[], plan: PlanDocument): Promise<void>
  /** What is held for this object changed, and its status should say so. */
  wake(key: string): void
}

/** Ended plans that are kept for people to look at, per loop. */
const endedKept = 50
const recheckedAtOnce = 64

/** What one commit does to plans. */
interface Step {
  readonly events: readonly JournalEvent[]
  readonly writes: readonly Write[]
  readonly plans: readonly PlanDocument[]
}

const slotOf = ({ action }: HeldAction) => (action.verb === "delete" ? "delete" : "act")

export class PlanKeeper {
  readonly #ports: PlanKeeperPorts
  readonly #locks = new KeyedLock()

  constructor(ports: PlanKeeperPorts) {
    this.#ports = ports
  }

  /** After a restart: approvals of plans that were being executed stand. */
  async resume(): Promise<void> {
    for (const plan of this.#ports.ledger.plans.all()) {
      await this.#ports.publish(plan)
      const loop = this.#ports.loopOf(plan.loop)
      if (loop === undefined || plan.phase !== "Executing") continue
      const open = openActions(plan)
      this.#approve(loop, plan, open)
      await this.#ports.execute(loop, open, plan)
    }
  }

  /** Brings the pending plan in line with what is held. */
  refresh(loop: LoopEngine): Promise<void> {
    return this.#locks.run(loop.id, () => this.#refresh(loop))
  }

  pending(loop: string): PlanDocument | undefined {
    return this.#ports.ledger.plans.pending(loop)
  }

  async approve(
    name: string,
    hash: string,
    principal: Principal,
    digests?: readonly string[],
  ): Promise<PlanDocument> {
    const plan = this.#need(name)
    this.#mayDecide(plan, "approve", principal)
    if (plan.hash !== hash) throw controllerFault("SPT-PLAN-003", { plan: name })
    const loop = this.#ports.loopOf(plan.loop)
    if (loop === undefined) throw controllerFault("SPT-PLAN-001", { plan: name })
    const chosen = chooseActions(plan, digests)
    await mapBounded(chosen, recheckedAtOnce, (held) => this.#ports.recheck(loop, held))
    const moved = await this.#locks.run(loop.id, () => this.#grant(loop, name, chosen, principal))
    // Outside the lock: marking may lead to a judgement that brings this loop's plan in line.
    await this.#ports.execute(loop, chosen, moved)
    return moved
  }

  reject(name: string, principal: Principal): Promise<PlanDocument> {
    return this.#locks.run(this.#need(name).loop, () => this.#reject(name, principal))
  }

  async #reject(name: string, principal: Principal): Promise<PlanDocument> {
    const plan = this.#need(name)
    this.#mayDecide(plan, "reject", principal)
    const { ledger, clock, wake } = this.#ports
    const loop = this.#ports.loopOf(plan.loop)
    const at = toTimestamp(clock.now())
    const writes: Write[] = plan.held.map(({ action, desiredHash }) =>
      ledger.plans.reject({
        uid: action.uid,
        verb: action.verb,
        loop: plan.loop,
        generation: action.generation,
        desiredHash,
        sourceRevision: loop?.sourceRevision ?? "",
        principal: principal.name,
        at,
      }),
    )
    for (const held of plan.held) loop?.held.drop(held.action.uid, slotOf(held))
    const step = this.#moved(plan, "Rejected", `rejected by ${principal.name}`)
    await this.#commit(plan.loop, principal, [step, { events: [], writes, plans: [] }])
    for (const { action } of plan.held) wake(action.object)
    return this.#need(name)
  }

  /** An approved action has its receipt, or nothing of it is left to do. */
  acted(loop: LoopEngine, uid: string, digest: string): Promise<void> {
    return this.#locks.run(loop.id, async () => {
      loop.approvals.delete(digest)
      for (const plan of this.#executing(loop.id)) {
        const open = openActions(plan)
        const hit = open.find(({ action }) => action.digest === digest || action.uid === uid)
        if (hit === undefined) continue
        loop.approvals.delete(hit.action.digest)
        await this.#countDone(plan, hit.action.digest)
      }
    })
  }

  /** The object is as declared, or gone: whatever was approved for it needs no act any more. */
  async concluded(loop: LoopEngine, uid: string): Promise<void> {
    const open = this.#executing(loop.id).flatMap(openActions)
    if (open.some(({ action }) => action.uid === uid)) await this.acted(loop, uid, "")
  }

  #executing(loop: string): PlanDocument[] {
    return this.#ports.ledger.plans.ofLoop(loop).filter((plan) => plan.phase === "Executing")
  }

  async #countDone(plan: PlanDocument, digest: string): Promise<void> {
    const done = [...plan.done, digest]
    const all = plan.approved?.length ?? plan.held.length
    if (done.length >= all) {
      const step = this.#moved(plan, "Done", `${done.length} of ${all} done`, { done })
      await this.#commit(plan.loop, enginePrincipal, [step])
      return
    }
    const { ledger } = this.#ports
    await ledger.note(plan.loop, enginePrincipal, [], [ledger.plans.put({ ...plan, done })])
  }

  async #grant(
    loop: LoopEngine,
    name: string,
    chosen: readonly HeldAction[],
    principal: Principal,
  ): Promise<PlanDocument> {
    const plan = this.#need(name)
    this.#mayDecide(plan, "approve", principal) // Someone else may have decided meanwhile.
    const gone = chosen.filter(({ action }) => loop.held.byDigest(action.digest) === undefined)
    if (gone.length > 0) {
      const changed = describeChanged(loop, gone)
      const stale = this.#moved(plan, "Stale", changed)
      await this.#commit(loop.id, enginePrincipal, [stale, ...this.#inLine(loop)])
      throw controllerFault("SPT-PLAN-004", { plan: plan.name, changed })
    }
    const at = toTimestamp(this.#ports.clock.now())
    const approvals = [...plan.approvals, { principal: principal.name, at }]
    const approved = chosen.map(({ action }) => action.digest)
    const note = `approved by ${principal.name}`
    const step = this.#moved(plan, "Executing", note, { approvals, approved })
    const writes = this.#grants(loop, plan, chosen, principal)
    const moved = this.#need(name)
    this.#approve(loop, moved, chosen)
    for (const held of chosen) loop.held.drop(held.action.uid, slotOf(held))
    // One commit: what stays held is never without its plan, not even over a crash.
    const rest = this.#inLine(loop)
    await this.#commit(loop.id, principal, [step, { events: [], writes, plans: [] }, ...rest])
    return moved
  }

  /** An approved delete carries its permission, bound to the target as it was looked at. */
  #grants(
    loop: LoopEngine,
    plan: PlanDocument,
    chosen: readonly HeldAction[],
    principal: Principal,
  ): Write[] {
    const { budgets, time } = this.#ports.ledger
    return chosen.flatMap(({ action }): Write[] => {
      if (action.verb !== "delete") return []
      const { uid, token, cause } = action
      const revision =
        cause.sourceRevision === undefined ? {} : { sourceRevision: cause.sourceRevision }
      return [
        budgets.grant({
          ...{ uid, loop: loop.id, at: time.now(), plan: plan.name },
          principal: principal.name,
          cause: `${cause.text}; approved by ${principal.name}`,
          ...revision,
          ...(token === undefined ? {} : { token }),
        }),
      ]
    })
  }

  #approve(loop: LoopEngine, plan: PlanDocument, held: readonly HeldAction[]): void {
    const principal = plan.approvals.at(-1)?.principal ?? enginePrincipal.name
    for (const { action } of held) loop.approvals.set(action.digest, { plan: plan.name, principal })
  }

  async #refresh(loop: LoopEngine): Promise<void> {
    const before = this.pending(loop.id)?.held ?? []
    const steps = this.#inLine(loop)
    if (steps.length === 0) return
    await this.#commit(loop.id, enginePrincipal, steps)
    const now = loop.held.all()
    const known = new Set(before.map(({ action }) => action.digest))
    const kept = new Set(now.map(({ action }) => action.digest))
    for (const { action } of now) if (!known.has(action.digest)) this.#ports.wake(action.object)
    for (const { action } of before) if (!kept.has(action.digest)) this.#ports.wake(action.object)
    await this.#forgetOld(loop.id)
  }

  /** What brings the pending plan in line with what is held; nothing when it is. */
  #inLine(loop: LoopEngine): Step[] {
    const pending = this.pending(loop.id)
    const held = loop.held.all()
    if (held.length === 0) {
      const note = "nothing of it is asked for any more"
      return pending === undefined ? [] : [this.#moved(pending, "Stale", note)]
    }
    const hash = loop.held.hash()
    if (pending?.hash === hash) return []
    const plan = this.#newPlan(loop, hash, held)
    const note = `replaced by ${plan.name}`
    const over = pending === undefined ? [] : [this.#moved(pending, "Superseded", note)]
    const reasons = held.flatMap((one) => one.reasons).slice(0, 20)
    const digests = held.map((one) => one.action.digest)
    const event: JournalEvent = { type: "held", plan: plan.name, hash, digests, reasons }
    const writes = [this.#ports.ledger.plans.put(plan)]
    return [...over, { events: [event], writes, plans: [plan] }]
  }

  #newPlan(loop: LoopEngine, hash: string, held: readonly HeldAction[]): PlanDocument {
    const { plans } = this.#ports.ledger
    const base = `${parseLoopId(loop.id).name}-${hash.slice(0, 10)}`
    let name = base
    for (let count = 2; plans.get(name) !== undefined; count++) name = `${base}-${count}`
    const createdAt = toTimestamp(this.#ports.clock.now())
    return {
      ...{ format: 1, name, loop: loop.id, hash, phase: "Pending", held, createdAt },
      approvals: [],
      done: [],
    }
  }

  #moved(
    plan: PlanDocument,
    phase: PlanPhase,
    note: string,
    change: Partial<PlanDocument> = {},
  ): Step {
    const moved: PlanDocument = { ...plan, ...change, phase, note }
    const event: JournalEvent = { type: "plan", plan: plan.name, phase, hash: plan.hash, note }
    return { events: [event], writes: [this.#ports.ledger.plans.put(moved)], plans: [moved] }
  }

  async #commit(loop: string, principal: Principal, steps: readonly Step[]): Promise<void> {
    const events = steps.flatMap((step) => step.events)
    const writes = steps.flatMap((step) => step.writes)
    await this.#ports.ledger.note(loop, principal, events, writes)
    for (const plan of steps.flatMap((step) => step.plans)) await this.#ports.publish(plan)
  }

  async #forgetOld(loop: string): Promise<void> {
    const { ledger } = this.#ports
    const ended = ledger.plans.ofLoop(loop).filter((plan) => endedPhases.has(plan.phase))
    const writes = ended.slice(0, -endedKept).flatMap((plan) => ledger.plans.drop(plan.name) ?? [])
    if (writes.length > 0) await ledger.note(loop, enginePrincipal, [], writes)
  }

  #need(name: string): PlanDocument {
    const plan = this.#ports.ledger.plans.get(name)
    if (plan === undefined) throw controllerFault("SPT-PLAN-001", { plan: name })
    return plan
  }

  #mayDecide(plan: PlanDocument, decision: string, principal: Principal): void {
    if (principal.kind !== "human") {
      const { name, kind } = principal
      throw controllerFault("SPT-PLAN-005", { plan: plan.name, decision, principal: name, kind })
    }
    // A superseded plan may still be approved: what counts is that its digests are still held.
    const open = plan.phase === "Pending" || (decision === "approve" && plan.phase === "Superseded")
    if (open) return
    throw controllerFault("SPT-PLAN-002", { plan: plan.name, decision, phase: plan.phase })
  }
}

/** Approved, and without a receipt. */
function openActions(plan: PlanDocument): HeldAction[] {
  const { approved, done } = plan
  const chosen = plan.held.filter(({ action }) => approved?.includes(action.digest) ?? true)
  return chosen.filter(({ action }) => !done.includes(action.digest))
}

function chooseActions(plan: PlanDocument, digests?: readonly string[]): readonly HeldAction[] {
  if (digests === undefined) return plan.held
  return digests.map((digest) => {
    const held = plan.held.find(({ action }) => action.digest.startsWith(digest))
    if (held === undefined) throw controllerFault("SPT-PLAN-006", { plan: plan.name, digest })
    return held
  })
}

function describeChanged(loop: LoopEngine, gone: readonly HeldAction[]): string {
  const named = gone.slice(0, 5).map(({ action }) => {
    const slot = action.verb === "delete" ? "delete" : "act"
    const now = loop.held.get(action.uid, slot)
    return now === undefined
      ? `${action.target} is not waiting any more`
      : `${action.target} changed after the plan was made`
  })
  const more = gone.length > named.length ? `, and ${gone.length - named.length} more` : ""
  return `${named.join(", ")}${more}`
}
