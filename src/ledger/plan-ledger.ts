// The ledger's side of plans: every action of every plan, whole, and the rejections that people
// made. The Plan objects that the API shows are views of this.

import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import type { ApprovalRules } from "../contract/loop.ts"
import { type PlanPhase, waitingPhases } from "../contract/plan.ts"
import type { Store, Write } from "../contract/store.ts"
import type { Reason } from "../contract/verdict.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { dropWrites, headWrite, pageWrites, readPlan, type StoredPlan } from "./plan-pages.ts"
import { scanPrefix } from "./scan.ts"

/** Where a held action comes from, which decides how it is refreshed after a restart. */
export type HeldOrigin = "round" | "prune" | "request"

export interface HeldAction {
  readonly action: Action
  readonly origin: HeldOrigin
  readonly reasons: readonly Reason[]
  /** Hash of what was desired; with the source revision it identifies a rejection. */
  readonly desiredHash: string
}

/** A person's allow for exactly these actions, until it is used or its time is over. */
export interface PlanApproval {
  readonly principal: string
  readonly at: string
  /** What it covers; all of the plan where an old ledger does not say. */
  readonly digests?: readonly string[]
  /** Ledger time: when the plan that it was given in expires. */
  readonly expiresAt?: number
}

export interface PlanDocument {
  readonly format: 1
  readonly name: string
  readonly loop: string
  readonly hash: string
  readonly phase: PlanPhase
  readonly held: readonly HeldAction[]
  readonly createdAt: string
  readonly note?: string
  /** What it needed when it was made; what is in force now counts besides. */
  readonly rules?: readonly ApprovalRules[]
  /** Ledger time: nobody can approve it afterwards. */
  readonly expiresAt?: number
  readonly approvals: readonly PlanApproval[]
  /** Digests that were approved, when only a part was. */
  readonly approved?: readonly string[]
  /** Digests whose action has a receipt. */
  readonly done: readonly string[]
}

export interface Rejection {
  readonly uid: string
  readonly verb: string
  readonly loop: string
  readonly generation: number
  readonly desiredHash: string
  readonly sourceRevision: string
  readonly principal: string
  readonly at: string
}

const rejectionKey = (loop: string, uid: string, verb: string) => `${loop}/${uid}/${verb}`

export class PlanLedger {
  readonly #plans = new Map<string, PlanDocument>()
  /** Names of waiting plans by loop: asked for once per report. */
  readonly #pending = new Map<string, Set<string>>()
  readonly #rejections = new Map<string, Rejection>()
  /** Plans whose pages are written. */
  readonly #paged = new Set<string>()
  readonly #loose: string[] = []

  async open(store: Store): Promise<void> {
    const pages = new Map<string, readonly HeldAction[]>()
    for await (const entry of scanPrefix(store, ledgerKeys.planPages)) {
      pages.set(entry.key, decodeDocument<readonly HeldAction[]>(entry.value))
    }
    for await (const entry of scanPrefix(store, ledgerKeys.plans)) {
      const stored = decodeDocument<StoredPlan>(entry.value)
      const { loop, name } = stored
      const plan = readPlan(stored, (page) => pages.get(ledgerKeys.planPage(loop, name, page)))
      if (plan === undefined) {
        this.#loose.push(entry.key) // Without its actions it says nothing, and approves nothing.
        continue
      }
      this.#keep(plan)
      if (!("pages" in stored)) continue
      this.#paged.add(name)
      for (let page = 0; page < stored.pages; page++) {
        pages.delete(ledgerKeys.planPage(loop, name, page))
      }
    }
    this.#loose.push(...pages.keys())
    for await (const entry of scanPrefix(store, ledgerKeys.rejections)) {
      const rejection = decodeDocument<Rejection>(entry.value)
      const { loop, uid, verb } = rejection
      this.#rejections.set(rejectionKey(loop, uid, verb), rejection)
    }
  }

  get(name: string): PlanDocument | undefined {
    return this.#plans.get(name)
  }

  ofLoop(loop: string): PlanDocument[] {
    return [...this.#plans.values()].filter((plan) => plan.loop === loop)
  }

  /** The plan of the loop that waits for a person. */
  pending(loop: string): PlanDocument | undefined {
    for (const name of this.#pending.get(loop) ?? []) return this.#plans.get(name)
    return undefined
  }

  all(): PlanDocument[] {
    return [...this.#plans.values()]
  }

  /** Its pages come with the first write of it: they have to be durable before its head is. */
  put(plan: PlanDocument): { readonly head: Write; readonly pages: readonly Write[] } {
    const pages = this.#paged.has(plan.name) ? [] : pageWrites(plan)
    this.#paged.add(plan.name)
    this.#keep(plan)
    return { head: headWrite(plan), pages }
  }

  /** What was put was not written: it is again as it was before, or was never there. */
  undo(name: string, before: PlanDocument | undefined): void {
    if (before !== undefined) this.#keep(before)
    else this.#forget(name)
  }

  drop(name: string): Write[] {
    const plan = this.#plans.get(name)
    if (plan === undefined) return []
    this.#forget(name)
    return dropWrites(plan)
  }

  #forget(name: string): void {
    const plan = this.#plans.get(name)
    this.#plans.delete(name)
    this.#paged.delete(name)
    if (plan !== undefined) this.#pending.get(plan.loop)?.delete(name)
  }

  /** What of a plan was written and is of no use: a crash came between its pages and its head. */
  dropLoose(): Write[] {
    return this.#loose.splice(0).map((key) => ({ kind: "delete", key }))
  }

  /** An approved act is done: goes into its receipt's commit, so that no approval is used twice. */
  use({ loop, uid, verb, digest }: Action): Write[] {
    if (!protects("approval-single-use")) return []
    return this.ofLoop(loop).flatMap((plan) => {
      if (plan.phase !== "Executing") return []
      const used = plan.held.find(({ action }) => {
        // Marking moved the generation and so the digest of a delete.
        const same = verb === "delete" && action.verb === "delete" && action.uid === uid
        return same || action.digest === digest
      })?.action.digest
      const { approved, done } = plan
      if (used === undefined || done.includes(used) || !approved?.includes(used)) return []
      const { head, pages } = this.put({ ...plan, done: [...done, used] })
      return [...pages, head]
    })
  }

  #keep(plan: PlanDocument): void {
    this.#plans.set(plan.name, plan)
    const pending = this.#pending.get(plan.loop) ?? new Set()
    if (waitingPhases.has(plan.phase)) this.#pending.set(plan.loop, pending.add(plan.name))
    else pending.delete(plan.name)
  }

  reject(rejection: Rejection): Write {
    const { loop, uid, verb } = rejection
    this.#rejections.set(rejectionKey(loop, uid, verb), rejection)
    return putDocument(ledgerKeys.rejection(loop, uid, verb), rejection)
  }

  rejectionOf(loop: string, uid: string, verb: string): Rejection | undefined {
    return this.#rejections.get(rejectionKey(loop, uid, verb))
  }

  forgetRejection(loop: string, uid: string, verb: string): Write | undefined {
    if (!this.#rejections.delete(rejectionKey(loop, uid, verb))) return undefined
    return { kind: "delete", key: ledgerKeys.rejection(loop, uid, verb) }
  }
}
