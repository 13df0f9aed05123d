// What a provider brings to be examined: its kind, and a real system (or a faithful twin) with a
// back door through which the suite looks, meddles and breaks things behind the provider's back.

import type { Json, JsonObject } from "../../base/json.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ActWorld } from "../../contract/world.ts"

/** What happens to the next call that reaches the system. */
export type FaultMode =
  /** It is never answered and has no effect. */
  | "timeout"
  /** It has its full effect, and the answer is lost. */
  | "lostReply"
  /** A list answers with less than there is, as that system does when it is cut short. */
  | "partialList"
  | "unauthorized"
  | "serverError"
  /** Too many requests. */
  | "throttled"

export const faultModes: readonly FaultMode[] = [
  "timeout",
  "lostReply",
  "partialList",
  "unauthorized",
  "serverError",
  "throttled",
]

/** The back door: it sees and changes the real system without the provider. */
export interface Outside {
  /** Every target there is, foreign ones too, by identity, with all that a change could touch. */
  list(): Promise<ReadonlyMap<string, Json>>
  /** Changes the target so that an observation of it must differ. */
  drift(identity: string): Promise<void>
  remove(identity: string): Promise<void>
  /** Makes a target that is nobody's and returns its identity. */
  addForeign(): Promise<string>
  failNext(mode: FaultMode): Promise<void> | void
  /** How many changes the system has seen so far. */
  mutations(): Promise<number> | number
}

export interface Samples {
  readonly first: JsonObject
  /** The same target as `first`, wanted otherwise, reachable by update (no `replaceOn` field). */
  readonly second: JsonObject
  /** At least two more targets, all different. For lists: more than fit into one page. */
  readonly others: readonly JsonObject[]
}

export interface ConformanceSetup {
  readonly world: ActWorld
  readonly samples: Samples
  readonly outside: Outside
  close(): Promise<void>
}

export interface ConformanceSubject {
  readonly kind: KindProvider
  /** A fresh, empty system; called often. */
  setup(): Promise<ConformanceSetup>
  /** The faults that this medium can have; all of them by default. */
  readonly modes?: readonly FaultMode[]
  /** Rule names that can't hold for this medium, each with its reason. */
  readonly skip?: Readonly<Record<string, string>>
  /** How long one call may take before it counts as hanging. */
  readonly limitMs?: number
}
