// Keeps the last state in which a loop was as declared, and the one before it, by itself. It looks
// only after something was declared anew, waits until that has converged, and writes what differs:
// a loop that rests writes nothing. A state that a person rolled back from is never kept as good.

import type { Clock, Timer } from "../base/clock.ts"
import { toTimestamp } from "../base/clock.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { CheckpointHeader, Pin } from "../ledger/checkpoint-pages.ts"
import type { PinSet } from "../ledger/checkpoints.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ApiObject } from "../object/object.ts"
import { pinOfPlaced, pinOfStored } from "./pins.ts"
import type { Placement } from "./placed-manifests.ts"
import type { InForce } from "./source-state.ts"

export const lastGood = "last-good"
export const lastGoodBefore = "last-good-1"

export interface StoredState {
  readonly uid: string
  readonly generation: number
  readonly loop: string
  readonly marked: boolean
}

export interface CheckpointKeeperPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  exists(loop: string): boolean
  /** Whether the loop's objects come from a source. */
  hasSource(loop: string): boolean
  /** What its source declares; undefined until that was read. */
  inForce(loop: string): InForce | undefined
  /** Everything is as declared, nothing waits, and the source is good. */
  converged(loop: string): Promise<boolean>
  keysOf(loop: string): Iterable<string>
  stateOf(key: string): StoredState | undefined
  object(key: string): Promise<ApiObject | undefined>
  /** The state is kept; whoever explained by a rollback without a source may forget it. */
  kept(loop: string): void
  failed(error: unknown): void
}

/** What was pinned last, so that only what differs is worked through. */
interface Known {
  readonly root: string
  readonly placement?: Placement
  readonly generations?: ReadonlyMap<string, string>
}

export interface Present extends PinSet {
  readonly revision: string | undefined
}

const firstLookMs = 250
const looksApartMs = 30_000

export class CheckpointKeeper {
  readonly #ports: CheckpointKeeperPorts
  readonly #known = new Map<string, Known>()
  readonly #timers = new Map<string, Timer>()
  #closed = false

  constructor(ports: CheckpointKeeperPorts) {
    this.#ports = ports
  }

  /** Something was declared anew, or an object without a source changed. */
  touched(loop: string): void {
    this.#soon(loop, firstLookMs)
  }

  /** An object's generation, loop or mark may have changed; status alone asks for nothing. */
  objectChanged(key: string, loops: Iterable<string>): void {
    const state = this.#ports.stateOf(key)
    for (const loop of loops) {
      if (this.#timers.has(loop) || this.#ports.hasSource(loop)) continue
      const before = this.#known.get(loop)?.generations?.get(key)
      const now = state?.loop === loop ? generationText(state) : undefined
      if (before !== now) this.touched(loop)
    }
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  /** All that the loop declares now; undefined when that is not known. */
  async present(loop: string): Promise<Present | undefined> {
    if (!this.#ports.hasSource(loop)) return { ...(await this.#stored(loop)), revision: undefined }
    const inForce = this.#ports.inForce(loop)
    if (inForce === undefined) return undefined
    const { placed } = inForce.placement
    const pins = new Map(placed.map((one) => [one.text, pinOfPlaced(one)]))
    return { complete: true, pins, revision: inForce.revision }
  }

  /** A loop that is deleted leaves its checkpoints to people. */
  #forget(loop: string): void {
    this.#timers.get(loop)?.cancel()
    this.#timers.delete(loop)
    this.#known.delete(loop)
  }

  #soon(loop: string, delayMs: number): void {
    if (this.#closed) return
    this.#timers.get(loop)?.cancel()
    const timer = this.#ports.clock.after(delayMs, () => {
      this.#timers.delete(loop)
      void this.#look(loop, delayMs)
    })
    this.#timers.set(loop, timer)
  }

  async #look(loop: string, waitedMs: number): Promise<void> {
    if (!this.#ports.exists(loop)) return this.#forget(loop)
    try {
      if (!(await this.#ports.converged(loop))) {
        if (!this.#timers.has(loop)) this.#soon(loop, Math.min(waitedMs * 2, looksApartMs))
        return
      }
      await this.#ports.ledger.checkpoints.exclusive(loop, () => this.#keep(loop))
      this.#ports.kept(loop)
    } catch (error) {
      if (this.#closed) return
      this.#ports.failed(error)
      this.#soon(loop, looksApartMs)
    }
  }

  async #keep(loop: string): Promise<void> {
    const { checkpoints, quarantines } = this.#ports.ledger
    const base = checkpoints.get(loop, lastGood)
    if (this.#isKnown(loop, base)) return
    const { set, known, revision } = await this.#changes(loop, base)
    if (base === undefined && set.pins.size === 0) return
    const built = await checkpoints.pin(loop, set, base)
    const { content } = built
    this.#known.set(loop, { ...known, root: content.root })
    if (base?.root === content.root && base.revision === revision) return
    const created = toTimestamp(this.#ports.clock.now())
    const header: CheckpointHeader = {
      ...{ format: 1, loop, name: lastGood, created, automatic: true },
      ...{ by: enginePrincipal.name, ...content },
      ...(revision === undefined ? {} : { revision }),
    }
    const bad = quarantines.get(loop)?.revision
    const change = rotate(header, base, checkpoints.get(loop, lastGoodBefore), bad)
    await checkpoints.commit(loop, enginePrincipal, { ...change, built, events: [] })
  }

  /** The first look after a start: a source revision that was kept is the same content. */
  #isKnown(loop: string, base: CheckpointHeader | undefined): boolean {
    const inForce = this.#ports.inForce(loop)
    if (base === undefined || inForce?.revision === undefined || this.#known.has(loop)) return false
    if (base.revision !== inForce.revision) return false
    this.#known.set(loop, { root: base.root, placement: inForce.placement })
    return true
  }

  /** What differs from what was pinned last, or everything when that is not known. */
  async #changes(loop: string, base: CheckpointHeader | undefined) {
    const known = this.#known.get(loop)
    const since = known !== undefined && known.root === base?.root ? known : undefined
    const inForce = this.#ports.inForce(loop)
    if (this.#ports.hasSource(loop) && inForce !== undefined) {
      const { placement, revision } = inForce
      const set = changedPlacement(placement, since?.placement)
      return { set, revision, known: { placement } }
    }
    const set = await this.#stored(loop, since?.generations)
    return { set, revision: undefined, known: { generations: set.generations } }
  }

  async #stored(
    loop: string,
    since?: ReadonlyMap<string, string>,
  ): Promise<PinSet & { readonly generations: ReadonlyMap<string, string> }> {
    const { keysOf, stateOf, object } = this.#ports
    const pins = new Map<string, Pin | undefined>()
    const generations = new Map<string, string>()
    for (const key of [...keysOf(loop)]) {
      const state = stateOf(key)
      if (state === undefined || state.marked) continue
      const text = generationText(state)
      generations.set(key, text)
      if (since?.get(key) === text) continue
      const stored = await object(key)
      if (stored !== undefined) pins.set(key, pinOfStored(key, stored))
    }
    for (const key of since?.keys() ?? []) if (!generations.has(key)) pins.set(key, undefined)
    return { complete: since === undefined, pins, generations }
  }
}

const generationText = ({ uid, generation, marked }: StoredState): string =>
  `${uid} ${generation}${marked ? " marked" : ""}`

function changedPlacement(now: Placement, before: Placement | undefined): PinSet {
  const pins = new Map<string, Pin | undefined>()
  const hashes = new Map(before?.placed.map((one) => [one.text, one.hash]))
  for (const one of now.placed) {
    if (hashes.get(one.text) !== one.hash) pins.set(one.text, pinOfPlaced(one))
    hashes.delete(one.text)
  }
  for (const key of hashes.keys()) pins.set(key, undefined)
  return { complete: before === undefined, pins }
}

/**
 * The good state before becomes last-good-1, unless it has the same content or is what a person
 * rolled back from: going back to that by default would be going back to the mistake.
 */
function rotate(
  header: CheckpointHeader,
  before: CheckpointHeader | undefined,
  older: CheckpointHeader | undefined,
  badRevision: string | undefined,
): { puts: CheckpointHeader[]; drops: string[] } {
  if (before === undefined) return { puts: [header], drops: [] }
  if (before.root === header.root) {
    return { puts: [{ ...before, ...revisionOf(header) }], drops: [] }
  }
  const bad = badRevision !== undefined && before.revision === badRevision
  if (!bad) return { puts: [header, { ...before, name: lastGoodBefore }], drops: [] }
  const same = older !== undefined && older.root === header.root
  return { puts: [header], drops: same ? [lastGoodBefore] : [] }
}

const revisionOf = ({ revision }: CheckpointHeader) => (revision === undefined ? {} : { revision })
