// Brings a loop's source into the API: a whole revision or nothing. What can't be read, or is not
// valid as a whole, leaves the last good revision in force and says why; what is no longer declared
// is pruned as one set, judged before anything is marked.

import { mapBounded } from "../base/async.ts"
import type { Breath } from "../base/breath.ts"
import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { isFault, toFault } from "../base/faults.ts"
import { enginePrincipal, sourcePrincipal } from "../contract/principal.ts"
import { positionText, type Source, type SourceIssue } from "../contract/source.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { Closeable } from "../contract/world.ts"
import { decodeDocument, ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
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

export type SourceState =
  | { readonly kind: "reading" }
  | { readonly kind: "good"; readonly revision: string; readonly objects: number }
  | {
      readonly kind: "invalid" | "unreadable"
      readonly issues: readonly SourceIssue[]
      readonly lastGood: string | undefined
    }

export interface SourceKeeperPorts {
  readonly clock: Clock
  readonly breath: Breath
  readonly ledger: Ledger
  readonly verbs: Pick<Verbs, "apply" | "deleteSet">
  /** How the API serves a kind; undefined when it does not. */
  servedKind(group: string, kind: string): ServedKind | undefined
  /** Objects of the loop that are stored and not marked. */
  storedKeys(loop: string): Iterable<string>
  storedObject(key: string): Promise<ApiObject | undefined>
  heldChanged(loop: LoopEngine): Promise<void>
  /** Lets an object go: it stays stored, and its target is left alone. */
  release(loop: LoopEngine, key: string): Promise<void>
  /** The state changed; the loop's status shows it. */
  changed(loop: LoopEngine, state: SourceState): Promise<void>
  failed(error: unknown): void
}

const hintQuietMs = 30
const retryMs = 5000
const writesAtOnce = 32
const keysPerTurn = 1000

interface RecordedSource {
  readonly revision: string
  readonly source: string
}

export class SourceKeeper {
  readonly #ports: SourceKeeperPorts
  readonly #loop: LoopEngine
  readonly #source: Source
  readonly #stop = new AbortController()
  readonly #applied = new Map<string, string>()
  readonly #manifests: PlacedManifests
  readonly #watch: Closeable
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #again = false
  #noted = ""
  state: SourceState = { kind: "reading" }

  constructor(loop: LoopEngine, source: Source, ports: SourceKeeperPorts) {
    this.#loop = loop
    this.#source = source
    this.#ports = ports
    this.#manifests = new PlacedManifests(loop.id, ports.servedKind, ports.breath)
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

  async #once(): Promise<void> {
    this.#loop.sourceRevision ??= (await this.#recorded())?.revision
    const snapshot = await this.#source.read(this.#stop.signal)
    if (this.#stop.signal.aborted) return
    if (snapshot.kind !== "complete") return this.#refuse(snapshot.kind, snapshot.issues)
    const placement = await this.#manifests.place(snapshot.manifests)
    const { placed, issues } = placement
    const changed = placed.filter((one) => this.#applied.get(one.text) !== one.hash)
    const refused = issues.length > 0 ? issues : await this.#rehearse(changed)
    if (refused.length > 0) return this.#refuse("invalid", refused)
    this.#loop.sourceRevision = snapshot.revision
    const written = await this.#write(changed)
    await this.#prune(placement, snapshot.revision, written)
    await this.#note(snapshot.revision, placed.length)
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
    await mapBounded(changed, writesAtOnce, async (one) => {
      await this.#ports.breath.due()
      const { metadata } = await this.#apply(one, false)
      if (metadata.deletionTimestamp !== undefined) return
      this.#applied.set(one.text, one.hash)
      written.add(one.text)
    })
    return written
  }

  async #apply({ resource, object }: Placed, dryRun: boolean): Promise<ApiObject> {
    const principal = sourcePrincipal(this.#loop.id)
    const options = { fieldManager: principal.name, force: true, dryRun }
    return (await this.#ports.verbs.apply(principal, resource, object, options)).object
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
    loop.held.retainOrigin("prune", uids)
    await this.#ports.heldChanged(loop)
    if (keys.length === 0) return
    const before = await this.#recorded()
    if (before !== undefined && before.source !== this.#source.description) {
      // The loop points elsewhere now: what only the old source declared is let go, never pruned.
      for (const key of keys) await this.#ports.release(loop, keyText(key))
      return
    }
    try {
      const options = { origin: "prune", sourceRevision: revision } as const
      await this.#ports.verbs.deleteSet(sourcePrincipal(loop.id), keys, options)
    } catch (error) {
      const fault = toFault(error)
      if (fault.status !== 403) throw error // Held or denied is an answer, not a failure.
    }
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
  async #recorded(): Promise<RecordedSource | undefined> {
    const stored = await this.#ports.ledger.store.get(ledgerKeys.source(this.#loop.id))
    if (stored === undefined || "kind" in stored) return undefined
    return decodeDocument<RecordedSource>(stored.value)
  }

  async #note(revision: string, objects: number): Promise<void> {
    const state: SourceState = { kind: "good", revision, objects }
    this.state = state
    if (this.#noted === revision) return
    this.#noted = revision
    const { ledger, clock } = this.#ports
    const at = toTimestamp(clock.now())
    const source = this.#source.description
    const known = await this.#recorded()
    if (known?.revision !== revision || known.source !== source) {
      const document = { revision, source, objects, at }
      const write = putDocument(ledgerKeys.source(this.#loop.id), document)
      const event = { type: "source", state: "good", revision, note: `${objects} objects` } as const
      await ledger.note(this.#loop.id, enginePrincipal, [event], [write])
    }
    await this.#ports.changed(this.#loop, state)
  }

  /** The last good revision stays in force. */
  async #refuse(kind: "invalid" | "unreadable", issues: readonly SourceIssue[]): Promise<void> {
    const lastGood = this.#loop.sourceRevision
    const note = issues.slice(0, 5).map(issueText).join("; ")
    this.state = { kind, issues, lastGood }
    this.#soon(retryMs)
    if (this.#noted === `${kind} ${note}`) return
    this.#noted = `${kind} ${note}`
    const event = { type: "source", state: kind, note } as const
    await this.#ports.ledger.note(this.#loop.id, enginePrincipal, [event])
    await this.#ports.changed(this.#loop, this.state)
  }
}

export function issueText(issue: SourceIssue): string {
  const place = issue.position === undefined ? "" : `${positionText(issue.position)}: `
  return `${place}${issue.message}`
}
