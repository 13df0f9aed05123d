// The plane as scenarios see it: a real one, with one loop over a source that the scenario fills,
// which can be killed at any moment and opened again over what it had made durable.

import type { Clock } from "../../base/clock.ts"
import type { JsonObject } from "../../base/json.ts"
import type { Random } from "../../base/random.ts"
import type { CompositeKind } from "../../contract/composite.ts"
import type { JournalEvent } from "../../contract/journal.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ActWorld, ReadWorld } from "../../contract/world.ts"
import type { ApiObject } from "../../object/object.ts"

export interface PendingPlan {
  readonly name: string
  readonly verbs: readonly string[]
  readonly codes: readonly string[]
}

export interface PlaneInput {
  /** Made anew for each start. */
  kinds(): readonly KindProvider[]
  composites(): readonly CompositeKind[]
  /** The name of the kind under test: its objects are what `objects` lists. */
  readonly kind: string
  /** What the loop says besides its source and its mode. */
  readonly loop: JsonObject
  readonly reads: ReadWorld
  readonly acts: ActWorld
  readonly clock: Clock
  readonly random: Random
}

export interface ScenarioPlane {
  /** The whole content of the source from now on. */
  declare(objects: readonly ApiObject[]): void
  /** The source can't be read from now on. */
  loseSource(): void
  /** Looks at everything once, as the level trigger does. */
  look(): Promise<void>
  objects(): Promise<readonly ApiObject[]>
  pending(): readonly PendingPlan[]
  /** A person decides to take over the target of this object. */
  adopt(name: string): Promise<void>
  journal(): Promise<readonly JournalEvent[]>
  /** Of the store; it stands still when nothing is written. */
  revision(): number
  /** The process is gone: nothing it began goes on, nothing it was about to do happens. */
  kill(): void
  /** A new process over the same data. */
  reopen(): Promise<void>
  close(): Promise<void>
}

export type OpenPlane = (input: PlaneInput) => Promise<ScenarioPlane>
