// One life of a loop, to be crashed anywhere: creates, an edit, a drift, an allowed delete, a held
// one that a person approves. The world outside (source, people, drift) goes on whatever happens to
// the process; after a crash a new one starts over the same store. `lived` compares what was really
// done with what a life without a crash does.

import type { Source } from "../../src/contract/source.ts"
import type { Store } from "../../src/contract/store.ts"
import { ledgerKeys } from "../../src/ledger/keys.ts"
import type { ApiObject } from "../../src/object/object.ts"
import type { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingPort, crashingProvider, crashingStore } from "../../src/sim/crashing-port.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { type SimKindOptions, simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimWorld } from "../../src/sim/sim-world.ts"
import { ann, loops, widget, widgets } from "./site.ts"

export interface Lived {
  /** Every mutation there was, as "verb identity", sorted. */
  readonly mutations: readonly string[]
  readonly there: readonly string[]
  readonly objects: readonly string[]
  readonly records: number
  readonly claims: number
  readonly intents: number
  readonly plans: readonly string[]
  /** Mutations and revisions during some looks at the end. */
  readonly unrest: number
}

export class CrashScenario {
  readonly clock = new SimClock()
  readonly world = new SimWorld({ clock: this.clock })
  readonly sim: SimPlane
  readonly #options: Omit<SimKindOptions, "world">
  #lives: CrashPoints[]
  crashes: string[] = []

  /** Each process dies at its points; when they are used up, the next one lives on. */
  constructor(options: Omit<SimKindOptions, "world">, lives: readonly CrashPoints[]) {
    this.#options = options
    this.#lives = [...lives]
    this.sim = new SimPlane({ clock: this.clock, kinds: [], workers: 4 })
  }

  async run(): Promise<Lived> {
    await this.#start()
    await this.#person(() => this.#makeLoop())
    await this.#declare([widget("a"), widget("b"), widget("c"), widget("d")])
    await this.#until("four are made", () => this.world.targets().length >= 4)
    await this.#quiet()
    this.world.edit("b", { color: "blue" })
    const [a, b] = [widget("a", { size: 2 }), widget("b")]
    await this.#declare([a, b, widget("c"), widget("d")])
    await this.#until("edit and drift", () => this.#value("a", "size") === 2)
    await this.#until("drift is healed", () => this.#value("b", "color") === "red")
    await this.#declare([a, b, widget("c")])
    await this.#until("d is gone", () => this.world.find("d").length === 0)
    await this.#declare([a, b])
    await this.#until("c is held", () => this.#pendingPlan() !== undefined)
    await this.#person(() => this.#approve())
    await this.#until("c is gone", () => this.world.find("c").length === 0)
    await this.#rest()
    return this.#lived()
  }

  get plane() {
    return this.sim.plane
  }

  #value(name: string, field: string) {
    return this.world.find(name)[0]?.value[field]
  }

  get #points(): CrashPoints | undefined {
    return this.#lives[0]
  }

  readonly #crashed = () => this.#points?.crashed !== undefined

  async #start(): Promise<void> {
    for (;;) {
      const points = this.#points
      const kind = simKind({ ...this.#options, world: this.world })
      this.sim.kinds = [points === undefined ? kind : crashingProvider(kind, points)]
      this.sim.wrapStore = (store: Store) => (points ? crashingStore(store, points) : store)
      this.sim.wrapSource = (source: Source) =>
        points ? crashingPort(source, points, sourcePoints) : source
      const plane = await this.sim.startUnless(this.#crashed)
      if (plane !== undefined && !this.#crashed()) return
      if (points === undefined) throw new Error("it does not start")
      this.#bury()
    }
  }

  #bury(): void {
    const points = this.#lives.shift()
    this.crashes.push(points?.crashed?.point ?? "?")
  }

  async #declare(objects: readonly ApiObject[]): Promise<void> {
    this.sim.source.declare(objects)
    await this.#pass(100)
  }

  /** Lets time pass; a process that dies meanwhile is followed by another. */
  async #pass(ms: number, done: () => boolean = () => false): Promise<boolean> {
    const end = this.clock.monotonic() + ms
    for (;;) {
      const left = Math.max(0, end - this.clock.monotonic())
      await this.clock.runUntil(() => this.#crashed() || done(), { maxMs: left })
      if (this.#crashed()) {
        this.#bury()
        await this.#start()
      } else return done()
    }
  }

  async #until(what: string, done: () => boolean): Promise<void> {
    if (await this.#pass(30 * 60_000, done)) return
    throw new Error(`${what}: not within half an hour, after ${this.crashes.join(", ")}`)
  }

  #quiet(): Promise<boolean> {
    return this.#pass(25_000)
  }

  /** Two looks without a crash: the second one may note how large the converged loop is. */
  async #rest(): Promise<void> {
    const before = this.crashes.length
    await this.#pass(before > 0 ? 45_000 : 25_000)
    if (this.crashes.length > before) await this.#rest()
  }

  /** A person asks again until it is answered. */
  async #person(ask: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 10; tries++) {
      let answer: boolean | undefined
      const asked = ask().then(
        (done) => {
          answer = done
        },
        () => {
          answer = false
        },
      )
      await this.#pass(60_000, () => answer !== undefined)
      void asked
      if (answer === true) return
    }
    throw new Error(`nobody answers, after ${this.crashes.join(", ")}`)
  }

  async #makeLoop(): Promise<boolean> {
    const limits = { deletes: 1, window: "24h" }
    const source = { directory: { path: "/site" } }
    const object = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "site", namespace: "default" },
      spec: { mode: "Enforce", interval: "20s", limits, source },
    }
    await this.plane.client(ann).apply(loops, object, { fieldManager: "ann", force: true })
    return true
  }

  #pendingPlan() {
    return this.sim.plane.engine.plans.pending("default.site")
  }

  async #approve(): Promise<boolean> {
    const plans = this.plane.engine.ledger.plans.ofLoop("default.site")
    if (plans.some((plan) => plan.phase === "Executing" || plan.phase === "Done")) return true
    const plan = this.#pendingPlan()
    if (plan === undefined) return false
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${plan.name}/approval`
    await this.plane.client(ann).call("POST", path, { hash: plan.hash })
    return true
  }

  async #answer<T>(promise: Promise<T>): Promise<T> {
    let ended = false
    const end = () => {
      ended = true
    }
    promise.then(end, end)
    await this.#pass(60_000, () => ended)
    if (!ended) throw new Error("no answer")
    return promise
  }

  async #count(prefix: string): Promise<number> {
    const page = await this.#answer(this.plane.ports.store.range({ prefix, limit: 1000 }))
    return page.kind === "range" ? page.entries.length : -1
  }

  async #lived(): Promise<Lived> {
    const { world } = this
    const unrest = await this.#unrest()
    const { plane } = this
    const list = await this.#answer(plane.client(ann).list(widgets, { namespace: "default" }))
    const plans = plane.engine.ledger.plans.ofLoop("default.site")
    return {
      mutations: world.ledger.map((one) => `${one.verb} ${one.identity}`).sort(),
      there: world
        .targets()
        .map((one) => `${one.identity} ${JSON.stringify(one.value)}`)
        .sort(),
      objects: list.items.map((one) => one.metadata.name).sort(),
      records: await this.#count(ledgerKeys.records),
      claims: await this.#count(ledgerKeys.claims),
      intents: await this.#count(ledgerKeys.intents),
      plans: plans.map((plan) => plan.phase).filter((phase) => !replaced.has(phase)),
      unrest,
    }
  }

  async #unrest(): Promise<number> {
    const { crashes, world } = this
    const before = crashes.length
    const [mutations, revision] = [world.ledger.length, this.plane.ports.store.revision]
    await this.#pass(looks * 20_000)
    const changed = world.ledger.length - mutations
    if (crashes.length > before) return changed // A start opens the store, which writes.
    return changed + (this.plane.ports.store.revision - revision)
  }
}

const looks = 3
const replaced: ReadonlySet<string> = new Set(["Stale", "Superseded"])
const sourcePoints = { label: "source", pointed: ["read"], guarded: [] }
