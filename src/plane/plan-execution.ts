// Sets approved actions going, and looks at held ones again before anyone approves them. It decides
// nothing: what may run is the plan keeper's business, whether it still may the round's.

import type { Clock } from "../base/clock.ts"
import type { ObjectRef } from "../contract/client.ts"
import type { Observation } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/verdict.ts"
import { controllerFault } from "../controllers/faults.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import type { ApiObject } from "../object/object.ts"
import type { WorkQueue } from "../queue/work-queue.ts"
import { reconcileFault } from "../reconcile/faults.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import { type Slot, slotOf } from "../reconcile/held-set.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { refOf } from "./refs.ts"

export interface PlanExecutionPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly queue: WorkQueue
  readonly closing: AbortSignal
  object(key: string): Promise<ApiObject | undefined>
  kindOf(key: string): KindRuntime | undefined
  observe(subject: Subject): Promise<{ readonly text: string; readonly observation: Observation }>
  /** Why invariants forbid this delete now. */
  forbidden?(loop: LoopEngine, subject: Subject): readonly Reason[]
  /** One pass over an object. */
  pass(key: string): Promise<Outcome>
  /** Marks an object whose delete was approved. */
  mark(ref: ObjectRef, uid: string): Promise<unknown>
  concluded(loop: LoopEngine, uid: string, slots?: readonly Slot[]): Promise<void>
  failed(error: unknown): void
}

const executeAgainMs = 2000

export class PlanExecution {
  readonly #ports: PlanExecutionPorts
  /** Puts an approved loosening into force; set once the loops are known. */
  loosen: (loop: LoopEngine, held: HeldAction) => Promise<void> = async () => {}

  constructor(ports: PlanExecutionPorts) {
    this.#ports = ports
  }

  /** A pass over the object brings what is held for it up to date. */
  async recheck(loop: LoopEngine, held: HeldAction): Promise<void> {
    const { object: key, uid, verb } = held.action
    if (verb === "loosen") return // It changes with the declaration alone, and at once.
    const object = await this.#ports.object(key)
    if (object === undefined || object.metadata.uid !== uid) {
      loop.held.drop(uid, slotOf(held.action))
      return
    }
    if (verb === "delete") await this.#recheckDelete(loop, held, key, object)
    else await this.#recheckAct(loop, key)
  }

  async #recheckDelete(
    loop: LoopEngine,
    held: HeldAction,
    key: string,
    object: ApiObject,
  ): Promise<void> {
    const kind = this.#ports.kindOf(key)
    const { uid } = held.action
    const now = loop.held.get(uid, "delete")
    if (kind === undefined || now === undefined) return
    const subject: Subject = { key, object, uid, kind, loop }
    const { text, observation } = await this.#ports.observe(subject)
    if (observation.kind === "unknown") {
      throw reconcileFault("SPT-LOOP-001", { target: text, cause: observation.cause })
    }
    this.#needInvariants(subject)
    const record = await this.#ports.ledger.record(uid)
    const action = deleteAction(subject, text, record, observation, now.action.cause)
    // It waits on, as it is now: if it were dropped, a pass would correct what is to be deleted.
    if (action.digest !== now.action.digest) loop.held.put({ ...now, action })
  }

  /** A mark can't be taken back: what an invariant forbids is not marked, approved or not. */
  #needInvariants(subject: Subject): void {
    const [reason] = this.#ports.forbidden?.(subject.loop, subject) ?? []
    if (reason === undefined) return
    throw controllerFault("SPT-INV-002", { object: subject.key, cause: reason.message })
  }

  /** Runs the object through a pass and waits for its round, so that its digest is of now. */
  async #recheckAct(loop: LoopEngine, key: string): Promise<void> {
    const rounds = loop.rounds
    const outcome = await this.#ports.pass(key)
    if (outcome.kind !== "wait") return
    const { clock } = this.#ports
    const started = clock.monotonic()
    while (loop.rounds === rounds && clock.monotonic() - started < 5000) {
      await new Promise<void>((resolve) => clock.after(20, resolve))
    }
  }

  /** Marks for approved deletes, a pass for everything else. */
  async execute(loop: LoopEngine, held: readonly HeldAction[]): Promise<void> {
    const failed: HeldAction[] = []
    for (const one of held) {
      try {
        await this.#executeOne(loop, one)
      } catch (error) {
        this.#ports.failed(error) // One that can't be marked now must not keep the others waiting.
        failed.push(one)
      }
    }
    if (failed.length === 0 || this.#ports.closing.aborted) return
    this.#ports.clock.after(executeAgainMs, () => void this.execute(loop, failed))
  }

  async #executeOne(loop: LoopEngine, held: HeldAction): Promise<void> {
    const { action } = held
    if (!loop.approvals.has(action.digest)) return // Over, or void, since it was tried before.
    if (action.verb === "loosen") {
      await this.loosen(loop, held)
      return this.#ports.concluded(loop, action.uid, ["loosen"])
    }
    const object = await this.#ports.object(action.object)
    if (object === undefined || object.metadata.uid !== action.uid) {
      return this.#ports.concluded(loop, action.uid)
    }
    const kind = this.#ports.kindOf(action.object)
    if (action.verb === "delete" && kind !== undefined) {
      this.#needInvariants({ key: action.object, object, uid: action.uid, kind, loop })
      await this.#ports.mark(refOf(kind.resource, object), action.uid)
    }
    this.#ports.queue.add(action.object, { priority: "high" })
  }
}
