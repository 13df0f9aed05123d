// What a preview is made of: the ports that come in, and the parts that its passes share.

import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { CompositeKind } from "../contract/composite.ts"
import type { LoopSource } from "../contract/loop.ts"
import type { KindProvider } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Source } from "../contract/source.ts"
import type { StopEntry } from "../contract/stop.ts"
import type { Store } from "../contract/store.ts"
import type { ReadWorld } from "../contract/world.ts"
import type { LoopDeleteJudge } from "../controllers/delete-judge.ts"
import type { InvariantBook } from "../controllers/invariant-book.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Observer } from "../reconcile/observer.ts"
import type { SecretHasher } from "../reconcile/secrets.ts"
import type { OpenGitRequest } from "../sources/git/git-source.ts"
import type { PreviewObjects } from "./preview-objects.ts"

export interface PreviewPorts {
  readonly clock: Clock
  readonly random: Random
  readonly kinds: readonly KindProvider[]
  readonly composites?: readonly CompositeKind[]
  readonly readWorld: ReadWorld
  readonly hasher: SecretHasher
  /** A snapshot that refuses writes, or an empty one in memory when nothing is stored yet. */
  readonly store: Store
  stops(): readonly StopEntry[]
  openSource(source: LoopSource, loop: string): Source
  /** Opens a git repository; `openSource` is asked where this is missing. */
  openGit?(request: OpenGitRequest): Source
}

/** Everything a preview is made of; opened once, shared by its loops. */
export interface PreviewParts {
  readonly ports: PreviewPorts
  readonly ledger: Ledger
  readonly observer: Observer
  readonly objects: PreviewObjects
  readonly judge: LoopDeleteJudge
  readonly invariants: InvariantBook
  /** Read once, by UID: a preview asks for each of them. */
  readonly records: ReadonlyMap<string, TargetRecord>
  /** With promotions: what a loop may take. */
  openSource(source: LoopSource, loop: string): Source
  readonly openedAt: number
  readonly signal: AbortSignal
}

/** The plan that waits in this loop, if one does. */
export function pendingPlan(ledger: Ledger, loop: string): string | undefined {
  return ledger.plans.pending(loop)?.name
}
