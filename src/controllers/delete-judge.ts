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
import { judgeDeletes } from "../guard/judge-deletes.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldOrigin, PlanDocument } from "../ledger/plan-ledger.ts"
import { keyText, loopLabel } from "../object/object.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"

export interface DeleteJudgePorts {
  readonly ledger: Ledger
  loopOf(id: string): LoopEngine | undefined
  kindOf(key: string): KindRuntime | undefined
  /** A fresh look at the target of an object that we own. */
  observe(subject: Subject): Promise<{ readonly text: string; readonly observation: Observation }>
  /** Brings the loop's plan in line with what it holds, and says which plan waits now. */
  planned(loop: LoopEngine): Promise<PlanDocument | undefined>
}

const observedAtOnce = 16

type CauseOfDelete = Pick<DeleteRequest, "origin" | "principal" | "sourceRevision">

export class LoopDeleteJudge implements DeleteJudge {
  readonly #ports: DeleteJudgePorts

  constructor(ports: DeleteJudgePorts) {
    this.#ports = ports
  }

  async judge(request: DeleteRequest): Promise<DeleteJudgement> {
    const groups = [...this.#group(request.candidates)].map(([loop, subjects]) => {
      const open = subjects.filter(({ uid }) => !this.#isGranted(uid))
      return { loop, subjects, open, verdict: this.#verdict(loop, open, request) }
    })
    for (const { loop, open } of groups) {
      const rejected = this.#rejectedBy(loop, open, request)
      if (rejected !== undefined) return { kind: "denied", reasons: [rejected] }
    }
    const verdict = strictest(groups.map((group) => group.verdict).concat(allow()))
    if (verdict.kind === "deny") return { kind: "denied", reasons: verdict.reasons }
    if (verdict.kind !== "allow") return this.#holdAll(groups, request, verdict)
    const writes = request.dryRun
      ? []
      : groups.flatMap(({ loop, subjects }) => this.#reserve(loop, subjects, request))
    return { kind: "allowed", reserve: { checks: [], writes } }
  }

  #isGranted(uid: string): boolean {
    return this.#ports.ledger.budgets.grantOf(uid) !== undefined
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

  #verdict(loop: LoopEngine, subjects: readonly Subject[], request: DeleteRequest): Verdict {
    const { budgets, inventory, store } = this.#ports.ledger
    const observing = loop.spec.mode === "Observe" // Deleting an object only releases its target.
    const owned = observing ? [] : subjects.filter(({ uid }) => inventory.mayOwn(uid))
    const size = inventory.size(loop.id)
    return judgeDeletes({
      loop: loop.id,
      spec: loop.spec,
      origin: request.origin,
      principal: request.principal.kind,
      kinds: owned.map(({ kind }) => kind.provider.kind),
      inventory: size,
      inventoryOf: (kind) => inventory.size(loop.id, kind),
      baseline: budgets.baseline(loop.id, size),
      deletesUsed: budgets.deletesInWindow(loop.id, loop.spec.limits.windowMs),
      restored: store.identity.restored,
    })
  }

  #reserve(loop: LoopEngine, subjects: readonly Subject[], request: DeleteRequest): Write[] {
    const { budgets, inventory, time } = this.#ports.ledger
    const { principal, sourceRevision } = request
    // A grant of an earlier try goes into this commit again: that one may never have been durable.
    return subjects
      .filter(({ uid }) => inventory.mayOwn(uid))
      .map(({ uid }) =>
        budgets.grant(
          budgets.grantOf(uid) ?? {
            uid,
            loop: loop.id,
            at: time.now(),
            principal: principal.name,
            cause: deleteCause(request).text,
            ...(sourceRevision === undefined ? {} : { sourceRevision }),
          },
        ),
      )
  }

  /** Puts the deletes into the loop's plan, each bound to its target as it is now. */
  async #hold(
    loop: LoopEngine,
    subjects: readonly Subject[],
    request: DeleteRequest,
    verdict: Verdict,
  ): Promise<string> {
    const origin: HeldOrigin = request.origin === "prune" ? "prune" : "request"
    const cause = deleteCause(request)
    const { reasons } = verdict
    await mapBounded(subjects, observedAtOnce, async (subject) => {
      const known = loop.held.get(subject.uid, "delete")
      if (known !== undefined && known.action.cause.text === cause.text) return // It is watched.
      const record = await this.#ports.ledger.record(subject.uid)
      const { text, observation } = await this.#ports.observe(subject)
      const action = deleteAction(subject, text, record, observation, cause)
      loop.held.put({ action, origin, reasons, desiredHash: "" })
    })
    const plan = await this.#ports.planned(loop)
    return plan?.name ?? "(none)"
  }
}

/** Why these deletes are asked for. */
export function deleteCause(request: CauseOfDelete): Cause {
  const { origin, principal, sourceRevision } = request
  if (origin === "prune") {
    const text = `no longer in the source (${principal.name})`
    return { kind: "prune", text, ...(sourceRevision === undefined ? {} : { sourceRevision }) }
  }
  const text = `${principal.name} asked to delete it (${origin})`
  return { kind: "delete", principal: principal.name, text }
}
