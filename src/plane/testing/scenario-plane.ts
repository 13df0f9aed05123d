// A real plane for the scenario suite, in this process: engine, API, ledger and store as they are,
// real time, a store without a disk, and a source that is told what it holds.

import type { CompositeKind } from "../../contract/composite.ts"
import type { JournalEvent } from "../../contract/journal.ts"
import type { Principal } from "../../contract/principal.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { StopEntry } from "../../contract/stop.ts"
import { readJournal } from "../../ledger/journal.ts"
import type { ApiObject } from "../../object/object.ts"
import type {
  PendingPlan,
  PlaneInput,
  ScenarioPlane,
} from "../../provider/scenarios/scenario-plane.ts"
import { createSecretHasher } from "../../reconcile/secrets.ts"
import { MemoryEngine } from "../../store/engines/memory-engine.ts"
import { openStoreOn } from "../../store/open-memory-store.ts"
import { silentLogger } from "../../telemetry/logger.ts"
import { Metrics } from "../../telemetry/metrics.ts"
import { aesSealer } from "../adapters/aes-sealer.ts"
import { loopResource, Plane } from "../plane.ts"
import { Life, mortalClock, mortalHandles, mortalStore } from "./mortal-parts.ts"
import { ToldSource } from "./told-source.ts"

const person: Principal = { name: "ann", kind: "human" }

class ToldPlane implements ScenarioPlane {
  readonly #input: PlaneInput
  readonly #engine = new MemoryEngine()
  readonly #source = new ToldSource()
  readonly #namespace: string
  readonly #kind: KindProvider | CompositeKind
  #stops: readonly StopEntry[] = []
  #life = new Life()
  #plane: Plane | undefined

  constructor(input: PlaneInput) {
    this.#input = input
    const all = [...input.kinds(), ...input.composites()]
    const kind = all.find((one) => one.kind === input.kind)
    if (kind === undefined) throw new Error(`the driver has no kind ${input.kind}`)
    this.#kind = kind
    this.#namespace = kind.namespaced ? "default" : "setpoint-system"
  }

  async reopen(): Promise<void> {
    const life = new Life()
    this.#life = life
    const { random, reads, acts } = this.#input
    const clock = mortalClock(this.#input.clock, life)
    const store = await openStoreOn(this.#engine, { clock, random, planeId: "scenario" })
    const key = new Uint8Array(32)
    this.#plane = await Plane.open({
      ...{ clock, random, logger: silentLogger, metrics: new Metrics() },
      store: mortalStore(store, life),
      kinds: this.#input.kinds(),
      composites: this.#input.composites(),
      readWorld: mortalHandles(reads, life),
      actWorld: mortalHandles(acts, life),
      stop: {
        entries: () => this.#stops,
        change: (edit) => {
          this.#stops = edit(this.#stops)
          return this.#stops
        },
      },
      hasher: createSecretHasher("scenario", key),
      sealer: aesSealer({ read: () => [key], add: () => {} }, random),
      openSource: () => this.#source,
    })
  }

  async makeLoop(): Promise<void> {
    const loop: ApiObject = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "site", namespace: this.#namespace },
      spec: { mode: "Enforce", source: { directory: { path: "/site" } }, ...this.#input.loop },
    }
    await this.#client().apply(loopResource, loop, { fieldManager: person.name, force: true })
  }

  declare(objects: readonly ApiObject[]): void {
    this.#source.declare(objects)
  }

  loseSource(): void {
    this.#source.fail("the source can't be read")
  }

  async look(): Promise<void> {
    await this.#client().call("POST", "/setpoint/v1/look")
  }

  async objects(): Promise<readonly ApiObject[]> {
    const { namespaced } = this.#kind
    return (await this.#client().list(this.#kind, namespaced ? { namespace: this.#namespace } : {}))
      .items
  }

  pending(): readonly PendingPlan[] {
    const plans = this.#open().engine.ledger.plans.ofLoop(this.#loop)
    const waiting = plans.filter((plan) => plan.phase === "Pending")
    return waiting.map(({ name, held }) => ({
      name,
      verbs: held.map(({ action }) => action.verb),
      codes: [...new Set(held.flatMap(({ reasons }) => reasons.map(({ code }) => code)))],
    }))
  }

  async adopt(name: string): Promise<void> {
    const { resource, group, namespaced } = this.#kind
    const object = `${resource}.${group}/${namespaced ? this.#namespace : ""}/${name}`
    await this.#client().call("POST", "/setpoint/v1/adopt", { object })
  }

  async journal(): Promise<readonly JournalEvent[]> {
    const events: JournalEvent[] = []
    const { store } = this.#open().ports
    for await (const entry of readJournal(store, this.#loop)) events.push(entry.event)
    return events
  }

  revision(): number {
    return this.#open().ports.store.revision
  }

  kill(): void {
    this.#life.die()
    this.#plane = undefined
  }

  async close(): Promise<void> {
    await this.#plane?.close()
    this.#life.die()
  }

  get #loop(): string {
    return `${this.#namespace}.site`
  }

  #open(): Plane {
    if (this.#plane === undefined) throw new Error("the plane is not running")
    return this.#plane
  }

  #client() {
    return this.#open().client(person)
  }
}

export async function openScenarioPlane(input: PlaneInput): Promise<ScenarioPlane> {
  const plane = new ToldPlane(input)
  await plane.reopen()
  await plane.makeLoop()
  return plane
}
