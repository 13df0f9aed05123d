// Wires the loop together: informers wake the queue, workers run passes, rounds are judged, the
// actuator acts, plans wait. Nothing here decides anything; every rule lives in the part it wires.

import { type ActReport, Actuator } from "../actuator/actuator.ts"
import { Breath } from "../base/breath.ts"
import { toFault } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import { type DeleteJudgePorts, LoopDeleteJudge } from "../controllers/delete-judge.ts"
import { DiagnosisEvents } from "../controllers/diagnosis-events.ts"
import { EventRecorder } from "../controllers/event-recorder.ts"
import type { OrphanKeeper } from "../controllers/orphan-keeper.ts"
import { withRulesInForce } from "../controllers/plan-approval.ts"
import { PlanKeeper } from "../controllers/plan-keeper.ts"
import { PlaneEvents } from "../controllers/plane-events.ts"
import { Ledger } from "../ledger/ledger.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import type { ApiObject } from "../object/object.ts"
import { Connections } from "../queue/connections.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { desire, type Lookup } from "../reconcile/desire.ts"
import { Dispatcher } from "../reconcile/dispatcher.ts"
import { slotOf } from "../reconcile/held-set.ts"
import type { InvariantHooks } from "../reconcile/judge-by-invariants.ts"
import { type KindRuntime, kindRuntimes, targetText } from "../reconcile/kind-runtime.ts"
import { neverMade, recordedTarget, type Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { Observer } from "../reconcile/observer.ts"
import type { ReconcilePorts } from "../reconcile/ports.ts"
import { reconcile } from "../reconcile/reconcile.ts"
import { Reporter } from "../reconcile/reporter.ts"
import { schedule } from "../reconcile/schedule.ts"
import { actingPrincipal } from "../reconcile/settle-round.ts"
import { SettledCache } from "../reconcile/settled-cache.ts"
import { StateLog } from "../reconcile/state-log.ts"
import { type Sweep, sweepLoop } from "../reconcile/sweep.ts"
import { publishPlan, takeFinalizerOff, writeStatus } from "./engine-writes.ts"
import { engineMeters, type Meters } from "./meters.ts"
import { ObjectFeed } from "./object-feed.ts"
import { orphanKeeper } from "./orphan-watch.ts"
import { PlanExecution } from "./plan-execution.ts"
import type { PlanePorts } from "./ports.ts"
import { ReferenceWatch } from "./reference-watch.ts"
import { TargetWatches } from "./target-watches.ts"

const defaultWorkers = 16
/** So long an act under way may go on when the plane ends. */
const closeGraceMs = 5000

export class Engine {
  readonly ports: PlanePorts
  readonly breath: Breath
  readonly ledger: Ledger
  readonly queue: WorkQueue
  readonly actuator: Actuator
  readonly connections: Connections
  readonly observer: Observer
  readonly settled = new SettledCache()
  readonly states: StateLog
  readonly reporter: Reporter
  readonly dispatcher: Dispatcher
  readonly plans: PlanKeeper
  readonly execution: PlanExecution
  readonly judge: LoopDeleteJudge
  readonly kinds: readonly KindRuntime[]
  readonly watches: TargetWatches
  readonly recorder: EventRecorder
  readonly events: PlaneEvents
  readonly diagnoses: DiagnosisEvents
  readonly orphans: OrphanKeeper
  readonly references = new ReferenceWatch(this)
  feed: ObjectFeed | undefined
  invariants: (InvariantHooks & Pick<DeleteJudgePorts, "invariants">) | undefined
  composer: Required<Pick<ReconcilePorts, "compose">> | undefined
  readonly #stop = new AbortController()
  readonly meters: Meters
  readonly #passPorts: ReconcilePorts
  #verbs: Verbs | undefined
  #loopOf: (id: string) => LoopEngine | undefined = () => undefined
  #workers: Promise<void>[] = []
  /** What unsettled objects were last woken for. */
  readonly #woken = new Map<string, string>()
  passes = 0

  constructor(ports: PlanePorts) {
    const { store, clock, random, stop } = ports
    this.ports = ports
    this.kinds = kindRuntimes(ports)
    this.breath = new Breath(clock)
    const segment = ports.journalSegment
    const revisionOf = (loop: string) => this.#loopOf(loop)?.sourceRevision
    const kept = segment === undefined ? {} : { segmentSize: segment }
    this.ledger = new Ledger(store, clock, { ...kept, revisionOf })
    this.queue = new WorkQueue({ clock, random })
    this.connections = new Connections(clock, this.#stop.signal)
    this.meters = engineMeters(this)
    const { calls } = this.meters
    this.observer = new Observer({
      ...{ clock, world: ports.readWorld, gate: this.connections, breath: this.breath, calls },
    })
    this.states = new StateLog({
      clock,
      ledger: this.ledger,
      failed: (error) => this.failed(error),
    })
    this.reporter = this.#newReporter()
    const breakers = this.connections
    const world = ports.actWorld
    this.actuator = new Actuator({ ledger: this.ledger, world, clock, stop, breakers, calls })
    const wake = (key: string) => this.#hint(key)
    this.watches = new TargetWatches(ports.readWorld, wake, (error) => this.failed(error))
    const failed = (error: unknown) => this.failed(error)
    this.recorder = new EventRecorder({ clock, verbs: () => this.verbs, failed, revisionOf })
    this.diagnoses = new DiagnosisEvents({ clock, recorder: this.recorder })
    this.orphans = orphanKeeper(this)
    const resourceOf = (key: string) => this.feed?.kindOf(key)?.resource
    const kindOf = (key: string) => this.#subjectOf(key)
    this.events = new PlaneEvents({ recorder: this.recorder, resourceOf, kindOf })
    this.dispatcher = this.#newDispatcher()
    this.execution = this.#newExecution()
    this.plans = this.#newPlanKeeper()
    this.judge = this.#newJudge()
    this.#passPorts = this.#newPassPorts()
  }

  /** The parts that exist only once the API is open. */
  attach(verbs: Verbs, loopOf: (id: string) => LoopEngine | undefined): void {
    this.#verbs = verbs
    this.#loopOf = loopOf
    const { store, clock } = this.ports
    this.feed = new ObjectFeed(store, clock, this.kinds, (key, change) =>
      this.#onChange(key, change),
    )
    this.references.start()
  }

  get verbs(): Verbs {
    if (this.#verbs === undefined) throw toFault(new Error("the API is not open yet"))
    return this.#verbs
  }

  loopOf(id: string): LoopEngine | undefined {
    return this.#loopOf(id)
  }

  start(): void {
    const count = this.ports.workers ?? defaultWorkers
    this.#workers = Array.from({ length: count }, () => this.#work())
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.actuator.close()
    this.queue.shutdown()
    this.plans.close()
    this.watches.close()
    // Cut off at once, every act under way would leave its pieces behind.
    const cut = this.ports.clock.after(closeGraceMs, () => this.actuator.cutOff())
    await this.dispatcher.drain()
    cut.cancel()
    await Promise.all(this.#workers)
    await this.references.close()
    await this.recorder.close()
    await this.feed?.close()
  }

  /** Intents that a crash left without receipt: their result is unknown, and is looked at first. */
  async closeOldIntents(): Promise<void> {
    if (!protects("old-intents-are-closed")) return
    for (const intent of this.ledger.unfinished()) {
      const receipts = []
      for (const action of intent.actions) {
        await this.#cleanUp(action)
        const known = await this.ledger.record(action.uid)
        if (known === undefined) continue
        const record = { ...known, actedAt: this.ledger.time.now() } // It may land only now.
        const error = "the plane ended before the result was known"
        const result = "unknown" as const
        receipts.push({ action, result, error, durationMs: 0, record, writes: [] })
      }
      await this.ledger.finish(intent, receipts)
    }
  }

  /** Leftovers are a nuisance and no danger: what can't be taken away now stays. */
  async #cleanUp(action: Action): Promise<void> {
    const kind = this.feed?.kindOf(action.object)
    try {
      if (kind !== undefined) await this.actuator.cleanUp(kind.provider, action)
    } catch (error) {
      const { message } = toFault(error)
      this.ports.logger.warn(`cannot clean up beside ${action.target}: ${message}`)
    }
  }

  sweep(loop: LoopEngine): Promise<Sweep> {
    const { clock } = this.ports
    const { observer, settled, queue, breath } = this
    return sweepLoop(loop.id, {
      ...{ clock, breath, observer, settled, queue },
      lookup: this.lookup,
      object: async (key) => this.feed?.object(key),
      keysOf: (id) => this.feed?.keys(id) ?? [],
    })
  }

  wakeAll(loop?: string): void {
    for (const key of this.feed?.keys(loop) ?? []) this.queue.add(key)
  }

  failed(error: unknown): void {
    const fault = toFault(error)
    this.ports.logger.error(fault.message, { code: fault.code, cause: String(fault.cause ?? "") })
  }

  async #work(): Promise<void> {
    for (;;) {
      const key = await this.queue.take(this.#stop.signal)
      if (key === undefined) return
      try {
        this.passes++
        this.meters.taken(key)
        const outcome = await reconcile(key, this.#passPorts)
        this.meters.passed(key, outcome)
        schedule(this.queue, key, outcome)
      } catch (error) {
        if (!this.#stop.signal.aborted) this.failed(error)
        this.queue.addWithBackoff(key)
      } finally {
        this.queue.done(key)
      }
      // Late: within its pass, where it holds the round open, a key takes its breath sooner.
      await this.breath.due(16)
    }
  }

  #subjectOf(key: string): { readonly name: string; readonly uid: string } | undefined {
    const [kind, entry] = [this.feed?.kindOf(key), this.feed?.entry(key)]
    if (kind === undefined || entry === undefined) return undefined
    return { name: kind.provider.kind, uid: entry.uid }
  }

  /** Something may have changed there: look soon, and not at a listing from before. */
  #hint(key: string): void {
    const entry = this.feed?.entry(key)
    const loop = entry === undefined ? undefined : this.#loopOf(entry.loop)
    if (entry !== undefined) loop?.freshFrom.set(entry.uid, this.ports.clock.monotonic())
    this.queue.add(key, { priority: "high" })
  }

  /** A status write moves the revision and nothing else; only what asks for a pass gets one. */
  #onChange(key: string, change: "put" | "delete"): void {
    this.invariants?.objectChanged(key)
    const entry = this.feed?.entry(key)
    const settled = this.settled.get(key)
    if (change === "delete" || entry === undefined) {
      this.#woken.delete(key)
      this.queue.add(key, { priority: "high" })
      return
    }
    const { uid, generation, loop, marked, guarded } = entry
    const same = settled?.uid === uid && settled.generation === generation && !marked
    if (same && settled.loop === loop && settled.guarded === guarded) {
      this.#woken.delete(key)
      return
    }
    // Our own report on an object that is not settled must not wake it: it would never rest.
    const state = `${uid} ${generation} ${loop} ${marked} ${guarded}`
    if (this.#woken.get(key) === state) return
    this.#woken.set(key, state)
    this.meters.declared(key)
    this.queue.add(key, { priority: "high" })
  }

  #newReporter(): Reporter {
    const write = (object: ApiObject, status: ApiObject["status"]) =>
      writeStatus(this.verbs, this.kinds, object, status)
    return new Reporter(this.ports.clock, write, {
      deadlineMs: (loop) => this.#loopOf(loop)?.spec.deletionDeadlineMs ?? Number.POSITIVE_INFINITY,
      diagnosed: (told) => this.diagnoses.diagnosed(told),
      states: this.states,
    })
  }

  #newPassPorts(): ReconcilePorts {
    const { ledger, observer, settled, reporter, watches } = this
    const { clock, hasher } = this.ports
    return {
      ...{ clock, ledger, observer, settled, reporter, hasher },
      lookup: this.lookup,
      object: async (key) => this.feed?.object(key),
      kindOf: (key) => this.feed?.kindOf(key),
      loopOf: (id) => this.#loopOf(id),
      refers: this.references.note,
      goesAfter: this.references.before,
      compose: async (subject) => this.composer?.compose(subject),
      gone: (key) => this.orphans.notice(key),
      seen: (subject, observation) => this.invariants?.seen(subject, observation),
      unfinalize: (object) => takeFinalizerOff(this.verbs, this.kinds, object),
      watchTarget: (key, kind, target) => watches.watch(key, kind, target),
      unwatchTarget: (key) => watches.unwatch(key),
      heldChanged: (loop) => this.plans.refresh(loop),
      concluded: (...over) => this.plans.concluded(...over),
    }
  }

  #newDispatcher(): Dispatcher {
    const { breath, ledger, actuator, queue, reporter } = this
    return new Dispatcher({
      ...{ clock: this.ports.clock, breath, ledger, actuator, queue, reporter },
      object: async (key) => this.feed?.object(key),
      entry: (key) => this.feed?.entry(key),
      principalOf: actingPrincipal,
      acted: (loop, report) => this.#acted(loop, report),
      failed: (error) => this.failed(error),
    })
  }

  #newPlanKeeper(): PlanKeeper {
    return new PlanKeeper({
      clock: this.ports.clock,
      ledger: this.ledger,
      loopOf: (id) => this.#loopOf(id),
      recheck: (loop, held) => this.execution.recheck(loop, held),
      publish: (plan) => this.#publishPlan(plan),
      execute: (loop, held) => this.execution.execute(loop, held),
      wake: (key) => this.queue.add(key),
      failed: (error) => this.failed(error),
    })
  }

  #newExecution(): PlanExecution {
    const { clock } = this.ports
    return new PlanExecution({
      ...{ clock, ledger: this.ledger, queue: this.queue, closing: this.#stop.signal },
      object: async (key) => this.feed?.object(key),
      kindOf: (key) => this.feed?.kindOf(key),
      observe: (subject) => this.#observeNow(subject),
      forbidden: (loop, subject) => this.invariants?.invariants?.(loop, [subject]) ?? [],
      pass: (key) => reconcile(key, this.#passPorts),
      mark: (ref, uid) => this.verbs.delete(enginePrincipal, ref, { uid }),
      concluded: (...over) => this.plans.concluded(...over),
      failed: (error) => this.failed(error),
    })
  }

  #newJudge(): LoopDeleteJudge {
    return new LoopDeleteJudge({
      ledger: this.ledger,
      loopOf: (id) => this.#loopOf(id),
      kindOf: (key) => this.feed?.kindOf(key),
      invariants: (loop, subjects) => this.invariants?.invariants?.(loop, subjects) ?? [],
      observe: (subject) => this.#observeNow(subject),
      judged: (...set) => this.meters.deletesJudged(...set),
      planned: async (loop) => {
        await this.plans.refresh(loop)
        return this.plans.pending(loop.id)
      },
    })
  }

  async #observeNow(subject: Subject) {
    const { object, kind, uid } = subject
    const record = await this.ledger.record(uid)
    const found = await desire(object, kind.provider, this.lookup)
    const target = recordedTarget(subject, found, record)
    const now = this.ports.clock.monotonic()
    if (target === undefined) return neverMade(subject, record, now)
    const observation = await this.observer.observe(kind.provider, target, now)
    const text = record?.target ?? targetText(kind.provider, found.desired)
    return { text, observation }
  }

  async #acted(loop: LoopEngine, report: ActReport): Promise<void> {
    const { action, result } = report
    this.meters.acted(loop, report)
    if (result === "done") this.invariants?.acted(loop.id, action.uid)
    if (result === "done") {
      await this.plans.acted(loop, action.uid, action.digest, [slotOf(action)])
    }
    this.events.acted(report, loop.acting.size <= 1)
  }

  async #publishPlan(plan: PlanDocument): Promise<void> {
    try {
      const now = this.ledger.time.now()
      const shown = withRulesInForce(plan, this.#loopOf(plan.loop))
      this.events.plan(plan, await publishPlan(this.verbs, shown, now))
    } catch (error) {
      this.failed(error) // The ledger has it; the view is made again at the next start.
    }
  }

  readonly lookup: Lookup = (...asked) => this.references.lookup(...asked)
}
