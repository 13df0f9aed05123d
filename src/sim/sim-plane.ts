// A whole plane in the simulator: real engine, API, ledger and store semantics, on virtual time, a
// simulated world and a source that a test fills. A crash drops everything but the store's content.

import type { CompositeKind } from "../contract/composite.ts"
import type { KindProvider } from "../contract/provider.ts"
import type { Source } from "../contract/source.ts"
import type { StopEntry, StopSwitch } from "../contract/stop.ts"
import type { Store } from "../contract/store.ts"
import type { ActWorld } from "../contract/world.ts"
import { aesSealer, type SealingKeys } from "../plane/adapters/aes-sealer.ts"
import { Plane } from "../plane/plane.ts"
import type { PlanePorts } from "../plane/ports.ts"
import { ToldSource as SimSource } from "../plane/testing/told-source.ts"
import { createSecretHasher } from "../reconcile/secrets.ts"
import { MemoryEngine } from "../store/engines/memory-engine.ts"
import { openStoreOn } from "../store/open-memory-store.ts"
import { silentLogger } from "../telemetry/logger.ts"
import { Metrics } from "../telemetry/metrics.ts"
import { HandledCalls, handledKind } from "./handled-kind.ts"
import { SimClock } from "./sim-clock.ts"
import { emptyWorld } from "./sim-fixture.ts"
import { SimProbes } from "./sim-probes.ts"
import { SimRandom } from "./sim-random.ts"

export { SimSource }

/** The stop file of a simulated data directory; it survives crashes. */
export class SimStop implements StopSwitch {
  #entries: readonly StopEntry[] = []
  entries(): readonly StopEntry[] {
    return this.#entries
  }
  change(edit: (standing: readonly StopEntry[]) => readonly StopEntry[]): readonly StopEntry[] {
    this.#entries = edit(this.#entries)
    return this.#entries
  }
  /** As someone would who writes the file by hand. */
  write(entries: readonly StopEntry[]): void {
    this.#entries = entries
  }
}

/** The key file of a simulated plane; it survives crashes. */
export class SimKeys implements SealingKeys {
  keys: readonly Uint8Array[] = [new Uint8Array(32)]
  read(): readonly Uint8Array[] {
    return this.keys
  }
  add(): void {
    this.keys = [...this.keys, new Uint8Array(32).fill(this.keys.length)]
  }
}

export interface SimPlaneOptions {
  readonly kinds: readonly KindProvider[]
  readonly composites?: readonly CompositeKind[]
  readonly clock?: SimClock
  readonly seed?: number
  readonly world?: ActWorld
  /** Wraps the store of each start, for crash points. */
  readonly wrapStore?: (store: Store) => Store
  readonly wrapSource?: (source: Source, loop: string) => Source
  readonly workers?: number
  /** How webhooks answer. */
  readonly callWebhook?: PlanePorts["callWebhook"]
  /** Where messages of notifiers go. */
  readonly notify?: PlanePorts["notify"]
  /** How the journal is cut and kept. */
  readonly journal?: Pick<PlanePorts, "journalSegment" | "journalKeepMs">
}

export class SimPlane {
  readonly clock: SimClock
  readonly source = new SimSource()
  readonly stop = new SimStop()
  readonly probes = new SimProbes()
  readonly keys = new SimKeys()
  metrics = new Metrics()
  kinds: readonly KindProvider[]
  composites: readonly CompositeKind[]
  wrapStore: ((store: Store) => Store) | undefined
  wrapSource: ((source: Source, loop: string) => Source) | undefined
  readonly workers: number | undefined
  readonly #journal: SimPlaneOptions["journal"]
  readonly #callWebhook: SimPlaneOptions["callWebhook"]
  readonly #notify: SimPlaneOptions["notify"]
  readonly #calls = new HandledCalls()
  readonly #engine = new MemoryEngine()
  readonly #world: ActWorld
  readonly #seed: number
  #plane: Plane | undefined
  #starts = 0
  readonly errors: string[] = []

  constructor(options: SimPlaneOptions) {
    this.clock = options.clock ?? new SimClock()
    this.kinds = options.kinds
    this.composites = options.composites ?? []
    this.#world = options.world ?? emptyWorld()
    this.#seed = options.seed ?? 1
    this.wrapStore = options.wrapStore
    this.wrapSource = options.wrapSource
    this.workers = options.workers
    this.#journal = options.journal
    this.#callWebhook = options.callWebhook
    this.#notify = options.notify
  }

  get plane(): Plane {
    if (this.#plane === undefined) throw new Error("the simulated plane is not running")
    return this.#plane
  }

  /** Opens the same store again, as a new process would; resolves while virtual time passes. */
  async start(): Promise<Plane> {
    const plane = await this.startUnless(() => false)
    if (plane === undefined) throw new Error("the simulated plane did not start in time")
    return plane
  }

  /** The same; undefined when the process under test was gone before it was ready. */
  async startUnless(crashed: () => boolean): Promise<Plane | undefined> {
    this.#plane = undefined
    this.metrics = new Metrics() // A process counts from zero.
    const random = new SimRandom(this.#seed + ++this.#starts)
    const { clock } = this
    const store = await openStoreOn(this.#engine, { clock, random, planeId: "sim-plane" })
    const opening = Plane.open(this.#portsOver(store, random))
    let ended = false
    void opening.then(
      (plane) => {
        this.#plane = plane
        ended = true
      },
      () => {
        ended = true
      },
    )
    await clock.runUntil(() => ended || crashed(), { maxMs: 600_000 })
    if (ended) await opening
    return this.#plane
  }

  #portsOver(store: Store, random: SimRandom): PlanePorts {
    const logger = {
      ...silentLogger,
      error: (message: string, fields?: object) => {
        this.errors.push(`${message} ${JSON.stringify(fields ?? {})}`)
      },
    }
    return {
      ...{ random, logger, clock: this.clock, metrics: this.metrics, stop: this.stop },
      kinds: this.kinds.map((kind) => handledKind(kind, this.#calls)),
      composites: this.composites,
      ...(this.workers === undefined ? {} : { workers: this.workers }),
      ...this.#journal,
      ...(this.#callWebhook === undefined ? {} : { callWebhook: this.#callWebhook }),
      ...(this.#notify === undefined ? {} : { notify: this.#notify }),
      store: this.wrapStore?.(store) ?? store,
      readWorld: this.#world,
      probes: this.probes,
      actWorld: this.#calls.world(this.#world),
      hasher: createSecretHasher("sim", new Uint8Array(32)),
      sealer: aesSealer(this.keys, new SimRandom(this.#seed + this.#starts)),
      openSource: (source, loop) => {
        this.source.description = `directory ${source.directory?.path ?? source.git?.url}`
        return this.wrapSource?.(this.source, loop) ?? this.source
      },
    }
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
