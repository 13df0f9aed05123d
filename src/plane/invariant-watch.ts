// Wires invariants and signals into a plane: follows their objects, feeds the book with what passes
// observe, and turns what the keepers decide into writes through the ordinary verbs.

import { toFault } from "../base/faults.ts"
import type { Json } from "../base/json.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import { InvariantBook } from "../controllers/invariant-book.ts"
import { InvariantKeeper } from "../controllers/invariant-keeper.ts"
import type { CompiledInvariant } from "../controllers/invariant-spec.ts"
import { SignalWatch } from "../controllers/signal-watch.ts"
import type { InvariantFacts } from "../guard/judge-invariant.ts"
import { Informer } from "../informer/informer.ts"
import {
  type ApiObject,
  loopLabel,
  parseApiVersion,
  setpointGroup,
  setpointVersion,
} from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Proposal } from "../reconcile/proposal.ts"
import type { Engine } from "./engine.ts"
import type { Plane } from "./plane.ts"

const ref = (resource: string, namespace: string, name: string) => ({
  group: setpointGroup,
  version: setpointVersion,
  resource,
  namespace,
  name,
})

export class InvariantWatch {
  readonly #plane: Plane
  readonly book: InvariantBook
  readonly keeper: InvariantKeeper
  readonly signals: SignalWatch
  #feeds: readonly Informer[] = []

  constructor(plane: Plane) {
    this.#plane = plane
    const { engine, ports } = plane
    const { clock, probes } = ports
    const failed = (error: unknown) => engine.failed(error)
    this.book = new InvariantBook({
      keysOf: (loop) => engine.feed?.keys(loop) ?? [],
      uidOf: (key) => engine.feed?.entry(key)?.uid,
      kindOf: (key) => engine.feed?.kindOf(key)?.provider.kind,
      signal: (namespace, name) => this.signals.reading(namespace, name),
      loopExists: (id) => plane.loops.get(id) !== undefined,
      hasher: ports.hasher,
      isDoomed: (uid) => engine.ledger.budgets.grantOf(uid) !== undefined,
    })
    this.keeper = new InvariantKeeper({
      ...{ clock, book: this.book, ledger: engine.ledger, recorder: engine.recorder, failed },
      writeStatus: ({ namespace, name }, status) =>
        this.#writeStatus("invariants", namespace, name, status),
      stop: (invariant, scope, reason) => this.#stop(invariant, scope, reason),
      correct: (invariant) => this.#correct(invariant),
      look: (loop, kinds) => this.#look(loop, kinds),
      wake: (key) => engine.queue.add(key),
    })
    engine.invariants = this.#hooks()
    this.signals = new SignalWatch({
      ...{ clock, http: ports.readWorld.http, failed },
      ...(probes === undefined ? {} : { probes }),
      writeStatus: ({ metadata }, status) =>
        this.#writeStatus("signals", metadata.namespace ?? "", metadata.name, status),
      changed: (namespace, name) => this.keeper.signalChanged(namespace, name),
    })
  }

  /** Before any loop acts: an invariant that is not known yet would not guard. */
  async open(): Promise<void> {
    const sinks = {
      signals: (key: string, object: ApiObject | undefined) => this.signals.put(key, object),
      invariants: (key: string, object: ApiObject | undefined) => this.keeper.put(key, object),
    }
    for (const [resource, put] of Object.entries(sinks)) {
      const { store, clock } = this.#plane.ports
      const feed = new Informer({ store, clock, group: setpointGroup, resource })
      this.#feeds = [...this.#feeds, feed]
      await feed.synced()
      for (const key of [...feed.keys()]) put(key, await feed.get(key))
      feed.onChange((key) => {
        feed.get(key).then(
          (object) => put(key, object),
          (error) => this.#plane.engine.failed(error),
        )
      })
    }
  }

  async close(): Promise<void> {
    this.signals.close()
    await this.keeper.close()
    for (const feed of this.#feeds) await feed.close()
  }

  /** What invariants say of the actions that the other guards let through. */
  judgeRound(
    loop: LoopEngine,
    open: readonly Proposal[],
    held: readonly Proposal[],
  ): InvariantFacts | undefined {
    const facts = this.book.judgeRound(loop, open, held)
    for (const { action, key } of facts === undefined ? [] : [...open, ...held]) {
      if (facts?.findings.has(action.uid)) this.keeper.denied(loop.id, key)
    }
    return facts
  }

  #hooks(): NonNullable<Engine["invariants"]> {
    return {
      seen: (subject, observation) => {
        if (this.book.note(subject, observation)) this.keeper.changed(subject.loop.id)
      },
      acted: (loop, uid) => {
        if (this.book.acted(loop, uid)) this.keeper.changed(loop)
      },
      objectChanged: (key) => this.objectChanged(key),
      invariants: (loop, subjects) => this.book.judgeDeletes(loop, subjects),
    }
  }

  /** An object changed or is gone: labels count, and what is gone counts no more. */
  objectChanged(key: string): void {
    const { feed } = this.#plane.engine
    const kind = feed?.kindOf(key)?.provider.kind
    const loop = feed?.entry(key)?.loop
    if (kind === undefined || this.book.all().every(({ spec }) => !spec.kinds.includes(kind)))
      return
    if (loop === undefined) {
      for (const invariant of this.book.all()) this.keeper.changed(invariant.loop)
      return
    }
    if (!this.book.selects(loop, kind)) return
    const noted = feed?.object(key).then((object) => {
      if (object !== undefined && this.book.relabel(object)) this.keeper.changed(loop)
    })
    noted?.catch((error) => this.#plane.engine.failed(error))
  }

  #look(loop: string, kinds: readonly string[]): void {
    const { engine } = this.#plane
    for (const key of engine.feed?.keys(loop) ?? []) {
      const kind = engine.feed?.kindOf(key)?.provider.kind
      if (kind !== undefined && kinds.includes(kind)) engine.queue.add(key, { priority: "low" })
    }
  }

  async #writeStatus(
    resource: string,
    namespace: string,
    name: string,
    status: Json,
  ): Promise<void> {
    const options = { subresource: "status" } as const
    const { verbs } = this.#plane.api
    try {
      const where = ref(resource, namespace, name)
      await verbs.patch(enginePrincipal, where, "merge", { status }, options)
    } catch (error) {
      if (toFault(error).status !== 404) throw error // Gone meanwhile: nobody to tell.
    }
  }

  async #stop(
    { loop }: CompiledInvariant,
    scope: "all" | "deletes",
    reason: string,
  ): Promise<void> {
    const { stops, loops, object } = this.#plane
    if (loops.get(loop) === undefined) return
    const entry = stops.newEntry(enginePrincipal, { loop, scope, reason })
    await stops.apply(enginePrincipal, { stops: [entry], lifts: [] })
    await object.publish()
  }

  /** As nobody's hand: fields that a source declares stay the source's. */
  async #correct({ name, namespace, loop, spec }: CompiledInvariant): Promise<string> {
    const { correction } = spec
    if (correction === undefined) return ""
    const { verbs, registry } = this.#plane.api
    const { group, version } = parseApiVersion(correction.apiVersion)
    const served = registry
      .all()
      .find((one) => one.group === group && one.version === version && one.kind === correction.kind)
    const object = `${correction.kind} ${correction.name}`
    if (served === undefined)
      throw controllerFault("SPT-INV-001", { object, cause: "no such kind" })
    const where = { group, version, resource: served.resource, namespace, name: correction.name }
    const known = await verbs.get(enginePrincipal, where)
    if (known?.metadata.labels?.[loopLabel] !== loop) {
      throw controllerFault("SPT-INV-001", { object, cause: `it is not an object of ${loop}` })
    }
    const writer: Principal = { name: `setpoint-invariant/${namespace}.${name}`, kind: "service" }
    const patch = { spec: correction.spec }
    const options = { fieldManager: writer.name }
    const { changed } = await verbs.patch(writer, where, "merge", patch, options)
    return changed ? `asked for on ${object}` : `${object} is declared so already`
  }
}
