// What a plane is made of. Production and simulation hand in different parts; the plane is the
// same.

import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { KindProvider } from "../contract/provider.ts"
import type { Source } from "../contract/source.ts"
import type { StopSwitch } from "../contract/stop.ts"
import type { Store } from "../contract/store.ts"
import type { ActWorld, ReadWorld } from "../contract/world.ts"
import type { RoundOptions } from "../reconcile/round.ts"
import type { SecretHasher } from "../reconcile/secrets.ts"
import type { Logger } from "../telemetry/logger.ts"
import type { Metrics } from "../telemetry/metrics.ts"

export interface PlanePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly kinds: readonly KindProvider[]
  readonly readWorld: ReadWorld
  readonly actWorld: ActWorld
  readonly stop: StopSwitch
  readonly hasher: SecretHasher
  readonly logger: Logger
  readonly metrics: Metrics
  readonly round?: RoundOptions
  readonly workers?: number
  /** Opens the source that a loop names. */
  openSource(directory: string): Source
  /** Copies the store into a file, consistently; missing where there is nothing to copy. */
  backup?(file: string): Promise<void>
  /** The content has been observed in full since it was restored. */
  clearRestored?(): Promise<void>
}
