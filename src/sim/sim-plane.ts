// A whole plane in the simulator: real engine, API, ledger and store semantics, on virtual time, a
// simulated world and a source that a test fills. A crash drops everything but the store's content.

import { type KindProvider } from "../contract/provider.ts"
import type { Source, SourceSnapshot } from "../contract/source.ts"
import type { StopEntry, StopSwitch } from "../contract/stop.ts"
import type { Store } from "../contract/store.ts"
import type { ActWorld } from "../contract/world.ts"
import type { ApiObject } from "../object/object.ts"
import { Plane } from "../plane/plane.ts"
import { createSecretHasher } from "../reconcile/secrets.ts"
import { MemoryEngine } from "../store/engines/memory-engine.ts"
import { openStoreOn } from "../store/open-memory-store.ts"
import { silentLogger } from "../telemetry/logger.ts"
import { Metrics } from "../telemetry/metrics.ts"
import { emptyWorld } from "./sim-fixture.ts"
import { SimClock } from "./sim-clock.ts"
import { SimRandom } from "./sim-random.ts"

/** A source whose content the test sets; it answers with what it was told. */
export class SimSource implements Source {
  readonly description = "simulated"
  #snapshot: SourceSnapshot = { kind: "complete", revision: "empty", manifests: [] }
  #changed: () => void = () => {}

  /** The revision is a counter: content that comes back is a new revision, as with commits. */
  #revision = 0

  declare(objects: readonly ApiObject[], revision?: string): void {
    const manifests = objects.map((object, index) => {
      const position = { file: "sim/all.yaml", line: index + 1, column: 1 }
      return { object, position, locate: () => position }
    })
    const name = revision ?? `r${++this.#revision}`
    this.set({ kind: "complete", revision: name, manifests })
  }

  fail(message: string, kind: "unreadable" | "invalid" = "unreadable"): void {
    this.set({ kind, issues: [{ code: "SIM", message, hint: "wait" }] })
  }

  set(snapshot: SourceSnapshot): void {
    this.#snapshot = snapshot
    this.#changed()
  }

  async read(): Promise<SourceSnapshot> {
    return this.#snapshot
  }

  watch(changed: () => void) {
    this.#changed = changed
    return { close: () => {} }
  }
}

/** The stop file of a simulated data directory; it survives crashes. */
export class SimStop implements StopSwitch {
  #entries: readonly StopEntry[] = []
  entries(): readonly StopEntry[] {
    return this.#entries
  }
  write(entries: readonly StopEntry[]): void {
    this.#entries = entries
  }
}

export interface SimPlaneOptions {
  readonly kinds: readonly KindProvider[]
  readonly clock?: SimClock
  readonly seed?: number
  readonly world?: ActWorld
  /** Wraps the store of each start, for crash points. */
  readonly wrapStore?: (store: Store) => Store
}

export class SimPlane {
  readonly clock: SimClock
  readonly source = new SimSource()
  readonly stop = new SimStop()
  readonly metrics = new Metrics()
  kinds: readonly KindProvider[]
  wrapStore: ((store: Store) => Store) | undefined
  readonly #engine = new MemoryEngine()
  readonly #world: ActWorld
  readonly #seed: number
  #plane: Plane | undefined
  #starts = 0
  readonly errors: string[] = []

  constructor(options: SimPlaneOptions) {
    this.clock = options.clock ?? new SimClock()
    this.kinds = options.kinds
    this.#world = options.world ?? emptyWorld()
    this.#seed = options.seed ?? 1
    this.wrapStore = options.wrapStore
  }

  get plane(): Plane {
    if (this.#plane === undefined) throw new Error("the simulated plane is not running")
    return this.#plane
  }

  /** Opens the same store again, as a new process would; resolves while virtual time passes. */
  async start(): Promise<Plane> {
    const random = new SimRandom(this.#seed + ++this.#starts)
    const { clock } = this
    const store = await openStoreOn(this.#engine, { clock, random, planeId: "sim-plane" })
    const logger = {
      ...silentLogger,
      error: (message: string, fields?: object) => {
        this.errors.push(`${message} ${JSON.stringify(fields ?? {})}`)
      },
    }
    const opening = Plane.open({
      ...{ clock, random, logger, kinds: this.kinds, metrics: this.metrics, stop: this.stop },
      store: this.wrapStore?.(store) ?? store,
      readWorld: this.#world,
      actWorld: this.#world,
      hasher: createSecretHasher("sim", new Uint8Array(32)),
      openSource: () => this.source,
    })
    let opened: Plane | undefined
    void opening.then(
      (plane) => {
        opened = plane
      },
      () => {},
    )
    await clock.runUntil(() => opened !== undefined, { maxMs: 60_000 })
    this.#plane = await opening
    return this.#plane
  }

  async stopPlane(): Promise<void> {
    const closing = this.plane.close()
    let closed = false
    void closing.finally(() => {
      closed = true
    })
    await this.clock.runUntil(() => closed, { maxMs: 120_000 })
    this.#plane = undefined
  }
}
