// A plane in the simulator with one loop `site` over a simulated world: what scenario tests speak
// to. Calls run while virtual time passes; nothing here judges anything.

import type { Json, JsonObject } from "../../src/base/json.ts"
import { at } from "../../src/base/json.ts"
import type { Client } from "../../src/contract/client.ts"
import type { JournalEntry } from "../../src/contract/journal.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { readJournal } from "../../src/ledger/journal.ts"
import type { PlanDocument } from "../../src/ledger/plan-ledger.ts"
import { verifyJournal } from "../../src/ledger/verify-journal.ts"
import type { ApiObject, Condition } from "../../src/object/object.ts"
import type { LoopEngine } from "../../src/reconcile/loop-engine.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { type SimKindOptions, simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane, type SimPlaneOptions } from "../../src/sim/sim-plane.ts"
import { SimWorld, type SimWorldOptions } from "../../src/sim/sim-world.ts"

export const flavours = ["single", "list", "batch"] as const
export type Flavour = (typeof flavours)[number]

export const ann: Principal = { name: "ann", kind: "human" }
export const bot: Principal = { name: "bot", kind: "agent" }
export const cron: Principal = { name: "cron", kind: "service" }

export const widgets = { group: "sim.setpoint.dev", version: "v1", resource: "widgets" } as const
export const loops = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" } as const

export function widget(name: string, spec: JsonObject = {}): ApiObject {
  return {
    apiVersion: "sim.setpoint.dev/v1",
    kind: "Widget",
    metadata: { name },
    spec: { name, size: 1, color: "red", ...spec },
  }
}

export function names(count: number, prefix = "w"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}

export interface SiteOptions extends Omit<SimKindOptions, "world"> {
  readonly loop?: JsonObject
  readonly seed?: number
  readonly world?: Partial<SimWorldOptions>
  readonly journal?: SimPlaneOptions["journal"]
  readonly callWebhook?: SimPlaneOptions["callWebhook"]
  readonly notify?: SimPlaneOptions["notify"]
  readonly composites?: SimPlaneOptions["composites"]
  /** Without a source the objects come by API into the namespace's default loop. */
  readonly source?: boolean
  /** The loop's other members of metadata stay away: only the spec is a test's business. */
}

export class Site {
  readonly clock: SimClock
  readonly world: SimWorld
  readonly sim: SimPlane
  readonly loopId: string
  readonly #options: SiteOptions

  constructor(options: SiteOptions = {}) {
    this.#options = options
    this.clock = new SimClock()
    this.world = new SimWorld({ clock: this.clock, ...options.world })
    const kinds = [simKind({ ...options, world: this.world })]
    const journal = options.journal === undefined ? {} : { journal: options.journal }
    const { callWebhook, notify, seed = 1 } = options
    const calls = {
      ...(callWebhook === undefined ? {} : { callWebhook }),
      ...(notify === undefined ? {} : { notify }),
    }
    const { composites = [] } = options
    const parts = { clock: this.clock, kinds, composites, seed }
    this.sim = new SimPlane({ ...parts, ...journal, ...calls })
    this.loopId = options.source === false ? "default.default" : "default.site"
  }

  static async open(options: SiteOptions = {}): Promise<Site> {
    const site = new Site(options)
    await site.sim.start()
    await site.makeLoop()
    return site
  }

  async makeLoop(): Promise<void> {
    const { loop, source } = this.#options
    const path = { source: { directory: { path: "/site" } } }
    const name = source === false ? "default" : "site"
    const object: ApiObject = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name, namespace: "default" },
      spec: { mode: "Enforce", ...(source === false ? {} : path), ...loop },
    }
    await this.run(this.as(ann).apply(loops, object, { fieldManager: "ann", force: true }))
    await this.clock.advance(100)
  }

  /** Waits for an answer while virtual time passes. */
  async run<T>(promise: Promise<T>, maxMs = 600_000): Promise<T> {
    let ended = false
    const end = () => {
      ended = true
    }
    promise.then(end, end)
    if (!(await this.clock.runUntil(() => ended, { maxMs }))) throw new Error("no answer")
    return promise
  }

  /** What it was refused with. */
  async refused(promise: Promise<unknown>): Promise<string> {
    const error: unknown = await this.run(promise).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof Error)) throw new Error("it was not refused")
    return error.message
  }

  as(principal: Principal): Client {
    return this.sim.plane.client(principal)
  }

  async declare(objects: readonly ApiObject[], afterMs = 3000): Promise<void> {
    this.sim.source.declare(objects)
    await this.clock.advance(afterMs)
  }

  get loop(): LoopEngine {
    const loop = this.sim.plane.loops.get(this.loopId)
    if (loop === undefined) throw new Error(`there is no loop ${this.loopId}`)
    return loop
  }

  /** One pass of the level trigger, and what follows from it. */
  async look(afterMs = 2000): Promise<void> {
    await this.run(this.as(ann).call("POST", "/setpoint/v1/look"))
    await this.clock.advance(afterMs)
  }

  plans(phase?: PlanDocument["phase"]): PlanDocument[] {
    const all = this.sim.plane.engine.ledger.plans.ofLoop(this.loopId)
    return phase === undefined ? all : all.filter((plan) => plan.phase === phase)
  }

  plan(name: string): PlanDocument {
    const plan = this.plans().find((one) => one.name === name)
    if (plan === undefined) throw new Error(`there is no plan ${name}`)
    return plan
  }

  /** The one plan that waits. */
  pending(): PlanDocument {
    const [plan, ...more] = this.plans("Pending")
    if (plan === undefined || more.length > 0) {
      throw new Error(`${more.length + (plan ? 1 : 0)} plans are pending`)
    }
    return plan
  }

  approval(plan: PlanDocument, body: JsonObject = {}, who: Principal = ann): Promise<Json> {
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${plan.name}/approval`
    return this.as(who).call("POST", path, { hash: plan.hash, ...body })
  }

  async approve(plan = this.pending(), body: JsonObject = {}, afterMs = 5000): Promise<void> {
    await this.run(this.approval(plan, body))
    await this.clock.advance(afterMs)
  }

  async reject(plan = this.pending(), afterMs = 3000): Promise<void> {
    await this.run(this.approval(plan, { decision: "reject" }))
    await this.clock.advance(afterMs)
  }

  async object(name: string): Promise<ApiObject | undefined> {
    return this.run(this.as(ann).get({ ...widgets, namespace: "default", name }))
  }

  async objects(): Promise<readonly ApiObject[]> {
    return (await this.run(this.as(ann).list(widgets, { namespace: "default" }))).items
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    const object = await this.object(name)
    const conditions = at(object?.status, "conditions")
    if (!Array.isArray(conditions)) return undefined
    return (conditions as unknown[] as Condition[]).find((one) => one.type === type)
  }

  /** Why this object is as it is: the reason of its Ready condition. */
  async reason(name: string): Promise<string | undefined> {
    return (await this.condition(name, "Ready"))?.reason
  }

  async create(object: ApiObject, who: Principal = ann): Promise<ApiObject> {
    const metadata = { ...object.metadata, namespace: "default" }
    return this.run(this.as(who).create(widgets, { ...object, metadata }))
  }

  delete(name: string, who: Principal = ann): Promise<ApiObject> {
    return this.as(who).delete({ ...widgets, namespace: "default", name })
  }

  async status(): Promise<JsonObject> {
    const status = await this.run(this.as(ann).call("GET", "/setpoint/v1/status"))
    return status as JsonObject
  }

  /** Names of what is really there, sorted. */
  there(): string[] {
    return this.world
      .targets()
      .map((target) => target.identity)
      .sort()
  }

  get mutations(): number {
    return this.world.ledger.length
  }

  get revision(): number {
    return this.sim.plane.ports.store.revision
  }

  async journal(loop = this.loopId): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = []
    const read = async () => {
      for await (const one of readJournal(this.sim.plane.ports.store, loop)) entries.push(one)
    }
    await this.run(read())
    return entries
  }

  verify(loop = this.loopId): Promise<number> {
    return this.run(verifyJournal(this.sim.plane.ports.store, loop))
  }

  /** The process is gone; a new one opens the same store. */
  async restart(): Promise<void> {
    await this.sim.stopPlane()
    await this.sim.start()
    await this.clock.advance(3000)
  }
}
