// Judges deletes before anything is marked. Candidates are grouped by loop; each group fits into
// its loop's budget as a whole or is held as a whole, with exactly the targets as they are now.

import { mapBounded } from "../base/async.ts"
import type { Cause } from "../contract/action.ts"
import type {
  DeleteCandidate,
  DeleteJudge,
  DeleteJudgement,
  DeleteRequest,
} from "../contract/delete-judge.ts"
import type { Observation } from "../contract/observation.ts"
import { isSource } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import { allow, type Reason, strictest, type Verdict } from "../contract/verdict.ts"
import { breakGlassText, isLifted } from "../guard/break-glass.ts"
import { type DeleteSetFacts, judgeDeletes } from "../guard/judge-deletes.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, HeldOrigin, PlanDocument } from "../ledger/plan-ledger.ts"
import { isRollbackRevision } from "../ledger/quarantines.ts"
import { keyText, loopLabel } from "../object/object.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { floorUse } from "../reconcile/limit-facts.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine, RollbackCause } from "../reconcile/loop-engine.ts"
import { protectedBy } from "../reconcile/protection.ts"
import { type JudgedDeletes, noteDeleteSet } from "./note-delete-set.ts"

export interface DeleteJudgePorts {
  readonly ledger: Ledger
  loopOf(id: string): LoopEngine | undefined
  kindOf(key: string): KindRuntime | undefined
  /** A fresh look at the target of an object that we own. */
  observe(subject: Subject): Promise<{ readonly text: string; readonly observation: Observation }>
  /** Why the loop's invariants forbid the set. */
  invariants?(loop: LoopEngine, subjects: readonly Subject[]): readonly Reason[]
  /** Brings the loop's plan in line with what it holds, and says which plan waits now. */
  planned(loop: LoopEngine): Promise<PlanDocument | undefined>
  /** A set of so many targets was judged; for metrics, before anything of it is marked. */
  judged?(loop: LoopEngine, targets: number, verdict: Verdict): void
}

const observedAtOnce = 16

/** The deletes of one loop with how they were judged. */
interface JudgedSet {
  readonly loop: LoopEngine
  readonly subjects: readonly Subject[]
  readonly facts: DeleteSetFacts
  readonly verdict: Verdict
}

type CauseOfDelete = Pick<DeleteRequest, "origin" | "principal" | "sourceRevision" | "parent">

export class LoopDeleteJudge implements DeleteJudge {
  readonly #ports: DeleteJudgePorts

  constructor(ports: DeleteJudgePorts) {
    this.#ports = ports
  }

  async judge(request: DeleteRequest): Promise<DeleteJudgement> {
    let others = 0
    const groups = [...this.#group(request.candidates)].map(([loop, subjects]) => {
      const open = subjects.filter((subject) => !this.#isGranted(loop, subject))
      const facts = this.#facts(loop, open, request, others)
      others += facts.kinds.length
      const verdict = strictest([judgeDeletes(facts), this.#byInvariants(loop, subjects)])
      return { loop, subjects, open, facts, verdict }
    })
    for (const { loop, open } of groups) {
      const rejected = this.#rejectedBy(loop, open, request)
      if (rejected !== undefined) return { kind: "denied", reasons: [rejected] }
    }
    const verdict = strictest(groups.map((group) => group.verdict).concat(allow()))
    if (!request.dryRun) for (const group of groups) this.#note(group)
    if (verdict.kind === "deny") return { kind: "denied", reasons: verdict.reasons }
    if (verdict.kind !== "allow") return this.#holdAll(groups, request, verdict)
    const writes = request.dryRun ? [] : groups.flatMap((group) => this.#reserve(group, request))
    return { kind: "allowed", reserve: { checks: [], writes } }
  }

  #note(group: JudgedDeletes): void {
    noteDeleteSet(group, this.#ports.ledger)
    const { loop, facts, verdict } = group
    this.#ports.judged?.(loop, facts.kinds.length, verdict)
  }

  /** A set after which an invariant does not hold is denied; no approval lifts that. */
  #byInvariants(loop: LoopEngine, subjects: readonly Subject[]): Verdict {
    const { ledger, invariants } = this.#ports
    const open = subjects.filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    const observing = loop.spec.mode === "Observe"
    const owned = observing ? [] : open.filter(({ uid }) => ledger.inventory.mayOwn(uid))
    const reasons = owned.length === 0 ? [] : (invariants?.(loop, owned) ?? [])
    return reasons.length === 0 ? allow() : { kind: "deny", reasons }
  }

  /** By an earlier try; not when somebody protected it meanwhile, which refused its commit. */
  #isGranted({ spec }: LoopEngine, { uid, object }: Subject): boolean {
    const { budgets, inventory } = this.#ports.ledger
    if (budgets.grantOf(uid) === undefined) return false
    return protectedBy(object, inventory.isProtected(uid), spec) === undefined
  }

  /** What is asked for together is held together, also where one loop alone would allow it. */
  async #holdAll(
    groups: readonly { loop: LoopEngine; open: readonly Subject[]; verdict: Verdict }[],
    request: DeleteRequest,
    verdict: Verdict,
  ): Promise<DeleteJudgement> {
    if (request.dryRun) return { kind: "held", plan: "(dry run)", reasons: verdict.reasons }
    const plans = new Set<string>()
    for (const { loop, open, verdict: own } of groups) {
      const why = own.kind === "allow" ? verdict : own
      if (open.length > 0) plans.add(await this.#hold(loop, open, request, why))
    }
    return { kind: "held", plan: [...plans].join(", "), reasons: verdict.reasons }
  }

  #group(candidates: readonly DeleteCandidate[]): Map<LoopEngine, Subject[]> {
    const groups = new Map<LoopEngine, Subject[]>()
    for (const { key, object } of candidates) {
      const text = keyText(key)
      const loop = this.#ports.loopOf(object.metadata.labels?.[loopLabel] ?? "")
      const kind = this.#ports.kindOf(text)
      const { uid } = object.metadata
      if (loop === undefined || kind === undefined || uid === undefined) continue
      const subject: Subject = { key: text, object, uid, kind, loop }
      const known = groups.get(loop)
      if (known === undefined) groups.set(loop, [subject])
      else known.push(subject)
    }
    return groups
  }

  /** A prune that someone rejected stays refused until the source moves on. */
  #rejectedBy(
    loop: LoopEngine,
    subjects: readonly Subject[],
    request: DeleteRequest,
  ): Reason | undefined {
    if (!isSource(request.principal)) return undefined
    const { plans } = this.#ports.ledger
    for (const { uid } of subjects) {
      const rejection = plans.rejectionOf(loop.id, uid, "delete")
      if (rejection === undefined || rejection.sourceRevision !== request.sourceRevision) continue
      const message = `rejected by ${rejection.principal}`
      const hint = "it is asked again when the source changes"
      return { guard: "rejection", code: "Rejected", message, hint }
    }
    return undefined
  }

  /** `others`: what the same request deletes in other loops; limits for all loops count it. */
  #facts(
    loop: LoopEngine,
    subjects: readonly Subject[],
    request: DeleteRequest,
    others: number,
  ): DeleteSetFacts {
    const { budgets, inventory, store } = this.#ports.ledger
    const observing = loop.spec.mode === "Observe" // Deleting an object only releases its target.
    const owned = observing ? [] : subjects.filter(({ uid }) => inventory.mayOwn(uid))
    const size = inventory.size(loop.id)
    const replaced = new Set(request.parent?.replaced)
    const missed = owned.filter(({ uid }) => !replaced.has(uid))
    return {
      loop: loop.id,
      spec: loop.spec,
      origin: request.origin,
      principal: request.principal.kind,
      kinds: missed.map(({ kind }) => kind.provider.kind),
      replaced: owned.length - missed.length,
      inventory: size,
      inventoryOf: (kind) => inventory.size(loop.id, kind),
      baseline: budgets.baseline(loop.id, size),
      deletesUsed: budgets.deletesInWindow(loop.id, loop.spec.limits.windowMs),
      restored: store.identity.restored,
      ...loop.glass(),
      floors: loop.spec.floors.map((floor) => {
        const { allowed, deletesUsed } = floorUse(floor, loop.id, size, budgets)
        const used = deletesUsed + (floor.everywhere ? others : 0)
        return { by: floor.by, deletes: floor.limits.deletes, allowed, used }
      }),
      protectedObjects: owned.flatMap(({ key, object, uid }) => {
        const by = protectedBy(object, inventory.isProtected(uid), loop.spec)
        return by === undefined ? [] : [{ object: key, by }]
      }),
      ...(loop.sourceShrunk === undefined ? {} : { shrunk: loop.sourceShrunk }),
      ...(request.parent === undefined ? {} : { parent: request.parent.object }),
    }
  }

  #reserve({ loop, subjects, facts, verdict }: JudgedSet, request: DeleteRequest): Write[] {
    const { budgets, inventory, breakGlass } = this.#ports.ledger
    const { principal, sourceRevision } = request
    const glass = isLifted(verdict) ? facts.breakGlass : undefined
    const under = glass === undefined ? undefined : breakGlassText(glass)
    const { text } = deleteCause(request, loop.rollback)
    const replaced = new Set(request.parent?.replaced)
    // A grant of an earlier try goes into this commit again: that one may never have been durable.
    const grants = subjects
      .filter(({ uid }) => inventory.mayOwn(uid))
      .map(({ uid }) =>
        budgets.grant(
          budgets.grantOf(uid) ?? {
            uid,
            loop: loop.id,
            ...{ at: budgets.now(), open: true },
            principal: principal.name,
            cause: under === undefined ? text : `${text}; under ${under}`,
            ...(replaced.has(uid) ? { count: 0 } : {}),
            ...(sourceRevision === undefined ? {} : { sourceRevision }),
            ...(under === undefined ? {} : { breakGlass: under }),
          },
        ),
      )
    return under === undefined
      ? grants
      : [...grants, ...breakGlass.debit(loop.id, facts.kinds.length)]
  }

  /** Puts the deletes into the loop's plan, each bound to its target as it is now. */
  async #hold(
    loop: LoopEngine,
    subjects: readonly Subject[],
    request: DeleteRequest,
    verdict: Verdict,
  ): Promise<string> {
    const origin: HeldOrigin = request.origin === "prune" ? "prune" : "request"
    const cause = deleteCause(request, loop.rollback)
    const { reasons } = verdict
    await mapBounded(subjects, observedAtOnce, async (subject) => {
      const known = loop.held.get(subject.uid, "delete")
      if (known !== undefined && known.action.cause.text === cause.text) return // It is watched.
      const record = await this.#ports.ledger.record(subject.uid)
      const { text, observation } = await this.#ports.observe(subject)
      const asked = { ...cause, ...askedBefore(known, cause) }
      const action = deleteAction(subject, text, record, observation, asked)
      loop.held.put({ action, origin, reasons, desiredHash: "" })
    })
    const plan = await this.#ports.planned(loop)
    return plan?.name ?? "(none)"
  }
}

/** Why these deletes are asked for. */
export function deleteCause(request: CauseOfDelete, rollback?: RollbackCause): Cause {
  const { origin, principal, sourceRevision, parent } = request
  if (sourceRevision !== undefined && isRollbackRevision(sourceRevision)) {
    const who = rollback?.principal ?? principal.name
    const text = `not in the checkpoint: ${rollback?.text ?? `rolled back by ${who}`}`
    return { kind: "rollback", principal: who, text, sourceRevision }
  }
  if (origin === "prune") {
    const text = `no longer in the source (${principal.name})`
    return { kind: "prune", text, ...(sourceRevision === undefined ? {} : { sourceRevision }) }
  }
  if (parent !== undefined) {
    const text = `${parent.object} does not want it any more`
    const { impersonator } = principal
    const authors = impersonator === undefined ? {} : { authors: [impersonator] }
    return { kind: "delete", principal: principal.name, text, ...authors }
  }
  const text = `${principal.name} asked to delete it (${origin})`
  return { kind: "delete", principal: principal.name, text }
}

/** Who asked for it first stays one who asked: asking through another hand hides nobody. */
function askedBefore(known: HeldAction | undefined, cause: Cause): Pick<Cause, "authors"> {
  if (known === undefined) return {}
  const { principal, authors = [] } = known.action.cause
  const all = [principal, ...authors, cause.principal].filter((one) => one !== undefined)
  const names = [...new Set(all)]
  return names.length > 1 ? { authors: names } : {}
}
