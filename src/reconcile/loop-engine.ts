// One loop at work: its round, what it holds, what it is acting on. Judging happens here, over the
// whole round; acting is handed to the actuator.

import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import { type Action, destroysOf } from "../contract/action.ts"
import type { LimitFloor, LoopSpec } from "../contract/loop.ts"
import type { Verdict } from "../contract/verdict.ts"
import { underGlass } from "../guard/break-glass.ts"
import { effectsOf } from "../guard/effects.ts"
import { flapCorrectionsMax, flapWindowMs } from "../guard/flap-guard.ts"
import { type JudgedAction, judgeAction, type LimitFacts, type RoundFacts } from "../guard/guard.ts"
import { roundGuards } from "../guard/guards.ts"
import { windowState } from "../guard/time-windows.ts"
import type { WaveFacts } from "../guard/wave-guard.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { waveOf } from "../object/wave.ts"
import { HeldSet } from "./held-set.ts"
import { type InvariantJudge, judgeByInvariants } from "./judge-by-invariants.ts"
import { floorUse } from "./limit-facts.ts"
import type { Proposal } from "./proposal.ts"
import { protectionOf } from "./protection.ts"
import { Round, type RoundOptions } from "./round.ts"
import { VanishWatch } from "./vanish-watch.ts"

export interface Judged {
  readonly proposal: Proposal
  /** As the guards saw it. */
  readonly item: JudgedAction
  readonly verdict: Verdict
}

/** Who approved a digest, and in which plan. */
export interface Approval {
  readonly plan: string
  readonly principal: string
}

export interface LoopCounts {
  readonly create: number
  readonly update: number
  readonly replace: number
  readonly delete: number
  readonly adopt: number
  readonly loosen: number
}

/** Why pinned specs are in force. */
export interface RollbackCause {
  readonly principal: string
  readonly text: string
  /** Only these objects; all of the loop when missing. */
  readonly uids?: ReadonlySet<string>
}

export interface LoopEnginePorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly round: RoundOptions
  /** Carries out the verdicts; its promise is the round's end. */
  settleRound(loop: LoopEngine, judged: readonly Judged[]): Promise<void>
  failed(error: unknown): void
  /** Every object of the loop that a provider answers for. */
  keysOf(loop: string): Iterable<string>
  /** How far the loop's waves are; undefined where it has none. */
  waves?(loop: string): WaveFacts | undefined
  /** What invariants say of the actions that the other guards let through. */
  invariants?(loop: LoopEngine, ...sets: Parameters<InvariantJudge>): ReturnType<InvariantJudge>
}

export class LoopEngine {
  readonly id: string
  spec: LoopSpec
  readonly round: Round
  readonly held = new HeldSet()
  readonly approvals = new Map<string, Approval>()
  /** UIDs whose action is under way; nothing else is proposed for them meanwhile. */
  readonly acting = new Set<string>()
  /** Admitted changes that wait for their turn, with what they destroy: windows count them. */
  readonly reserved: Map<string, number>
  /** Per UID, monotonic: reads must have begun after our last write and after the last hint. */
  readonly freshFrom = new Map<string, number>()
  sourceRevision: string | undefined
  /** Set while pinned specs are in force: what is done for them is a rollback. */
  rollback: RollbackCause | undefined
  /** Ledger time of the last good read of the source; undefined before the first. */
  sourceGoodAt: number | undefined
  /** What the revision that is being applied lost against the one before it. */
  sourceShrunk: { readonly from: number; readonly to: number } | undefined
  readonly vanish = new VanishWatch()
  /** Keys looked at since the plane started, until that is all of them. */
  looked: Set<string> | undefined = new Set()
  /** What was last judged of each UID that is kept back, as far as the journal knows it. */
  readonly judgedBefore = new Map<string, string>()
  lastRound:
    | { readonly at: number; readonly counts: LoopCounts; readonly verdicts: string }
    | undefined
  rounds = 0
  /** Mode Observe: looks at everything without trouble, in a row. */
  cleanRounds = 0
  /** Wall time of the last sweep that could look at everything. */
  lookedAt: number | undefined
  /** What the last sweep could not look at. */
  doubts: readonly string[] = []
  readonly #ports: LoopEnginePorts

  constructor(id: string, spec: LoopSpec, ports: LoopEnginePorts) {
    this.id = id
    this.spec = spec
    this.#ports = ports
    this.reserved = ports.ledger.budgets.reservedOf(id)
    this.round = new Round(ports.clock, ports.round, (proposals) => this.#close(proposals))
  }

  /** Observe mode: what would be done, as the journal knows it; digest by UID. */
  get would(): ReadonlyMap<string, string> {
    return this.#ports.ledger.would.of(this.id)
  }

  /** The strictest answer of all guards for each proposal, judged together. */
  judge(proposals: readonly Proposal[]): Judged[] {
    const facts = this.facts(proposals)
    const judged = proposals.map((proposal, index): Judged => {
      const item = facts.actions[index] as JudgedAction
      return { proposal, item, verdict: judgeAction(item, facts, roundGuards) }
    })
    const invariants = this.#ports.invariants
    const judge: InvariantJudge | undefined = invariants && ((...sets) => invariants(this, ...sets))
    const all = shareWholeBatches(judgeByInvariants(shareWholeBatches(judged), facts, judge))
    return all.map((one) => noteGlass(one, facts))
  }

  facts(proposals: readonly Proposal[]): RoundFacts {
    const { budgets, inventory, store, time } = this.#ports.ledger
    const { windowMs } = this.spec.limits
    const size = inventory.size(this.id)
    return {
      loop: this.id,
      spec: this.spec,
      actions: proposals.map((proposal) => this.#item(proposal)),
      inventory: size,
      baseline: budgets.baseline(this.id, size),
      deletesUsed: budgets.deletesInWindow(this.id, windowMs),
      changesUsed: budgets.changesInWindow(this.id, windowMs) + this.reserved.size,
      restored: store.identity.restored,
      ...this.glass(),
      coldStart: this.#isCold(),
      floors: this.spec.floors.map((floor) => this.#floorFacts(floor, size)),
      window: windowState(this.spec.windows, this.#ports.clock.now()),
      ...this.sourceAge(),
      ...this.#waves(),
      vanished: this.vanish.facts(
        time.now(),
        (kind) => inventory.size(this.id, kind),
        this.held.ofCause("missing"),
      ),
    }
  }

  #floorFacts({ by, limits, everywhere }: LimitFloor, inventory: number): LimitFacts {
    const { budgets } = this.#ports.ledger
    return {
      by: `policy ${by}`,
      windowMs: limits.windowMs,
      ...floorUse({ by, limits, everywhere }, this.id, inventory, budgets),
      changes: limits.changes,
      changesUsed: budgets.changesInWindow(this.id, limits.windowMs) + this.reserved.size,
    }
  }

  /** What admitted acts will take of it counts as taken. */
  glass(): Pick<RoundFacts, "breakGlass"> {
    const live = this.#ports.ledger.breakGlass.live(this.id)
    if (live === undefined) return {}
    const deletesLeft = Math.max(0, live.deletesLeft - this.#reservedDeletes())
    return { breakGlass: { ...live, deletesLeft } }
  }

  #reservedDeletes(): number {
    let sum = 0
    for (const count of this.reserved.values()) sum += count
    return sum
  }

  /** A source that was not read yet since the start is as good as silent. */
  sourceAge(): { readonly sourceAgeMs?: number } {
    if (this.spec.source === undefined) return {}
    const { time } = this.#ports.ledger
    return {
      sourceAgeMs: this.sourceGoodAt === undefined ? Infinity : time.now() - this.sourceGoodAt,
    }
  }

  #waves(): Pick<RoundFacts, "waves"> {
    const waves = this.#ports.waves?.(this.id)
    return waves === undefined ? {} : { waves }
  }

  noteLooked(key: string): void {
    this.looked?.add(key)
  }

  #isCold(): boolean {
    if (this.looked === undefined) return false
    for (const key of this.#ports.keysOf(this.id)) if (!this.looked.has(key)) return true
    this.looked = undefined
    return false
  }

  /** From now on it acts, and its place in the window is taken. */
  take({ action, limitedChange }: Proposal): void {
    if (protects("one-act-per-object")) this.acting.add(action.uid)
    const draws = limitedChange && !this.approvals.has(action.digest)
    // A delete was counted when it was marked.
    const destroys = action.verb === "delete" ? 0 : destroysOf(action)
    if (draws) this.reserved.set(action.uid, destroys)
  }

  /** It acted, or will not. */
  letGo(uid: string): void {
    this.acting.delete(uid)
    this.reserved.delete(uid)
  }

  /** Whether the loop's mode lets it act: asked again at the effect, since it may have changed. */
  permits(action: Action): boolean {
    const { open } = windowState(this.spec.windows, this.#ports.clock.now())
    if (!open && this.glass().breakGlass === undefined) return false
    if (this.spec.mode !== "Propose") return this.spec.mode === "Enforce"
    return this.approvals.has(action.digest) || this.#approvedDelete(action)
  }

  #item(proposal: Proposal): JudgedAction {
    const { action, fresh, adoptDeclared, limitedChange } = proposal
    const rejectedBy = this.rejectedBy(action, proposal.desiredHash)
    return {
      action,
      fresh,
      adoptDeclared,
      limitedChange,
      approved: this.approvals.has(action.digest) || this.#approvedDelete(action),
      granted: this.#granted(action),
      flapping: this.#flapping(proposal),
      effects: effectsOf(action, proposal.kind.marks),
      paidByGlass: this.#ports.ledger.budgets.grantOf(action.uid)?.breakGlass !== undefined,
      wave: waveOf(proposal.object),
      ...protectionOf(proposal, this.spec),
      ...(rejectedBy === undefined ? {} : { rejectedBy }),
    }
  }

  /** Marking moved the generation and so the digest; the grant carries the approval over. */
  #approvedDelete(action: Action): boolean {
    if (action.verb !== "delete" || this.#granted(action) !== "yes") return false
    return this.#ports.ledger.budgets.grantOf(action.uid)?.plan !== undefined
  }

  #granted(action: Action): "yes" | "changed" | "no" {
    const grant = this.#ports.ledger.budgets.grantOf(action.uid)
    if (grant === undefined) return "no"
    const same = grant.token === undefined || grant.token === (action.token ?? "")
    return same || !protects("approval-bound-to-digest") ? "yes" : "changed"
  }

  /** A rejection stands until the source revision, the generation or what is desired changes. */
  rejectedBy(action: Action, desiredHash: string): string | undefined {
    const { plans } = this.#ports.ledger
    const rejection = plans.rejectionOf(this.id, action.uid, action.verb)
    if (rejection === undefined) return undefined
    const same =
      rejection.generation === action.generation &&
      rejection.desiredHash === desiredHash &&
      rejection.sourceRevision === (this.sourceRevision ?? "")
    return same ? rejection.principal : undefined
  }

  #flapping({ action, record, kind }: Proposal): string[] {
    const restless = kind.provider.restless ?? []
    const since = this.#ports.ledger.time.now() - flapWindowMs
    const drifted = action.changes.filter(
      (change) => change.why === "drift" && !restless.includes(change.path),
    )
    const often = drifted.filter(({ path }) => {
      const times = record.corrections?.[path] ?? []
      return times.filter((at) => at > since).length >= flapCorrectionsMax
    })
    return often.map((change) => change.path)
  }

  #close(proposals: readonly Proposal[]): void {
    this.rounds++
    const { settleRound, failed } = this.#ports
    // What acts already is looked at again when it has ended.
    const open = proposals.filter(({ action }) => !this.acting.has(action.uid))
    if (open.length === 0) return
    try {
      settleRound(this, this.judge(open)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

function noteGlass(judged: Judged, { breakGlass }: RoundFacts): Judged {
  const { proposal, verdict } = judged
  const action = underGlass(proposal.action, verdict, breakGlass)
  return action === proposal.action ? judged : { ...judged, proposal: { ...proposal, action } }
}

/** A medium that can't apply a subset: its actions of a round share the strictest verdict. */
function shareWholeBatches(judged: readonly Judged[]): Judged[] {
  const rank = ["allow", "wait", "hold", "deny"]
  const strictest = new Map<string, Verdict>()
  for (const { proposal, verdict } of judged) {
    const { provider } = proposal.kind
    if (!provider.batchWhole) continue
    const known = strictest.get(provider.provider)
    if (known === undefined || rank.indexOf(verdict.kind) > rank.indexOf(known.kind)) {
      strictest.set(provider.provider, verdict)
    }
  }
  return judged.map((one) => {
    const shared = strictest.get(one.proposal.kind.provider.provider)
    // What is allowed keeps its own reasons: one may be so by a break-glass, and has to say so.
    const own = shared === undefined || shared.kind === "allow"
    return own ? one : { ...one, verdict: shared }
  })
}

export function countVerbs(actions: readonly Action[]): LoopCounts {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, loosen: 0 }
  for (const action of actions) counts[action.verb]++
  return counts
}
