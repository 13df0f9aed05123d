// Keeps plans true to what is held. One plan of a loop waits at a time; a new held action makes a
// new plan that supersedes it. Approving a plan is valid as long as each of its digests is still
// held and unchanged: it is looked at again first, and what changed is named.

import { KeyedLock, mapBounded } from "../base/async.ts"
import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import type { ApprovalRules } from "../contract/loop.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, PlanApproval, PlanDocument } from "../ledger/plan-ledger.ts"
import { allSlots, type Slot, slotOf } from "../reconcile/held-set.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { controllerFault } from "./faults.ts"
import {
  approversOf,
  checkApprover,
  checkDecidable,
  chooseActions,
  type Decision,
  describeChanged,
  joinRules,
  openActions,
  requiredBy,
} from "./plan-approval.ts"
import { expiredPlans, expiryDelayMs, expiryNote, takeBack } from "./plan-expiry.ts"
import { grants, missingGrants, rejections, setApprovals } from "./plan-grants.ts"
import { PlanSteps, type Step } from "./plan-steps.ts"

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
  failed(error: unknown): void
}

const recheckedAtOnce = 64
const nothing = { events: [], writes: [], plans: [] } as const

const drop = (loop: LoopEngine | undefined, { action }: HeldAction) =>
  loop?.held.drop(action.uid, slotOf(action))

/** What one approval comes to: the plan as it is now, and what may be done because of it. */
interface Granted {
  readonly plan: PlanDocument
  readonly enough: readonly HeldAction[]
}

export class PlanKeeper {
  readonly #ports: PlanKeeperPorts
  readonly #steps: PlanSteps
  readonly #locks = new KeyedLock()
  readonly #timers = new Map<string, Timer>()
  #closed = false

  constructor(ports: PlanKeeperPorts) {
    this.#ports = ports
    this.#steps = new PlanSteps(ports)
  }

  /** After a restart: approvals of plans that were being executed stand, unless they are over. */
  async resume(): Promise<void> {
    const { ledger, loopOf, publish, execute } = this.#ports
    await this.#steps.forgetLoose()
    const loops = new Set(ledger.plans.all().map((plan) => plan.loop))
    for (const id of loops) {
      const loop = loopOf(id)
      if (loop !== undefined) await this.expire(loop)
    }
    for (const plan of ledger.plans.all()) {
      await publish(plan)
      const loop = loopOf(plan.loop)
      if (loop === undefined || plan.phase !== "Executing") continue
      const open = openActions(plan)
      if (open.length === 0) await this.acted(loop, "", "")
      await this.#steps.follow(loop.id, enginePrincipal, missingGrants(loop, plan, open, ledger))
      setApprovals(loop, plan, open)
      await execute(loop, open, plan)
    }
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers.values()) timer.cancel()
  }

  /** Brings the waiting plan in line with what is held. */
  refresh(loop: LoopEngine): Promise<void> {
    return this.#locks.run(loop.id, () => this.#refresh(loop))
  }

  /** The plan that waits for people. */
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
    this.#checkDecidable(plan, "approve", principal)
    const named = plan.hash === hash || !protects("approval-names-the-hash")
    if (!named) throw controllerFault("SPT-PLAN-003", { plan: name, decision: "approve" })
    const loop = this.#ports.loopOf(plan.loop)
    if (loop === undefined) throw controllerFault("SPT-PLAN-001", { plan: name })
    const chosen = chooseActions(plan, digests)
    this.#checkApprover(loop, plan, chosen, principal) // Before anything is looked at for nothing.
    await mapBounded(chosen, recheckedAtOnce, (held) => this.#ports.recheck(loop, held))
    const granted = await this.#locks.run(loop.id, () => this.#grant(loop, name, chosen, principal))
    // Outside the lock: marking may lead to a judgement that brings this loop's plan in line.
    await this.#ports.execute(loop, granted.enough, granted.plan)
    return granted.plan
  }

  reject(name: string, principal: Principal): Promise<PlanDocument> {
    return this.#locks.run(this.#need(name).loop, () => this.#reject(name, principal))
  }

  async #reject(name: string, principal: Principal): Promise<PlanDocument> {
    const plan = this.#need(name)
    this.#checkDecidable(plan, "reject", principal)
    const { ledger, clock, wake } = this.#ports
    const loop = this.#ports.loopOf(plan.loop)
    const at = toTimestamp(clock.now())
    const sourceRevision = loop?.sourceRevision ?? ""
    const after = rejections(plan, { sourceRevision, principal: principal.name, at }, ledger)
    const step = this.#steps.moved(plan, "Rejected", `rejected by ${principal.name}`)
    await this.#commit(plan.loop, principal, [step, { ...nothing, after }])
    for (const held of plan.held) drop(loop, held)
    for (const { action } of plan.held) wake(action.object)
    return this.#need(name)
  }

  /** An approved action has its receipt, or nothing of it is left to do. */
  acted(loop: LoopEngine, uid: string, digest: string, slots = allSlots): Promise<void> {
    return this.#locks.run(loop.id, async () => {
      loop.approvals.delete(digest)
      const isOver = ({ action }: HeldAction) =>
        action.uid === uid && slots.includes(slotOf(action))
      // No pause before the commit: receipts of other acts count themselves meanwhile.
      const plans = this.#executing(loop.id)
      const steps = plans.flatMap((plan) => this.#countDone(loop, plan, isOver))
      await this.#commit(loop.id, enginePrincipal, steps)
    })
  }

  #countDone(loop: LoopEngine, plan: PlanDocument, isOver: (held: HeldAction) => boolean): Step[] {
    const hits = openActions(plan).filter(isOver)
    for (const { action } of hits) loop.approvals.delete(action.digest)
    const done = [...plan.done, ...hits.map(({ action }) => action.digest)]
    const all = plan.approved?.length ?? plan.held.length
    if (done.length >= all) {
      return [this.#steps.moved(plan, "Done", `${done.length} of ${all} done`, { done })]
    }
    if (hits.length === 0) return []
    return [{ ...this.#steps.changed({ ...plan, done }), plans: [] }]
  }

  /** The object is gone, or what these slots asked for is so: their approvals need no act. */
  async concluded(loop: LoopEngine, uid: string, slots: readonly Slot[] = allSlots): Promise<void> {
    const open = this.#executing(loop.id).flatMap(openActions)
    const isOver = open.some(({ action }) => action.uid === uid && slots.includes(slotOf(action)))
    if (isOver) await this.acted(loop, uid, "", slots)
  }

  #executing(loop: string): PlanDocument[] {
    return this.#ports.ledger.plans.ofLoop(loop).filter((plan) => plan.phase === "Executing")
  }

  async #grant(
    loop: LoopEngine,
    name: string,
    chosen: readonly HeldAction[],
    principal: Principal,
  ): Promise<Granted> {
    await this.#commit(loop.id, enginePrincipal, this.#steps.inLine(loop))
    const plan = this.#need(name)
    this.#checkDecidable(plan, "approve", principal) // Someone else may have decided meanwhile.
    const gone = chosen.filter(({ action }) => loop.held.byDigest(action.digest) === undefined)
    if (gone.length > 0) {
      const changed = describeChanged(loop, gone)
      const stale = this.#steps.moved(plan, "Stale", changed)
      const anew = this.#steps.inLine(loop, plan)
      await this.#commit(loop.id, enginePrincipal, [stale, ...anew])
      throw controllerFault("SPT-PLAN-004", { plan: plan.name, changed })
    }
    const { fresh, rules, waiting } = this.#checkApprover(loop, plan, chosen, principal)
    const now = this.#ports.ledger.time.now()
    const approval: PlanApproval = {
      principal: principal.name,
      at: toTimestamp(this.#ports.clock.now()),
      digests: fresh.map(({ action }) => action.digest),
      expiresAt: Math.min(plan.expiresAt ?? now, waiting.expiresAt ?? now),
    }
    const approvals = [...waiting.approvals, approval]
    const people = (held: HeldAction) => approversOf(held.action, approvals, rules, now)
    const enough = chosen.filter((held) => people(held).length >= requiredBy(rules))
    if (enough.length === 0) {
      const given = Math.min(...chosen.map((held) => people(held).length))
      const note = `approved by ${principal.name}: ${given} of ${requiredBy(rules)}`
      return this.#keepApproval(loop, principal, { plan, waiting, approvals, approval, note })
    }
    const names = [...new Set(enough.flatMap(people))].join(", ")
    return this.#letGo(loop, principal, { plan, waiting, approvals, enough, names })
  }

  /** Not enough yet: what waits remembers it. */
  async #keepApproval(
    loop: LoopEngine,
    principal: Principal,
    given: {
      readonly plan: PlanDocument
      readonly waiting: PlanDocument
      readonly approvals: readonly PlanApproval[]
      readonly approval: PlanApproval
      readonly note: string
    },
  ): Promise<Granted> {
    const { plan, waiting, approvals, approval, note } = given
    const steps = [this.#steps.moved(waiting, "Approved", note, { approvals })]
    if (plan.name !== waiting.name) {
      steps.push(this.#steps.changed({ ...plan, approvals: [...plan.approvals, approval] }))
    }
    await this.#commit(loop.id, principal, steps)
    return { plan: this.#need(plan.name), enough: [] }
  }

  /** Enough: these may be done. What stays keeps the approvals it has, in its own plan. */
  async #letGo(
    loop: LoopEngine,
    principal: Principal,
    given: {
      readonly plan: PlanDocument
      readonly waiting: PlanDocument
      readonly approvals: readonly PlanApproval[]
      readonly enough: readonly HeldAction[]
      readonly names: string
    },
  ): Promise<Granted> {
    const { plan, waiting, approvals, enough, names } = given
    const approved = enough.map(({ action }) => action.digest)
    const note = `approved by ${names}`
    const steps = [this.#steps.moved(plan, "Executing", note, { approvals, approved })]
    const moved = this.#need(plan.name)
    const after = grants(loop, moved, enough, this.#ports.ledger)
    // One commit: what stays held is never without its plan, not even over a crash.
    const rest = this.#steps.inLine(loop, { ...waiting, approvals }, new Set(approved))
    await this.#commit(loop.id, principal, [...steps, { ...nothing, after }, ...rest])
    // Only now: what is not durable must let nothing pass.
    setApprovals(loop, moved, enough)
    for (const held of enough) drop(loop, held)
    return { plan: moved, enough }
  }

  async #refresh(loop: LoopEngine): Promise<void> {
    const before = this.pending(loop.id)?.held ?? []
    const steps = [
      ...this.#steps.voided(loop, this.#executing(loop.id)),
      ...this.#steps.inLine(loop),
    ]
    if (steps.length === 0) return
    await this.#commit(loop.id, enginePrincipal, steps)
    this.#wakeChanged(before, loop.held.all())
    await this.#steps.forgetOld(loop.id)
  }

  #wakeChanged(before: readonly HeldAction[], now: readonly HeldAction[]): void {
    const known = new Set(before.map(({ action }) => action.digest))
    const kept = new Set(now.map(({ action }) => action.digest))
    for (const { action } of now) if (!known.has(action.digest)) this.#ports.wake(action.object)
    for (const { action } of before) if (!kept.has(action.digest)) this.#ports.wake(action.object)
  }

  /** Ends what is over: approvals are void, and what is still asked for is held in a fresh plan. */
  expire(loop: LoopEngine): Promise<void> {
    return this.#locks.run(loop.id, async () => {
      const { ledger } = this.#ports
      const plans = expiredPlans(ledger.plans.ofLoop(loop.id), loop, ledger.time.now())
      const steps = plans.map((plan): Step => {
        const step = this.#steps.moved(plan, "Expired", expiryNote(plan))
        return {
          ...step,
          before: [...(step.before ?? []), ...takeBack(plan, loop, ledger.budgets)],
        }
      })
      if (steps.length > 0) {
        await this.#commit(loop.id, enginePrincipal, [...steps, ...this.#steps.inLine(loop)])
        for (const { action } of loop.held.all()) this.#ports.wake(action.object)
        await this.#steps.forgetOld(loop.id)
      }
      this.#schedule(loop.id)
    })
  }

  #schedule(id: string): void {
    const { clock, ledger, loopOf, failed } = this.#ports
    this.#timers.get(id)?.cancel()
    this.#timers.delete(id)
    const delayMs = expiryDelayMs(ledger.plans.ofLoop(id), ledger.time.now())
    if (this.#closed || delayMs === undefined) return
    const look = () => {
      const loop = loopOf(id)
      if (loop !== undefined) this.expire(loop).catch(failed)
    }
    this.#timers.set(id, clock.after(delayMs, look))
  }

  async #commit(loop: string, principal: Principal, steps: readonly Step[]): Promise<void> {
    await this.#steps.commit(loop, principal, steps)
    if (steps.some((step) => step.plans.length > 0)) this.#schedule(loop)
  }

  #need(name: string): PlanDocument {
    const plan = this.#ports.ledger.plans.get(name)
    if (plan === undefined) throw controllerFault("SPT-PLAN-001", { plan: name })
    return plan
  }

  #checkDecidable(plan: PlanDocument, decision: Decision, principal: Principal): void {
    checkDecidable(plan, decision, principal, this.#ports.ledger.time.now())
  }

  /** What is approved counts with what waits now: a superseded plan's actions wait there. */
  #checkApprover(
    loop: LoopEngine,
    plan: PlanDocument,
    chosen: readonly HeldAction[],
    principal: Principal,
  ): {
    readonly fresh: readonly HeldAction[]
    readonly rules: readonly ApprovalRules[]
    readonly waiting: PlanDocument
  } {
    const waiting = this.pending(loop.id) ?? plan
    const made = joinRules(plan.rules ?? [], waiting.rules ?? [])
    const rules = joinRules(made, [loop.spec.approvals])
    const now = this.#ports.ledger.time.now()
    const fresh = checkApprover(plan, chosen, waiting.approvals, rules, principal, now)
    return { fresh, rules, waiting }
  }
}
