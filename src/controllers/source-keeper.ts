// Brings a loop's source into the API: a whole revision or nothing. What can't be read, or is not
// valid as a whole, leaves the last good revision in force and says why; what is no longer declared
// is pruned as one set, judged before anything is marked.

import { mapBounded } from "../base/async.ts"
import type { Breath } from "../base/breath.ts"
import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { isFault, toFault } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import { enginePrincipal, type Principal, sourcePrincipal } from "../contract/principal.ts"
import type { Source, SourceIssue, SourceSnapshot, TakenRevision } from "../contract/source.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { Closeable } from "../contract/world.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type Quarantine, rollbackRevision } from "../ledger/quarantines.ts"
import {
  type ApiObject,
  keyText,
  type ObjectKey,
  parseKeyText,
  sourceAnnotation,
} from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { type Placed, refusedIssue, type ServedKind } from "./place-manifest.ts"
import { PlacedManifests, type Placement } from "./placed-manifests.ts"
import { endQuarantine, PinnedSource, rollbackCause } from "./quarantine.ts"
import { type ApplyDeclaredPorts, applyDeclared } from "./revision-mark.ts"
import { recordedSource, recordGood } from "./source-record.ts"
import { type InForce, issueText, type KeptObjects, type SourceState } from "./source-state.ts"

export interface SourceKeeperPorts extends ApplyDeclaredPorts {
  readonly clock: Clock
  readonly breath: Breath
  readonly ledger: Ledger
  readonly verbs: Pick<Verbs, "apply" | "deleteSet">
  /** How the API serves a kind; undefined when it does not. */
  servedKind(group: string, kind: string): ServedKind | undefined
  /** Objects of the loop that are stored and not marked. */
  storedKeys(loop: string): Iterable<string>
  storedObject(key: string): Promise<ApiObject | undefined>
  /** References of a whole revision that lead back to where they began. */
  circles(changed: readonly Placed[], all: readonly Placed[]): Promise<readonly SourceIssue[]>
  heldChanged(loop: LoopEngine): Promise<void>
  /** Lets an object go: it stays stored, and its target is left alone. */
  release(loop: LoopEngine, key: string): Promise<void>
  /** The state changed; the loop's status shows it. */
  changed(loop: LoopEngine, state: SourceState): Promise<void>
  /** A newer revision ended a rollback. */
  movedOn(loop: LoopEngine, quarantine: Quarantine, revision: string): void
  failed(error: unknown): void
}

const hintQuietMs = 30
const retryMs = 5000
const writesAtOnce = 32
const keysPerTurn = 1000

export class SourceKeeper {
  readonly #ports: SourceKeeperPorts
  readonly #loop: LoopEngine
  readonly #source: Source
  readonly #stop = new AbortController()
  readonly #applied = new Map<string, string>()
  readonly #manifests: PlacedManifests
  readonly #pinned: PinnedSource
  readonly #watch: Closeable
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #again = false
  #noted = ""
  state: SourceState = { kind: "reading" }
  #kept: KeptObjects | undefined
  #declaredAt: string | undefined
  #taken: TakenRevision | undefined
  /** Undefined until something good was read since the start. */
  inForce: InForce | undefined
  /** Store revision of each object that the last change wrote. */
  readonly writtenAt = new Map<string, number>()
  /** Pinned objects whose kind is not served any more. */
  lost: readonly string[] = []

  constructor(loop: LoopEngine, source: Source, ports: SourceKeeperPorts) {
    this.#loop = loop
    this.#source = source
    this.#ports = ports
    this.#manifests = new PlacedManifests(loop.id, ports.servedKind, ports.breath)
    this.#pinned = new PinnedSource(loop.id, ports.ledger, ports.servedKind)
    this.#watch = source.watch(() => this.#soon(hintQuietMs))
  }

  get description(): string {
    return this.#source.description
  }

  /** Reads and applies; calls that come meanwhile share one more run after this one. */
  async sync(): Promise<void> {
    if (this.#running !== undefined) {
      this.#again = true
      return this.#running
    }
    this.#running = this.#runs()
    try {
      await this.#running
    } finally {
      this.#running = undefined
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#watch.close()
    this.#timer?.cancel()
    await this.#running?.catch(() => {})
  }

  async #runs(): Promise<void> {
    do {
      this.#again = false
      try {
        await this.#once()
      } catch (error) {
        this.#ports.failed(error)
        this.#soon(retryMs)
      }
    } while (this.#again && !this.#stop.signal.aborted)
  }

  #soon(delayMs: number): void {
    if (this.#stop.signal.aborted) return
    this.#timer?.cancel()
    this.#timer = this.#ports.clock.after(delayMs, () => void this.sync())
  }

  /** What the ledger knows, without reading: what was rejected or rolled back stays so. */
  async recall(): Promise<void> {
    const known = await this.#recorded()
    this.#loop.sourceRevision ??= known?.revision
    this.#taken ??= known?.source === this.#source.description ? known.taken : undefined
    const { quarantine } = this.#pinned
    if (quarantine !== undefined) this.#loop.rollback ??= rollbackCause(quarantine)
  }

  async #once(): Promise<void> {
    await this.recall()
    const snapshot = noErrorForEmpty(await this.#source.read(this.#stop.signal))
    if (this.#stop.signal.aborted) return
    if (this.#pinned.isQuarantined(snapshot)) return this.#standPinned()
    if (snapshot.kind !== "complete") return this.#refuseAt(snapshot)
    const placement = await this.#manifests.place(snapshot.manifests)
    const refused = await this.#check(placement)
    const taken = refused.length === 0 || !protects("whole-revision-or-nothing")
    const { revision, origin } = snapshot
    if (!taken) return this.#refuseAt({ kind: "invalid", issues: refused, revision })
    await this.#moveOn(revision)
    this.#taken = { revision, ...(origin === undefined ? {} : { origin }) }
    await this.#bring(placement, revision, revision)
  }

  async #check({ placed, issues }: Placement): Promise<readonly SourceIssue[]> {
    if (issues.length > 0) return issues
    const changed = this.#changed(placed)
    const refused = await this.#rehearse(changed)
    return refused.length > 0 ? refused : this.#ports.circles(changed, placed)
  }

  #changed(placed: readonly Placed[]): Placed[] {
    return placed.filter((one) => this.#applied.get(one.text) !== one.hash)
  }

  /** `name` is what the loop calls it; `declaredAt` is the source revision it came from. */
  async #bring(
    placement: Placement,
    name: string,
    declaredAt: string | undefined,
    noted = true,
  ): Promise<void> {
    this.#loop.sourceRevision = name
    this.#declaredAt = declaredAt
    this.#loop.sourceGoodAt = this.#ports.ledger.time.now()
    if (!protects("new-before-old")) await this.#prune(placement, name, new Set())
    const written = await this.#write(this.#changed(placement.placed))
    await this.#prune(placement, name, written)
    this.inForce = { placement, revision: declaredAt }
    if (noted) await this.#note(name, placement.placed.length)
  }

  /** The pinned manifests take the place of the quarantined revision; judged as any others. */
  async #standPinned(noted = true): Promise<void> {
    const { quarantine } = this.#pinned
    if (quarantine === undefined) return
    const { manifests, lost } = await this.#pinned.load()
    const placement = await this.#manifests.place(manifests)
    const refused = await this.#check(placement)
    if (refused.length > 0) return this.#refuse({ kind: "invalid", issues: refused })
    this.lost = lost
    this.#loop.rollback = rollbackCause(quarantine)
    const name = rollbackRevision(quarantine)
    await this.#bring(placement, name, quarantine.pinnedRevision, noted)
  }

  /** A source that can't be used leaves what is in force, which may be a rollback. */
  async #refuseAt(snapshot: Refused): Promise<void> {
    if (this.#pinned.quarantine !== undefined) await this.#standPinned(false)
    return this.#refuse(snapshot)
  }

  /** The source shows something else than what was rolled back from, and it is good. */
  async #moveOn(revision: string): Promise<void> {
    const { quarantine } = this.#pinned
    this.#loop.rollback = undefined
    this.lost = []
    if (quarantine === undefined) return
    const reason = `the source moved on to revision ${revision.slice(0, 12)}`
    await endQuarantine(this.#ports.ledger, quarantine, enginePrincipal, reason)
    this.#ports.movedOn(this.#loop, quarantine, revision)
  }

  /** Everything is tried before anything is written: all or nothing per revision. */
  async #rehearse(changed: readonly Placed[]): Promise<SourceIssue[]> {
    const answers = await mapBounded(changed, writesAtOnce, async (one) => {
      await this.#ports.breath.due()
      try {
        await this.#apply(one, true)
        return undefined
      } catch (error) {
        if (!isFault(error) || error.fault === "retry" || error.fault === "bug") throw error
        return refusedIssue(one.manifest, error)
      }
    })
    return answers.filter((issue) => issue !== undefined)
  }

  /** The keys that are stored now; one that is still being deleted has to be made again later. */
  async #write(changed: readonly Placed[]): Promise<ReadonlySet<string>> {
    const written = new Set<string>()
    if (changed.length > 0) this.writtenAt.clear()
    await mapBounded(changed, writesAtOnce, async (one) => {
      await this.#ports.breath.due()
      const { metadata } = await this.#apply(one, false)
      if (metadata.deletionTimestamp !== undefined) return
      this.#applied.set(one.text, one.hash)
      this.writtenAt.set(one.text, Number(metadata.resourceVersion))
      written.add(one.text)
    })
    return written
  }

  #apply(placed: Placed, dryRun: boolean): Promise<ApiObject> {
    return applyDeclared(placed, this.#loop.id, this.#declaredAt, dryRun, this.#ports)
  }

  async #prune(
    { declared }: Placement,
    revision: string,
    written: ReadonlySet<string>,
  ): Promise<void> {
    let found = 0
    const keys: ObjectKey[] = []
    const uids = new Set<string>()
    for (const key of this.#ports.storedKeys(this.#loop.id)) {
      if (declared.has(key)) {
        if (++found % keysPerTurn === 0) await this.#ports.breath.due()
        continue
      }
      const object = await this.#ports.storedObject(key)
      const ours = object?.metadata.annotations?.[sourceAnnotation] !== undefined
      if (object === undefined || !ours) continue
      this.#applied.delete(key)
      keys.push(parseKeyText(key))
      uids.add(object.metadata.uid ?? "")
    }
    if (found < declared.size) this.#applyLater(declared, written)
    const loop = this.#loop
    // Of what is stored, so that it is known after a restart as well.
    loop.sourceShrunk = { from: found + keys.length, to: declared.size }
    loop.held.retainOrigin("prune", uids)
    this.#kept = undefined
    await this.#ports.heldChanged(loop)
    if (keys.length === 0) return
    const before = await this.#recorded()
    const moved = before !== undefined && before.source !== this.#source.description
    if (moved && protects("repointed-source-releases")) {
      // The loop points elsewhere now: what only the old source declared is let go, never pruned.
      for (const key of keys) await this.#ports.release(loop, keyText(key))
      return
    }
    try {
      const options = { origin: "prune", sourceRevision: revision } as const
      await this.#ports.verbs.deleteSet(this.#pruner(), keys, options)
    } catch (error) {
      const fault = toFault(error)
      if (fault.status !== 403) throw error // Held or denied is an answer, not a failure.
      const why = String(fault.details.why ?? fault.message)
      // What is held shows in its plan; what is denied would show nowhere.
      if (fault.code === "SPT-API-015") this.#kept = { keys: new Set(keys.map(keyText)), why }
    }
  }

  /** A rollback prunes as the source does: nobody's hand is lifted over the judge. */
  #pruner(): Principal {
    const judged = this.#loop.rollback === undefined || protects("rollback-is-judged")
    return judged ? sourcePrincipal(this.#loop.id) : enginePrincipal
  }

  /** Declared, and being deleted or gone: applied again until it is there. */
  #applyLater(declared: ReadonlySet<string>, written: ReadonlySet<string>): void {
    const missing = new Set(declared)
    for (const key of this.#ports.storedKeys(this.#loop.id)) missing.delete(key)
    const gone = [...missing].filter((key) => !written.has(key))
    for (const key of gone) this.#applied.delete(key)
    if (gone.length > 0) this.#soon(retryMs)
  }

  /** The last good revision that the ledger knows of, and where it came from. */
  #recorded() {
    return recordedSource(this.#ports.ledger, this.#loop.id)
  }

  async #note(revision: string, objects: number): Promise<void> {
    const kept = this.#kept === undefined ? {} : { kept: this.#kept }
    const taken = this.#taken
    const origin = taken?.revision === revision && taken.origin ? { origin: taken.origin } : {}
    const state: SourceState = { kind: "good", revision, objects, ...origin, ...kept }
    this.state = state
    if (this.#noted === revision) return
    this.#noted = revision
    const { ledger, clock } = this.#ports
    await recordGood(ledger, this.#loop.id, {
      ...{ revision, source: this.#source.description, objects, at: toTimestamp(clock.now()) },
      ...(taken === undefined ? {} : { taken }),
    })
    await this.#ports.changed(this.#loop, state)
  }

  /** The last good revision stays in force. */
  async #refuse({ kind, issues, revision }: Refused): Promise<void> {
    const lastGood = this.#loop.sourceRevision
    const note = issues.slice(0, 5).map(issueText).join("; ")
    const refused = revision === undefined ? {} : { refused: revision }
    this.state = { kind, issues, lastGood, ...refused }
    this.#soon(retryMs)
    if (this.#noted === `${kind} ${note}`) return
    this.#noted = `${kind} ${note}`
    const event = { type: "source", state: kind, note } as const
    await this.#ports.ledger.note(this.#loop.id, enginePrincipal, [event])
    await this.#ports.changed(this.#loop, this.state)
  }

  /** Somebody says that the source changed. */
  poke(): void {
    this.#source.poke?.()
    this.#soon(0)
  }
}

type Refused = Exclude<SourceSnapshot, { kind: "complete" }> & { readonly revision?: string }

/** What can't be read is refused as such; the twin of it takes an error for an empty answer. */
function noErrorForEmpty(snapshot: SourceSnapshot): SourceSnapshot {
  if (snapshot.kind === "complete" || protects("source-error-is-not-empty")) return snapshot
  return { kind: "complete", revision: "nothing", manifests: [] }
}
