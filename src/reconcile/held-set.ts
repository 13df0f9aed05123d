// The actions of a loop that wait for a person, at most one of each slot per object. Plans
// are made from it; it is itself derived from rounds, prunes and requests.

import { type Action, type CauseKind, hashPlan } from "../contract/action.ts"
import type { HeldAction, HeldOrigin } from "../ledger/plan-ledger.ts"

export type Slot = "delete" | "loosen" | "act"

export const allSlots: readonly Slot[] = ["delete", "loosen", "act"]

export function slotOf({ verb }: Pick<Action, "verb">): Slot {
  return verb === "delete" || verb === "loosen" ? verb : "act"
}

export class HeldSet {
  readonly #held = new Map<string, HeldAction>()

  put(held: HeldAction): void {
    this.#held.set(`${held.action.uid}/${slotOf(held.action)}`, held)
  }

  get(uid: string, slot: Slot): HeldAction | undefined {
    return this.#held.get(`${uid}/${slot}`)
  }

  drop(uid: string, slot: Slot): boolean {
    return this.#held.delete(`${uid}/${slot}`)
  }

  /** Nothing of it waits any more; true when something did. */
  dropAll(uid: string): boolean {
    return allSlots.map((slot) => this.drop(uid, slot)).includes(true)
  }

  /** What a source no longer asks for stops waiting. */
  retainOrigin(origin: HeldOrigin, keep: ReadonlySet<string>): void {
    for (const [key, held] of this.#held) {
      if (held.origin === origin && !keep.has(held.action.uid)) this.#held.delete(key)
    }
  }

  byDigest(digest: string): HeldAction | undefined {
    for (const held of this.#held.values()) if (held.action.digest === digest) return held
    return undefined
  }

  ofCause(kind: CauseKind): Action[] {
    return this.all().flatMap(({ action }) => (action.cause.kind === kind ? [action] : []))
  }

  /** `without`: digests that are about to be let go. */
  all(without?: ReadonlySet<string>): HeldAction[] {
    const all = [...this.#held.values()]
    return without === undefined ? all : all.filter(({ action }) => !without.has(action.digest))
  }

  get size(): number {
    return this.#held.size
  }

  hash(without?: ReadonlySet<string>): string {
    return hashPlan(this.all(without).map((held) => held.action.digest))
  }
}
