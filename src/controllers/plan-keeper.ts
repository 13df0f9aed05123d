// Keeps plans true to what is held. One pending plan per loop; a new held action makes a new plan
// that supersedes it. Approving a plan is valid as long as each of its digests is still held and
// unchanged: it is looked at again first, and what changed is named.

import { KeyedLock } from "../base/async.ts"
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
}

/** Ended plans that are kept for people to look at, per loop. */
const endedKept = 50

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
      const open = plan.held.filter(({ action }) => !plan.done.includes(action.digest))
      this.#approve(loop, plan, open)
      await this.#ports.execute(loop, open, plan)
    }
  }

  /** Brings the pending plan in line with what is held. */
  refresh(loop: LoopEngine): Promise<void> {
    return this.#locks.run(loop.id, () => this.#refresh(loop))
  }

  pending(loop: string): PlanDocument | undefined {
    return this.#ports.ledger.plans.ofLoop(loop).find((plan) => plan.phase === "Pending")
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
    for (const held of chosen) await this.#ports.recheck(loop, held)
    return this.#locks.run(loop.id, () => this.#grant(loop, plan, chosen, principal))
  }

  async reject(name: string, principal: Principal): Promise<PlanDocument> {
    const plan = this.#need(name)
    this.#mayDecide(plan, "reject", principal)
    const { ledger, clock } = this.#ports
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
    for (const { action } of plan.held) {
      loop?.held.drop(action.uid, action.verb === "delete" ? "delete" : "act")
    }
    return this.#locks.run(plan.loop, () =>
      this.#move(plan, "Rejected", principal, `rejected by ${principal.name}`, {}, writes),
    )
  }

  /** An approved action has its receipt. */
  acted(loop: LoopEngine, uid: string, digest: string): Promise<void> {
    return this.#locks.run(loop.id, async () => {
      loop.approvals.delete(digest)
      const plans = this.#ports.ledger.plans.ofLoop(loop.id)
      for (const plan of plans.filter((one) => one.phase === "Executing")) {
        const open = plan.held.filter(({ action }) => !plan.done.includes(action.digest))
        const hit = open.find(({ action }) => action.digest === digest || action.uid === uid)
        if (hit === undefined) continue
        loop.approvals.delete(hit.action.digest)
        await this.#countDone(plan, hit.action.digest)
      }
    })
  }

  async #countDone(plan: PlanDocument, digest: string): Promise<void> {
    const done = [...plan.done, digest]
    const all = plan.approved?.length ?? plan.held.length
    if (done.length >= all) {
      await this.#move(plan, "Done", enginePrincipal, `${done.length} of ${all} done`, { done }, [])
      return
    }
    const { ledger } = this.#ports
    await ledger.note(plan.loop, enginePrincipal, [], [ledger.plans.put({ ...plan, done })])
  }

  async #grant(
    loop: LoopEngine,
    plan: PlanDocument,
    chosen: readonly HeldAction[],
    principal: Principal,
  ): Promise<PlanDocument> {
    const gone = chosen.filter(({ action }) => loop.held.byDigest(action.digest) === undefined)
    if (gone.length > 0) {
      const changed = describeChanged(loop, gone)
      await this.#move(plan, "Stale", enginePrincipal, changed, {}, [])
      await this.#refresh(loop)
      throw controllerFault("SPT-PLAN-004", { plan: plan.name, changed })
    }
    const { ledger, clock } = this.#ports
    const at = toTimestamp(clock.now())
    const grants = chosen.flatMap(({ action }): Write[] => {
      if (action.verb !== "delete") return []
      const { uid, token, cause } = action
      const revision =
        cause.sourceRevision === undefined ? {} : { sourceRevision: cause.sourceRevision }
      return [
        ledger.budgets.grant({
          ...{ uid, loop: loop.id, at: ledger.time.now(), plan: plan.name },
          principal: principal.name,
          cause: `${cause.text}; approved by ${principal.name}`,
          ...revision,
          ...(token === undefined ? {} : { token }),
        }),
      ]
    })
    const approvals = [...plan.approvals, { principal: principal.name, at }]
    const approved = chosen.map(({ action }) => action.digest)
    const note = `approved by ${principal.name}`
    const change = { approvals, approved }
    const moved = await this.#move(plan, "Executing", principal, note, change, grants)
    this.#approve(loop, moved, chosen)
    for (const { action } of chosen) {
      loop.held.drop(action.uid, action.verb === "delete" ? "delete" : "act")
    }
    await this.#refresh(loop)
    await this.#ports.execute(loop, chosen, moved)
    return moved
  }

  #approve(loop: LoopEngine, plan: PlanDocument, held: readonly HeldAction[]): void {
    const principal = plan.approvals.at(-1)?.principal ?? enginePrincipal.name
    for (const { action } of held) loop.approvals.set(action.digest, { plan: plan.name, principal })
  }

  async #refresh(loop: LoopEngine): Promise<void> {
    const pending = this.pending(loop.id)
    const held = loop.held.all()
    if (held.length === 0) {
      if (pending !== undefined) {
        await this.#move(
          pending,
          "Stale",
          enginePrincipal,
          "nothing of it is asked for any more",
          {},
          [],
        )
      }
      return
    }
    const hash = loop.held.hash()
    if (pending?.hash === hash) return
    const plan = this.#newPlan(loop, hash, held)
    if (pending !== undefined) {
      const note = `replaced by ${plan.name}`
      await this.#move(pending, "Superseded", enginePrincipal, note, {}, [])
    }
    const { ledger } = this.#ports
    const reasons = held.flatMap((one) => one.reasons).slice(0, 20)
    const digests = held.map((one) => one.action.digest)
    const event: JournalEvent = { type: "held", plan: plan.name, hash, digests, reasons }
    await ledger.note(loop.id, enginePrincipal, [event], [ledger.plans.put(plan)])
    await this.#ports.publish(plan)
    await this.#forgetOld(loop.id)
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

  async #move(
    plan: PlanDocument,
    phase: PlanPhase,
    principal: Principal,
    note: string,
    change: Partial<PlanDocument>,
    writes: readonly Write[],
  ): Promise<PlanDocument> {
    const { ledger } = this.#ports
    const moved: PlanDocument = { ...plan, ...change, phase, note }
    const event: JournalEvent = { type: "plan", plan: plan.name, phase, hash: plan.hash, note }
    await ledger.note(plan.loop, principal, [event], [ledger.plans.put(moved), ...writes])
    await this.#ports.publish(moved)
    return moved
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
