// One loop at work: its round, what it holds, what it is acting on. Judging happens here, over the
// whole round; acting is handed to the actuator.

import type { Clock } from "../base/clock.ts"
import type { Action, Verb } from "../contract/action.ts"
import type { LoopSpec } from "../contract/loop.ts"
import type { Verdict } from "../contract/verdict.ts"
import { flapCorrectionsMax, flapWindowMs } from "../guard/flap-guard.ts"
import { type JudgedAction, judgeAction, type RoundFacts } from "../guard/guard.ts"
import { roundGuards } from "../guard/guards.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { HeldSet } from "./held-set.ts"
import type { Proposal } from "./proposal.ts"
import { Round, type RoundOptions } from "./round.ts"

export interface Judged {
  readonly proposal: Proposal
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

export interface LoopEnginePorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly round: RoundOptions
  /** Carries out the verdicts; its promise is the round's end. */
  settleRound(loop: LoopEngine, judged: readonly Judged[]): Promise<void>
  failed(error: unknown): void
}

export class LoopEngine {
  readonly id: string
  spec: LoopSpec
  readonly round: Round
  readonly held = new HeldSet()
  readonly approvals = new Map<string, Approval>()
  /** UIDs whose action is under way; nothing else is proposed for them meanwhile. */
  readonly acting = new Set<string>()
  /** Admitted changes that wait for their turn: the window has to know of them already. */
  readonly reserved = new Map<string, Verb>()
  /** Per UID, monotonic: reads must have begun after our last write and after the last hint. */
  readonly freshFrom = new Map<string, number>()
  sourceRevision: string | undefined
  /** Observe mode: what would be done, as far as the journal knows it; digest by UID. */
  readonly would = new Map<string, string>()
  lastRound:
    | { readonly at: number; readonly counts: LoopCounts; readonly verdicts: string }
    | undefined
  rounds = 0
  /** What the last sweep could not look at. */
  doubts: readonly string[] = []
  readonly #ports: LoopEnginePorts

  constructor(id: string, spec: LoopSpec, ports: LoopEnginePorts) {
    this.id = id
    this.spec = spec
    this.#ports = ports
    this.round = new Round(ports.clock, ports.round, (proposals) => this.#close(proposals))
  }

  /** The strictest answer of all guards for each proposal, judged together. */
  judge(proposals: readonly Proposal[]): Judged[] {
    const facts = this.facts(proposals)
    const judged = proposals.map((proposal, index): Judged => {
      const item = facts.actions[index] as JudgedAction
      return { proposal, verdict: judgeAction(item, facts, roundGuards) }
    })
    return shareWholeBatches(judged)
  }

  facts(proposals: readonly Proposal[]): RoundFacts {
    const { budgets, inventory, store } = this.#ports.ledger
    const { windowMs } = this.spec.limits
    const size = inventory.size(this.id)
    return {
      loop: this.id,
      spec: this.spec,
      actions: proposals.map((proposal) => this.#item(proposal)),
      inventory: size,
      baseline: budgets.baseline(this.id, size),
      deletesUsed: budgets.deletesInWindow(this.id, windowMs) + this.#replacesReserved(),
      changesUsed: budgets.changesInWindow(this.id, windowMs) + this.reserved.size,
      restored: store.identity.restored,
    }
  }

  #replacesReserved(): number {
    return [...this.reserved.values()].filter((verb) => verb === "replace").length
  }

  /** From now on it acts, and its place in the window is taken. */
  take({ action, limitedChange }: Proposal): void {
    this.acting.add(action.uid)
    const draws = limitedChange && !this.approvals.has(action.digest)
    if (draws) this.reserved.set(action.uid, action.verb)
  }

  /** It acted, or will not. */
  letGo(uid: string): void {
    this.acting.delete(uid)
    this.reserved.delete(uid)
  }

  /** Whether the loop's mode lets it act: asked again at the effect, since it may have changed. */
  permits(action: Action): boolean {
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
    return grant.token === undefined || grant.token === action.token ? "yes" : "changed"
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

  #flapping({ action, record }: Proposal): string[] {
    const since = this.#ports.ledger.time.now() - flapWindowMs
    const drifted = action.changes.filter((change) => change.why === "drift")
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
    return shared === undefined ? one : { ...one, verdict: shared }
  })
}

export function countVerbs(actions: readonly Action[]): LoopCounts {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, loosen: 0 }
  for (const action of actions) counts[action.verb]++
  return counts
}
