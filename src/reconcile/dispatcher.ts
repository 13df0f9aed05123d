// Hands admitted actions to the actuator: a bounded number at a time, those of one scope together
// where the medium is atomic, and never on an object that has changed since it was judged.

import type { ActReport, Actuator, Admitted } from "../actuator/actuator.ts"
import type { Breath } from "../base/breath.ts"
import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import { type Action, destroysOf } from "../contract/action.ts"
import { failureOf } from "../contract/diagnosis.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ApiObject } from "../object/object.ts"
import type { WorkQueue } from "../queue/work-queue.ts"
import type { LoopEngine } from "./loop-engine.ts"
import type { Proposal } from "./proposal.ts"
import { RelistBatch } from "./relist-batch.ts"
import type { Reporter } from "./reporter.ts"

export interface DispatcherPorts {
  readonly clock: Clock
  readonly breath: Breath
  readonly ledger: Ledger
  readonly actuator: Actuator
  readonly queue: WorkQueue
  readonly reporter: Reporter
  object(key: string): Promise<ApiObject | undefined>
  /** What the informer knows of it right now. */
  entry(key: string): ObjectEntry | undefined
  principalOf(loop: LoopEngine, action: Action): Principal
  /** A receipt exists; plans count their actions by it. */
  acted(loop: LoopEngine, report: ActReport): Promise<void>
  failed(error: unknown): void
}

export interface ObjectEntry {
  readonly uid: string
  readonly generation: number
  readonly marked: boolean
  /** NAMESPACE.NAME; "" when it was released. */
  readonly loop: string
}

const actsMax = 16
/** One intent lists at most so many actions. */
const batchMax = 500

interface Job {
  readonly loop: LoopEngine
  readonly proposals: readonly Proposal[]
}

export class Dispatcher {
  readonly #ports: DispatcherPorts
  readonly #relist: RelistBatch
  #waiting: Job[] = []
  #running = 0
  #idle: (() => void)[] = []

  constructor(ports: DispatcherPorts) {
    this.#ports = ports
    this.#relist = new RelistBatch(ports.clock, (key) => this.#lookAgain(key))
  }

  /** Their UIDs count as acting already: a round sets that when it is judged. */
  dispatch(loop: LoopEngine, proposals: readonly Proposal[]): void {
    this.#waiting.push(...group(proposals).map((one) => ({ loop, proposals: one })))
    this.#pump()
  }

  /** Resolves when nothing is under way; what waits is given back to the queue's next start. */
  async drain(): Promise<void> {
    this.#waiting = []
    this.#relist.clear()
    if (this.#running === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    while (this.#running < actsMax || !protects("acts-at-once")) {
      const job = this.#waiting.shift()
      if (job === undefined) return
      this.#running++
      void this.#run(job)
    }
  }

  async #run(job: Job): Promise<void> {
    const { loop, proposals } = job
    try {
      await this.#act(loop, proposals)
    } catch (error) {
      this.#ports.failed(error)
      for (const { key } of proposals) this.#ports.queue.addWithBackoff(key)
    } finally {
      for (const { action } of proposals) loop.letGo(action.uid)
      await this.#ports.breath.due()
      this.#running--
      this.#pump()
      if (this.#running === 0) this.#relist.flush()
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  async #act(loop: LoopEngine, proposals: readonly Proposal[]): Promise<void> {
    const { actuator } = this.#ports
    const latest = await Promise.all(proposals.map((one) => this.#isLatest(one)))
    const known = proposals.filter((one, index) => latest[index] && this.#isCurrent(loop, one))
    const current = this.#unclaimed(known)
    for (const stale of proposals) if (!current.includes(stale)) this.#giveUp(loop, stale)
    if (current.length === 0) return
    const reports = await actuator.perform(current.map((one) => this.#admit(loop, one)))
    const now = this.#ports.clock.monotonic()
    for (const [index, report] of reports.entries()) {
      const proposal = current[index]
      if (proposal === undefined) continue
      if (protects("read-after-own-write")) loop.freshFrom.set(proposal.action.uid, now)
      await this.#after(loop, proposal, report)
    }
  }

  /** Another pass finds out what changed; it must not find this one still acting. */
  #giveUp(loop: LoopEngine, { key, action }: Proposal): void {
    loop.letGo(action.uid)
    this.#ports.queue.add(key)
  }

  /** Two new objects may describe one target: the first intent claims it, the other one waits. */
  #unclaimed(proposals: readonly Proposal[]): readonly Proposal[] {
    const { inventory } = this.#ports.ledger
    const taken = new Set<string>()
    return proposals.filter(({ action }) => {
      const claim = inventory.claimOf(action.target)
      if (taken.has(action.target) || (claim !== undefined && claim.uid !== action.uid))
        return false
      taken.add(action.target)
      return true
    })
  }

  /** A slow pass may propose after an act that it did not see; the ledger knows of that one. */
  async #isLatest({ action, record }: Proposal): Promise<boolean> {
    const now = await this.#ports.ledger.record(action.uid)
    const same = now?.actedAt === record.actedAt && now?.pending?.id === record.pending?.id
    return same || !protects("overtaken-looks-are-dropped")
  }

  /** The object still asks for what was judged, in this loop, and the loop still acts. */
  #isCurrent(loop: LoopEngine, { key, object, action }: Proposal): boolean {
    const now = this.#ports.entry(key)
    const marked = object.metadata.deletionTimestamp !== undefined
    const moved = now?.generation !== action.generation && protects("judged-is-still-wanted")
    const same = now?.uid === action.uid && !moved
    return same && now.marked === marked && now.loop === loop.id && loop.permits(action)
  }

  #admit(loop: LoopEngine, proposal: Proposal): Admitted {
    const { action, kind, target, applied, record } = proposal
    const budget = this.#budget(loop, proposal)
    return {
      ...{ action, target, applied, record },
      kind: kind.provider,
      principal: this.#ports.principalOf(loop, action),
      debit: () => budget.debit(),
      refund: () => budget.refund(),
      used: () => this.#used(action),
    }
  }

  #used(action: Action): readonly Write[] {
    const { plans, budgets } = this.#ports.ledger
    return [...plans.use(action), ...(action.verb === "delete" ? budgets.settle(action.uid) : [])]
  }

  /** What it draws on the windows; an approved action draws on none. */
  #budget(loop: LoopEngine, { action, limitedChange }: Proposal) {
    const { budgets } = this.#ports.ledger
    if (loop.approvals.has(action.digest)) return { debit: () => [], refund: () => [] }
    const { breakGlass } = this.#ports.ledger
    const paid = budgets.grantOf(action.uid)?.breakGlass !== undefined
    const underGlass = action.cause.breakGlass !== undefined && !paid ? destroysOf(action) : 0
    const debit = (): readonly Write[] => {
      loop.reserved.delete(action.uid)
      const spent = breakGlass.debit(loop.id, underGlass)
      const change = [...spent, ...(limitedChange ? [budgets.debitChange(loop.id)] : [])]
      const count = destroysOf(action)
      if (action.verb === "delete") return [...change, ...budgets.begin(action.uid)]
      if (count === 0) return change
      const grant = { uid: destructionDebit(action), loop: loop.id, at: budgets.now(), count }
      const by = { cause: action.cause.text, principal: enginePrincipal.name }
      return [...change, budgets.grant({ ...grant, ...by })]
    }
    const refund = (): readonly Write[] => {
      const change = limitedChange ? [budgets.refundChange(loop.id)] : []
      const back = [...change, ...breakGlass.refund(loop.id, underGlass)]
      return [...back, ...[budgets.revoke(destructionDebit(action)) ?? []].flat()]
    }
    return { debit, refund }
  }

  /** Ready comes only from an observation. */
  #lookAgain(key: string): void {
    this.#ports.queue.add(key, { priority: "high" })
  }

  /** What must never be: the act's own word for a converged object. */
  #believe(loop: LoopEngine, { key, object }: Proposal): Promise<void> {
    const said = { state: "ready", reason: "Converged", message: "done" } as const
    return this.#ports.reporter.report(key, loop.id, object, said)
  }

  async #after(loop: LoopEngine, proposal: Proposal, report: ActReport): Promise<void> {
    const { queue, reporter, object } = this.#ports
    const { key, action } = proposal
    const { fault } = report
    await this.#ports.acted(loop, report)
    loop.acting.delete(action.uid) // Before the key is added, or its pass finds it acting.
    if (fault === undefined) {
      if (!protects("ready-only-from-observation")) return this.#believe(loop, proposal)
      if (proposal.kind.provider.list === undefined) this.#lookAgain(key)
      else this.#relist.add(key)
      return
    }
    const state = report.result === "refused" ? "waiting" : "retrying"
    const stuck = fault.fault === "stuck"
    await reporter.report(key, loop.id, (await object(key)) ?? proposal.object, {
      state: stuck ? "stuck" : state,
      reason: refusedReason(report) ?? "ActFailed",
      message: `${fault.message} (${fault.hint})`,
      target: action.target,
      because: { failure: failureOf(fault), fact: fault.message },
    })
    if (stuck) queue.forget(key)
    else if (this.#isLifted(report)) queue.add(key)
    else queue.addWithBackoff(key)
  }

  /** Refused by a stop that went while this was under way: its wake-up found the key acting. */
  #isLifted({ action, fault }: ActReport): boolean {
    return fault?.code === "SPT-ACT-001" && !this.#ports.actuator.isStopped(action)
  }
}

/** What it destroys is known to deletes; under its own name, it permits no delete. */
function destructionDebit({ uid, verb, incarnation, digest }: Action): string {
  return `${uid}/${verb}-${incarnation}-${digest.slice(0, 8)}`
}

/** Refused before it began: stopped, or the breaker of its connection is open. */
function refusedReason({ result, fault }: ActReport): string | undefined {
  if (result !== "refused") return undefined
  return fault?.code === "SPT-ACT-003" ? "BreakerOpen" : "Stopped"
}

/** Actions of one scope in one group where the kind acts on batches, else one by one. */
function group(proposals: readonly Proposal[]): Proposal[][] {
  const groups = new Map<string, Proposal[]>()
  for (const proposal of proposals) {
    const { provider } = proposal.kind
    const batched = provider.actBatch !== undefined && provider.scope !== undefined
    const scope = batched ? provider.scope?.(proposal.target.desired) : proposal.action.uid
    const key = `${provider.provider}|${provider.connection(proposal.target.desired)}|${scope}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [proposal])
    else known.push(proposal)
  }
  return [...groups.values()].flatMap((batch) => chunk(batch, batchMax))
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size)
    chunks.push(items.slice(start, start + size))
  return chunks
}
