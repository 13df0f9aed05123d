// A random life of a loop: faults, edits of the source, drift, stops, approvals and crashes, all
// from one seed. The oracle judges what was really done in the world, act by act, and not what the
// plane reports.

import type { JournalEntry } from "../../src/contract/journal.ts"
import type { StopEntry } from "../../src/contract/stop.ts"
import { verifyJournal } from "../../src/ledger/verify-journal.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingPort, crashingProvider, crashingStore } from "../../src/sim/crashing-port.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import type { SimFaultHow, SimFaultRule } from "../../src/sim/sim-faults.ts"
import { simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { type SimMutation, SimWorld } from "../../src/sim/sim-world.ts"
import { Trace } from "../../src/sim/trace.ts"
import { ann, flavours, loops, widget } from "./site.ts"

const hows: readonly SimFaultHow[] = [
  ...(["throttled", "unauthorized", "serverError", "lostReply", "hang", "hangAfter"] as const),
  ...(["slow", "late", "stale", "partialList"] as const),
]
/** A late effect lands after its act was given up; a lagging read is a few seconds old. */
const storm: readonly SimFaultRule[] = hows.map((how) => ({
  how,
  ms: how === "late" ? 9000 : 3000,
}))
const rules = ["derived", "searchable"] as const
const steps = 25

export interface Life {
  readonly trace: string
  readonly broken: readonly string[]
  readonly acts: number
  readonly crashes: number
}

export interface LifeOptions {
  /** Faults besides the usual ones: what no engine can bear shows that the oracle looks. */
  readonly more?: readonly SimFaultRule[]
}

export async function randomLife(seed: number, options: LifeOptions = {}): Promise<Life> {
  const life = new RandomLife(seed, [...storm, ...(options.more ?? [])])
  await life.run()
  return life.result()
}

class RandomLife {
  readonly #random: SimRandom
  readonly #clock = new SimClock()
  readonly #trace = new Trace()
  readonly #world: SimWorld
  readonly #sim: SimPlane
  readonly #flavour: (typeof flavours)[number]
  readonly #rule: (typeof rules)[number]
  readonly #broken: string[] = []
  readonly #desired = new Map<string, number>()
  #points = new CrashPoints()
  #crashes = 0
  #judged = 0

  readonly #storm: readonly SimFaultRule[]

  constructor(seed: number, faults: readonly SimFaultRule[]) {
    this.#storm = faults
    this.#random = new SimRandom(seed)
    this.#world = new SimWorld({ clock: this.#clock, trace: this.#trace })
    this.#flavour = this.#random.pick(flavours) ?? "single"
    this.#rule = this.#random.pick(rules) ?? "derived"
    this.#sim = new SimPlane({ clock: this.#clock, kinds: [], seed, workers: 4 })
  }

  result(): Life {
    const acts = this.#world.ledger.filter((one) => one.who !== "somebody").length
    const [trace, broken, crashes] = [this.#trace.hash(), this.#broken, this.#crashes]
    return { trace, broken, acts, crashes }
  }

  async run(): Promise<void> {
    await this.#start()
    await this.#makeLoop()
    for (let index = 0; index < 8; index++) this.#desired.set(`w${index}`, 1)
    for (let step = 0; step < steps && this.#broken.length === 0; step++) await this.#step()
    await this.#calm()
  }

  async #step(): Promise<void> {
    const random = this.#random
    this.#trace.add(`step at ${this.#clock.monotonic()}`)
    const choices = [
      ...Array(4).fill(() => this.#edit()),
      ...Array(3).fill(() => this.#drift()),
      () => this.#crash(),
      () => this.#decide(),
      () => this.#toggleStop(),
      () => this.#world.faults.storm(random.fork(), 0.3, this.#storm),
      () => this.#world.faults.calm(),
      () => this.#sim.source.fail("broken"),
    ]
    const chosen = random.pick(choices)
    await chosen?.()
    await this.#clock.advance(random.below(40_000))
    await this.#judge()
  }

  #edit(): void {
    const name = `w${this.#random.below(12)}`
    if (this.#desired.has(name) && this.#random.chance(0.4)) this.#desired.delete(name)
    else this.#desired.set(name, 1 + this.#random.below(5))
    this.#declare()
  }

  #declare(): void {
    const objects = [...this.#desired].map(([name, size]) => widget(name, { size }))
    this.#sim.source.declare(objects)
  }

  #drift(): void {
    const target = this.#random.pick(this.#world.targets())
    if (target === undefined || this.#world.find(target.identity).length !== 1) return
    if (this.#random.chance(0.3)) this.#world.remove(target.identity)
    else this.#world.edit(target.identity, { color: this.#random.pick(["blue", "red"]) })
  }

  async #crash(): Promise<void> {
    this.#crashes++
    this.#edit()
    this.#drift()
    await this.#clock.advance(this.#random.below(20_000) / 10)
    this.#points.crash("now")
    await this.#start()
  }

  async #start(): Promise<void> {
    const points = new CrashPoints()
    this.#points = points
    const [flavour, identityRule, world] = [this.#flavour, this.#rule, this.#world]
    const kind = simKind({ flavour, identityRule, world, timeoutMs: { observe: 5000, act: 5000 } })
    this.#sim.kinds = [crashingProvider(kind, points)]
    this.#sim.wrapStore = (store) => crashingStore(store, points)
    const coverage = { label: "source", pointed: ["read"], guarded: [] }
    this.#sim.wrapSource = (source) => crashingPort(source, points, coverage)
    await this.#sim.start()
  }

  async #makeLoop(): Promise<void> {
    const source = { directory: { path: "/site" } }
    const limits = { deletes: 3, deletesPercent: 40, window: "2m", changes: 6 }
    const mode = this.#random.chance(0.25) ? "Propose" : "Enforce"
    const onDrift = this.#random.chance(0.2) ? "Hold" : "Correct"
    const object = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "site", namespace: "default" },
      spec: { mode, interval: "15s", limits, source, onDrift, onConflict: "DeclaredWins" },
    }
    const options = { fieldManager: "ann", force: true }
    await this.#answer(this.#sim.plane.client(ann).apply(loops, object, options))
  }

  /** A person looks at what waits and decides; a refusal is an answer too. */
  async #decide(): Promise<void> {
    const plan = this.#sim.plane.engine.plans.pending("default.site")
    if (plan === undefined) return
    const decision = this.#random.chance(0.7) ? "approve" : "reject"
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${plan.name}/approval`
    const body = { hash: plan.hash, decision }
    await this.#answer(this.#sim.plane.client(ann).call("POST", path, body))
  }

  async #toggleStop(): Promise<void> {
    const verb = this.#sim.stop.entries().length > 0 ? "resume" : "stop"
    const path = `/setpoint/v1/${verb}`
    await this.#answer(this.#sim.plane.client(ann).call("POST", path, {}))
    if (verb === "stop") await this.#stopHolds(this.#sim.stop.entries())
  }

  /** Only what was in flight when it was written may still land. */
  async #stopHolds(entries: readonly StopEntry[]): Promise<void> {
    const inFlight = this.#sim.plane.engine.actuator.inFlight.atStop().length
    const before = this.#world.ledger.length
    await this.#clock.advance(20_000)
    if (this.#sim.stop.entries() !== entries) return
    const later = this.#world.ledger.slice(before).filter((one) => one.who !== "somebody")
    const limit = this.#flavour === "batch" ? inFlight * 500 : inFlight
    if (later.length > limit) this.#broken.push(`${later.length} mutations after a stop`)
  }

  async #answer(promise: Promise<unknown>): Promise<void> {
    let ended = false
    const end = () => {
      ended = true
    }
    promise.then(end, end)
    await this.#clock.runUntil(() => ended, { maxMs: 120_000 })
  }

  /** Everything works again: it must converge, and then be quiet. */
  async #calm(): Promise<void> {
    if (this.#broken.length > 0) return
    this.#world.faults.calm()
    if (this.#sim.stop.entries().length > 0) await this.#toggleStop()
    this.#declare()
    for (let tries = 0; tries < 12; tries++) {
      await this.#clock.advance(10 * 60_000)
      const plan = this.#sim.plane.engine.plans.pending("default.site")
      if (plan === undefined && tries > 1) break
      await this.#approveAll()
    }
    await this.#judge()
    const wanted = [...this.#desired].map(([name, size]) => `${name} ${size} red`).sort()
    const found = this.#world.targets().map((one) => {
      return `${one.identity} ${one.value.size} ${one.value.color}`
    })
    if (wanted.join() !== found.sort().join()) {
      this.#broken.push(`does not converge: ${found.join()} instead of ${wanted.join()}`)
    }
    await this.#quiet()
    await this.#answer(
      verifyJournal(this.#sim.plane.ports.store, "default.site").catch((error) => {
        this.#broken.push(String(error))
      }),
    )
  }

  async #approveAll(): Promise<void> {
    const plan = this.#sim.plane.engine.plans.pending("default.site")
    if (plan === undefined) return
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${plan.name}/approval`
    await this.#answer(this.#sim.plane.client(ann).call("POST", path, { hash: plan.hash }))
  }

  async #quiet(): Promise<void> {
    const { store } = this.#sim.plane.ports
    const [mutations, revision] = [this.#world.ledger.length, store.revision]
    await this.#clock.advance(10 * 15_000)
    const more = [this.#world.ledger.length - mutations, store.revision - revision]
    if (more.some((count) => count > 0)) this.#broken.push(`is not quiet: ${more.join(" and ")}`)
  }

  /** The ledger oracle: each mutation since the last look needs its reason in the journal. */
  async #judge(): Promise<void> {
    for (const { identity } of this.#world.targets()) {
      const count = this.#world.find(identity).length
      if (count > 1) this.#broken.push(`${count} targets of ${identity}`)
    }
    const made = this.#world.ledger.slice(this.#judged).filter((one) => one.who !== "somebody")
    this.#judged = this.#world.ledger.length
    if (made.length === 0) return
    const journal: JournalEntry[] = []
    const { store } = this.#sim.plane.ports
    const read = readAll(store).then((entries) => journal.push(...entries))
    await this.#answer(read)
    const intents = journal.flatMap(({ event }) => (event.type === "intent" ? event.actions : []))
    for (const one of made)
      if (!hasIntent(one, intents)) this.#broken.push(`no intent for ${text(one)}`)
  }
}

const verbsOf = {
  created: ["create", "replace"],
  updated: ["update", "adopt"],
  deleted: ["delete", "replace"],
} as const

function hasIntent(
  mutation: SimMutation,
  intents: readonly { readonly uid: string; readonly verb: string; readonly target: string }[],
): boolean {
  const verbs: readonly string[] = verbsOf[mutation.verb]
  return intents.some(
    (intent) =>
      intent.uid === mutation.who &&
      verbs.includes(intent.verb) &&
      intent.target === `sim:${mutation.identity}`,
  )
}

const text = ({ verb, identity, who }: SimMutation) => `${verb} ${identity} by ${who}`

/** Reads past the process: the store's own content, not what a dead plane would answer. */
async function readAll(store: {
  range(query: { prefix: string; limit: number }): Promise<unknown>
}): Promise<JournalEntry[]> {
  const page = (await store.range({ prefix: "/ledger/journal/default.site/", limit: 100_000 })) as {
    readonly entries: readonly { readonly value: Uint8Array }[]
  }
  return page.entries.map(
    ({ value }) => JSON.parse(new TextDecoder().decode(value)) as JournalEntry,
  )
}
