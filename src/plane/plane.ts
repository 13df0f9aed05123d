// A plane: store, API, loops and engine, opened in the order in which each needs the other and
// closed in reverse. It has no ambient effect of its own: what it is made of comes in by ports.

import { readingWorld } from "../actuator/reading-world.ts"
import { Extensions } from "../api/extensions.ts"
import { finishNamespace } from "../api/namespace-end.ts"
import { finalizeNamespace } from "../api/verb-finalize.ts"
import { type Api, openApi } from "../api/verbs.ts"
import { toFault } from "../base/faults.ts"
import { toPlainJson } from "../base/json.ts"
import { inProcessClient } from "../client/in-process-client.ts"
import type { Client, ObjectRef } from "../contract/client.ts"
import { loopId, parseLoopId } from "../contract/loop.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import { circleAdmission } from "../controllers/reference-circles.ts"
import { type ReleasePorts, releaseLoop } from "../controllers/release.ts"
import { secretReferenceAdmission } from "../controllers/secret-references.ts"
import { Informer } from "../informer/informer.ts"
import {
  type ApiObject,
  keyText,
  parseKeyText,
  setpointGroup,
  setpointVersion,
} from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { BackupSchedule } from "./backup-schedule.ts"
import { BreakGlassKeeper } from "./break-glass-keeper.ts"
import { Checkpointing } from "./checkpointing.ts"
import { Composer } from "./composer.ts"
import { EndingStops } from "./ending-stops.ts"
import { Engine } from "./engine.ts"
import { placeOfReference } from "./find-reference.ts"
import { GarbageCollector } from "./garbage-collector.ts"
import { InvariantWatch } from "./invariant-watch.ts"
import { JournalKeeper } from "./journal-keeper.ts"
import type { LoopBook } from "./loop-book.ts"
import { loopEnd } from "./loop-end.ts"
import { loopStatus } from "./loop-status.ts"
import { LoopWaves } from "./loop-waves.ts"
import { meteredStore } from "./metered-store.ts"
import { firstNamespaces, NamespaceKeeper } from "./namespace-keeper.ts"
import { NotifierWatch } from "./notifier-watch.ts"
import { ObjectBoard } from "./object-board.ts"
import { openLoopBook } from "./open-loop-book.ts"
import { PlaneLimits } from "./plane-limits.ts"
import { PlaneObject } from "./plane-object.ts"
import { PlaneTelemetry } from "./plane-telemetry.ts"
import { policyAuthors } from "./policy-authors.ts"
import type { PlanePorts } from "./ports.ts"
import { Promotions } from "./promotions.ts"
import { RestoredWatch } from "./restored-watch.ts"
import { planeRoutes } from "./routes.ts"
import { scheduledBackups } from "./scheduled-backups.ts"
import { Sealing } from "./sealing.ts"
import { stopAdmission } from "./stop-admission.ts"
import { StopKeeper } from "./stop-keeper.ts"
import { strictClock } from "./strict-clock.ts"

export const loopResource = {
  group: setpointGroup,
  version: setpointVersion,
  resource: "loops",
} as const

const namespaceResource = { group: "", version: "v1", resource: "namespaces" } as const
const definitionResource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
} as const

export class Plane {
  readonly ports: PlanePorts
  readonly engine: Engine
  readonly extensions = new Extensions()
  readonly loops: LoopBook
  readonly limits: PlaneLimits
  /** Plane/local: shows what is stopped. */
  readonly object = new PlaneObject(this)
  readonly stops: StopKeeper
  readonly glass = new BreakGlassKeeper(this)
  readonly checkpointing: Checkpointing
  readonly backups: BackupSchedule | undefined
  readonly invariants: InvariantWatch
  readonly journal: JournalKeeper
  readonly sealing: Sealing
  readonly telemetry: PlaneTelemetry
  readonly namespaces = new NamespaceKeeper(this)
  readonly waves = new LoopWaves(this)
  readonly composer = new Composer(this)
  readonly board = new ObjectBoard()
  readonly garbage = new GarbageCollector(this)
  readonly notifiers = new NotifierWatch(this)
  readonly promotions = new Promotions(this)
  readonly #restored = new RestoredWatch(this)
  #api: Api | undefined
  #loopFeed: Informer | undefined
  #namespaceFeed: Informer | undefined
  #changes: Promise<void> = Promise.resolve()
  #closing = false

  private constructor(parts: PlanePorts) {
    const stop = new EndingStops(parts.stop, parts.clock)
    const below = meteredStore(parts.store, parts.clock, parts.metrics)
    this.sealing = new Sealing(below, parts.sealer)
    const { store } = this.sealing
    const ports = { ...parts, store, stop, readWorld: readingWorld(parts.readWorld) }
    this.ports = ports
    this.stops = new StopKeeper(this, stop)
    this.engine = new Engine(ports)
    this.journal = new JournalKeeper(this.engine)
    this.limits = new PlaneLimits(this)
    this.loops = openLoopBook(this, (error) => {
      if (!this.#closing) this.engine.failed(error)
    })
    this.checkpointing = new Checkpointing(this)
    this.backups = scheduledBackups(this)
    this.invariants = new InvariantWatch(this)
    this.telemetry = new PlaneTelemetry(this)
  }

  static async open(ports: PlanePorts): Promise<Plane> {
    const plane = new Plane({ ...ports, clock: strictClock(ports.clock) })
    try {
      await plane.#open()
      return plane
    } catch (error) {
      await plane.close().catch(() => {}) // The first failure is the one to tell.
      throw error
    }
  }

  get api(): Api {
    if (this.#api === undefined) throw toFault(new Error("the plane is not open"))
    return this.#api
  }

  /** Whether objects of this kind have targets. */
  hasProvider(group: string, plural: string): boolean {
    return this.engine.kinds.some(
      ({ resource }) => resource.group === group && resource.resource === plural,
    )
  }

  client(principal: Principal): Client {
    return inProcessClient(this.api.verbs, principal, this.extensions)
  }

  /** No act begins any more, what is under way ends, the rest goes on at the next start. */
  async close(): Promise<void> {
    this.#closing = true
    this.#restored.close()
    this.telemetry.close()
    await this.notifiers.close()
    this.stops.close()
    this.glass.close()
    this.checkpointing.close()
    await this.backups?.close()
    await this.invariants.close()
    await this.composer.close()
    await this.#loopFeed?.close()
    await this.#namespaceFeed?.close()
    await this.namespaces.close()
    await this.garbage.close()
    await this.limits.close()
    await this.loops.close()
    await this.promotions.close()
    await this.engine.close()
    await this.#changes.catch(() => {})
    await this.journal.close()
    await this.#api?.close()
  }

  async #open(): Promise<void> {
    const { engine, ports } = this
    const { store, clock, random } = ports
    await engine.ledger.open()
    await this.limits.keeper.open()
    await this.journal.start()
    const sealed = await this.sealing.look()
    if (sealed !== undefined) ports.logger.error("secrets", { why: sealed })
    const stopping = stopAdmission(this)
    this.#api = await openApi({
      ...{ store, clock, random, judge: engine.judge },
      hasProvider: (group, resource) => this.hasProvider(group, resource),
      workloadKinds: ports.workloadKinds === true,
      ...(ports.eventsKeepMs === undefined ? {} : { eventsKeepMs: ports.eventsKeepMs }),
      rejectPlan: (principal, plan) => this.#rejectPlan(principal, plan),
      ...(ports.callWebhook === undefined ? {} : { callWebhook: ports.callWebhook }),
      mutating: [stopping.mutating],
      validating: [
        stopping.validating,
        circleAdmission(() => this.circlePorts()),
        secretReferenceAdmission(() => ({
          ...{ ...this.circlePorts(), authorizer: this.api.roles },
          place: (reference, namespace) =>
            placeOfReference(engine.kinds, this.servedKind.bind(this), reference, namespace),
        })),
        policyAuthors(this),
        loopEnd(this),
        this.namespaces.admission,
      ],
    })
    this.extensions.register(...planeRoutes(this), {
      method: "PUT",
      pattern: "/api/v1/namespaces/:name/finalize",
      handler: async (_principal, { name = "" }, _query, body) =>
        toPlainJson(await finalizeNamespace(this.api.context, name, body)),
    })
    engine.references.open((group, kind) => this.servedKind(group, kind), this.#api.roles)
    engine.attach(this.#api.verbs, (id) => this.loops.get(id))
    engine.feed?.onChange((key) => this.board.note(key))
    engine.references.onNoted((key) => this.board.note(key))
    await this.stops.restore()
    await this.#install()
    await engine.closeOldIntents()
    await engine.feed?.synced()
    await this.composer.open()
    this.waves.open()
    await this.invariants.open()
    await engine.orphans.noticeAll()
    await this.#followLoops()
    await engine.plans.resume()
    await this.glass.start()
    await this.object.publish()
    engine.start()
    this.#restored.start()
    this.checkpointing.start()
    await this.garbage.start()
    await this.backups?.start()
    this.telemetry.start()
    await this.notifiers.open()
  }

  /** Definitions of the kinds, the namespaces that always exist, and their default loops. */
  async #install(): Promise<void> {
    const { verbs } = this.api
    for (const { provider } of this.engine.kinds) {
      const options = { fieldManager: "setpoint", force: true }
      await verbs.apply(enginePrincipal, definitionResource, provider.definition, options)
    }
    for (const name of firstNamespaces) {
      const namespace: ApiObject = { apiVersion: "v1", kind: "Namespace", metadata: { name } }
      await this.#ensure(namespaceResource, namespace)
    }
  }

  async #ensure(resource: typeof namespaceResource, object: ApiObject) {
    const { verbs } = this.api
    const { namespace = "", name } = object.metadata
    const known = await verbs.get(enginePrincipal, { ...resource, namespace, name })
    if (known === undefined) await verbs.create(enginePrincipal, resource, object)
  }

  async #followLoops(): Promise<void> {
    const { store, clock } = this.ports
    const namespaces = new Informer({ store, clock, group: "", resource: "namespaces" })
    this.#namespaceFeed = namespaces
    await namespaces.synced()
    for (const key of [...namespaces.keys()]) {
      const { name } = parseKeyText(key)
      // A crash right after the last object of a marked namespace went must not leave it behind.
      if (!(await finishNamespace(this.api.context, name))) await this.namespaces.made(name)
    }
    namespaces.onChange((key, change) => {
      if (change === "put") this.#enqueue(() => this.namespaces.made(parseKeyText(key).name))
    })
    await this.namespaces.follow((task) => this.#enqueue(task))
    const loops = new Informer({ store, clock, group: setpointGroup, resource: "loops" })
    this.#loopFeed = loops
    await loops.synced()
    for (const key of loops.keys()) await this.#loopChanged(key)
    loops.onChange((key) => this.#enqueue(() => this.#loopChanged(key)))
    await this.limits.start((task) => this.#enqueue(task))
  }

  async #loopChanged(key: string): Promise<void> {
    const object = await this.#loopFeed?.get(key)
    const { namespace, name } = parseKeyText(key)
    const id = loopId(namespace, name)
    if (object !== undefined) {
      const isNew = this.loops.get(id) === undefined
      await this.loops.put(object)
      if (isNew) this.promotions.appeared(id)
      return
    }
    await this.loops.remove(id)
    await this.promotions.forget(id)
    this.telemetry.forget(id)
    await releaseLoop(id, this.releasePorts())
  }

  hasLoop(id: string): boolean {
    const key = keyText({ group: setpointGroup, resource: "loops", ...parseLoopId(id) })
    return this.#loopFeed?.entry(key) !== undefined
  }

  /** What letting go of an object needs. */
  releasePorts(): ReleasePorts {
    const { engine } = this
    return {
      ...{ clock: this.ports.clock, ledger: engine.ledger, verbs: this.api.verbs },
      keysOf: (loop) => engine.feed?.keys(loop) ?? [],
      object: async (one) => engine.feed?.object(one),
      resourceOf: (one) => engine.feed?.kindOf(one)?.resource,
    }
  }

  /** Changes of loops are taken one after another. */
  #enqueue(task: () => Promise<void>): void {
    this.#changes = this.#changes.then(task).catch((error) => {
      if (!this.#closing) this.engine.failed(error)
    })
  }

  circlePorts() {
    const kinds = this.engine.kinds.map((kind) => kind.provider)
    return { kinds, stored: (ref: ObjectRef) => this.api.verbs.get(enginePrincipal, ref) }
  }

  servedKind(group: string, kind: string) {
    const served = this.api.registry.all().find((one) => one.group === group && one.kind === kind)
    if (served === undefined) return undefined
    const { version, resource, namespaced } = served
    return { resource: { group, version, resource }, namespaced }
  }

  async publishLoop(id: string): Promise<void> {
    const loop = this.loops.get(id)
    if (loop !== undefined) await this.publish(loop)
  }

  /** The loop's own status: counts, source, plan. Written only when it changed. */
  async publish(loop: LoopEngine): Promise<void> {
    const ref = { ...loopResource, ...parseLoopId(loop.id) }
    const status = loopStatus(loop, this)
    try {
      const options = { subresource: "status" } as const
      await this.api.verbs.patch(enginePrincipal, ref, "merge", { status }, options)
    } catch (error) {
      if (toFault(error).status !== 404) throw error
    }
  }

  async #rejectPlan(principal: Principal, plan: ApiObject): Promise<ApiObject> {
    await this.engine.plans.reject(plan.metadata.name, principal)
    const { namespace = "", name } = plan.metadata
    const resource = { group: setpointGroup, version: setpointVersion, resource: "plans" }
    const now = await this.api.verbs.get(enginePrincipal, { ...resource, namespace, name })
    return now ?? plan
  }
}
