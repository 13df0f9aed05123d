// What a pass needs from its surroundings; the composition root hands it in.

import type { Clock } from "../base/clock.ts"
import type { Observation } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Target } from "../contract/provider.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ApiObject } from "../object/object.ts"
import type { FoundReference, Lookup } from "./desire.ts"
import type { Slot } from "./held-set.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import type { Subject } from "./look.ts"
import type { LoopEngine } from "./loop-engine.ts"
import type { Observer } from "./observer.ts"
import type { Reporter } from "./reporter.ts"
import type { SecretHasher } from "./secrets.ts"
import type { SettledCache } from "./settled-cache.ts"

export interface ReconcilePorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly observer: Observer
  readonly settled: SettledCache
  readonly reporter: Reporter
  readonly hasher: SecretHasher
  readonly lookup: Lookup
  /** The newest version, at least as new as what the informer knows. */
  object(key: string): Promise<ApiObject | undefined>
  kindOf(key: string): KindRuntime | undefined
  loopOf(id: string): LoopEngine | undefined
  /** What this object takes from others, as this pass found it. */
  refers?(key: string, namespace: string, found: readonly FoundReference[]): void
  /** Marked objects that take values from this one: they are deleted first. */
  goesAfter?(key: string): readonly string[]
  /** A pass over an object that has children instead of a target; undefined when all are gone. */
  compose?(subject: Subject): Promise<Outcome | undefined>
  /** There is no such object any more: what it owned must not be forgotten. */
  gone(key: string): Promise<void>
  /** Takes our finalizer off, which lets a marked object go. */
  unfinalize(object: ApiObject): Promise<void>
  /** A look at the target; invariants are judged over what was seen. */
  seen?(subject: Subject, observation: Observation): void
  /** Asks for hints about this target from now on. */
  watchTarget(key: string, kind: KindRuntime, target: Target): void
  unwatchTarget(key: string): void
  /** A held action changed or stopped being held. */
  heldChanged(loop: LoopEngine): Promise<void>
  /** Nothing that was approved for it in these slots, or at all, is left to do. */
  concluded(loop: LoopEngine, uid: string, slots?: readonly Slot[]): Promise<void>
}
