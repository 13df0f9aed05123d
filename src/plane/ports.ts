// What a plane is made of. Production and simulation hand in different parts; the plane is the
// same.

import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { CompositeKind } from "../contract/composite.ts"
import type { LoopSource } from "../contract/loop.ts"
import type { SendMessage } from "../contract/notification.ts"
import type { Probes } from "../contract/probes.ts"
import type { KindProvider } from "../contract/provider.ts"
import type { Sealer } from "../contract/sealer.ts"
import type { Source } from "../contract/source.ts"
import type { StopSwitch } from "../contract/stop.ts"
import type { Store } from "../contract/store.ts"
import type { CallWebhook } from "../contract/webhook.ts"
import type { ActWorld, ReadWorld } from "../contract/world.ts"
import type { RoundOptions } from "../reconcile/round.ts"
import type { SecretHasher } from "../reconcile/secrets.ts"
import type { OpenGitRequest } from "../sources/git/git-source.ts"
import type { Logger } from "../telemetry/logger.ts"
import type { Metrics } from "../telemetry/metrics.ts"
import type { SpanSink } from "../telemetry/spans.ts"
import type { BackupFiles, BackupOptions } from "./backup-schedule.ts"

export interface PlanePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly kinds: readonly KindProvider[]
  /** Kinds made of others. */
  readonly composites?: readonly CompositeKind[]
  readonly readWorld: ReadWorld
  readonly actWorld: ActWorld
  readonly stop: StopSwitch
  /** How webhooks are called; kinds that need one answer 500 where it is missing. */
  readonly callWebhook?: CallWebhook
  /** How signals look at programs, databases and logs; missing where there is no way to. */
  readonly probes?: Probes
  /** How notifiers send; without it they say that they can't. */
  readonly notify?: SendMessage
  readonly hasher: SecretHasher
  /** Nothing secret reaches the store in clear. */
  readonly sealer: Sealer
  readonly logger: Logger
  readonly metrics: Metrics
  /** Where spans of traces go; without it nothing is traced. */
  readonly spans?: SpanSink
  readonly round?: RoundOptions
  /** Kubernetes' workload kinds are served, as plain data. */
  readonly workloadKinds?: boolean
  readonly workers?: number
  /** How long events are kept after their last change. */
  readonly eventsKeepMs?: number
  /** How long journal entries are kept. */
  readonly journalKeepMs?: number
  /** Entries of a segment of the journal. */
  readonly journalSegment?: number
  /** Opens the source that a loop names. */
  openSource(source: LoopSource, loop: string): Source
  /** Opens a git repository that a loop names; `openSource` is asked where this is missing. */
  openGit?(request: OpenGitRequest): Source
  /** Backups on a schedule; none when missing. */
  readonly backups?: BackupOptions & { readonly files: BackupFiles }
  /** Copies the store into a file, consistently; missing where there is nothing to copy. */
  backup?(file: string): Promise<void>
  /** The content has been observed in full since it was restored. */
  clearRestored?(): Promise<void>
}
