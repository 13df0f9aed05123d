// Where a scenario plays: a real system, a plane over it, and what the scenario asks of both. What
// is there is always read through the driver's back door; a claim that does not hold ends it.

import type { Clock } from "../../base/clock.ts"
import { sleep } from "../../base/clock.ts"
import { canonicalJson, isObject, type JsonObject } from "../../base/json.ts"
import type { Random } from "../../base/random.ts"
import type { JournalEvent } from "../../contract/journal.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ApiObject } from "../../object/object.ts"
import { must, Violation } from "../conformance/bench.ts"
import { firstDifference } from "../conformance/matches.ts"
import { type PortCall, tapWorld } from "../conformance/world-tap.ts"
import type { ScenarioDriver, ScenarioSystem, TroubleName } from "./driver.ts"
import { type ActHooks, hookedKind, lyingKind } from "./hooked-kind.ts"
import { hurriedClock } from "./hurried-clock.ts"
import { actingKind, kindUnderTest } from "./kind-under-test.ts"
import type { OpenPlane, ScenarioPlane } from "./scenario-plane.ts"

export type Facts = ReadonlyMap<string, string>
export type Version = 0 | 1

/** One declared sample: its number, or number and version. */
export type Wanted = number | readonly [n: number, version: Version]

export interface StageParts {
  readonly driver: ScenarioDriver
  readonly openPlane: OpenPlane
  /** Real time, for deadlines. */
  readonly clock: Clock
  /** How much faster the plane's time runs: its pauses are over sooner. */
  readonly hurry: number
  readonly random: Random
  /** Puts a wrong provider in the place of the right one. */
  readonly spoil?: (kind: KindProvider, system: ScenarioSystem) => KindProvider
  /** How many targets `many-targets` makes at most. */
  readonly targets: number
  /** Crash points that `plane-killed` tries at most. */
  readonly crashes: number
  /** Figures for people. */
  readonly print?: (line: string) => void
}

export class Stage {
  readonly parts: StageParts
  readonly system: ScenarioSystem
  /** The kind under test; never acted through, only asked what it is. */
  readonly kind: KindProvider
  /** Set by a scenario that steps in between the engine and the provider. */
  hooks: ActHooks = {}
  /** Set by a scenario that counts or cuts port calls of acts. */
  calls: { before?(call: PortCall): void; after?(call: PortCall): void } = {}
  /** Of these identities the observer says that they are gone. */
  lies: (identity: string) => boolean = () => false
  readonly #time: Clock
  readonly #troubles: (() => Promise<void>)[] = []
  #plane: ScenarioPlane | undefined

  constructor(parts: StageParts, system: ScenarioSystem, hurry = 1) {
    this.parts = parts
    this.system = system
    this.#time = hurriedClock(parts.clock, parts.hurry * hurry)
    this.kind = kindUnderTest(parts.driver, system)
  }

  get plane(): ScenarioPlane {
    if (this.#plane === undefined) throw new Violation("the plane is not open")
    return this.#plane
  }

  async open(loop: JsonObject = {}): Promise<void> {
    const { parts, system } = this
    const acts = tapWorld(system.world, {
      before: (call) => this.calls.before?.(call),
      after: (call) => this.calls.after?.(call),
    })
    this.#plane = await parts.openPlane({
      kinds: () => system.kinds().map((kind) => this.#wrapped(kind)),
      composites: () => system.composites?.() ?? [],
      ...{ kind: this.kind.kind, loop },
      ...{ acts, reads: system.world, clock: this.#time, random: parts.random },
    })
  }

  async close(): Promise<void> {
    await this.#plane?.close()
    for (const end of this.#troubles.splice(0)) await end()
  }

  /** The kind under test as the plane gets it, wrong where a twin made it so. */
  get tried(): KindProvider {
    return this.parts.spoil?.(this.kind, this.system) ?? this.kind
  }

  #wrapped(kind: KindProvider): KindProvider {
    if (kind.kind !== actingKind(this.parts.driver)) return kind
    const tried = this.parts.spoil?.(kind, this.system) ?? kind
    const hooks: ActHooks = {
      before: async (verb, target) => this.hooks.before?.(verb, target),
      after: async (verb, target, result) => this.hooks.after?.(verb, target, result),
    }
    return lyingKind(hookedKind(tried, hooks), (identity) => this.lies(identity))
  }

  spec(wanted: Wanted): JsonObject {
    const [n, version] = typeof wanted === "number" ? [wanted, 0 as const] : wanted
    return this.system.spec(n, version)
  }

  identity(wanted: Wanted): string {
    return this.kind.identity(this.spec(wanted))
  }

  name(wanted: Wanted): string {
    return `sample-${typeof wanted === "number" ? wanted : wanted[0]}`
  }

  manifest(wanted: Wanted): ApiObject {
    const { group, version, kind } = this.kind
    return {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: this.name(wanted) },
      spec: this.spec(wanted),
    }
  }

  /** The whole source from now on. */
  declare(...wanted: readonly Wanted[]): void {
    const samples = wanted.map((one) => this.manifest(one))
    this.plane.declare([...(this.system.ground ?? []), ...samples])
  }

  /** Declares these, and waits until they are there, as declared, and the plane says so. */
  async settle(...wanted: readonly Wanted[]): Promise<void> {
    this.declare(...wanted)
    await this.settled(...wanted)
  }

  async settled(...wanted: readonly Wanted[]): Promise<void> {
    await this.ready(wanted)
    await this.mustBe(wanted)
  }

  /** The plane says Ready for exactly these, in the version that is declared. */
  async ready(wanted: readonly Wanted[], everyMs = 25): Promise<void> {
    await this.until(
      `${wanted.length} objects are Ready`,
      async () => {
        const objects = await this.plane.objects()
        const names = new Map(objects.map((object) => [object.metadata.name, object]))
        const late = wanted.filter((one) => !isReady(names.get(this.name(one)), this.spec(one)))
        if (late.length === 0 && names.size === wanted.length) return true
        const first = late[0] === undefined ? undefined : names.get(this.name(late[0]))
        return `${names.size} objects, ${late.length} not Ready: ${readyText(first)}`
      },
      everyMs,
    )
  }

  async isReady(wanted: readonly Wanted[]): Promise<boolean> {
    const objects = await this.plane.objects()
    const names = new Map(objects.map((object) => [object.metadata.name, object]))
    const ready = wanted.every((one) => isReady(names.get(this.name(one)), this.spec(one)))
    return ready && names.size === wanted.length
  }

  /** What the back door shows of these is what their specs say. */
  async mustBe(wanted: readonly Wanted[]): Promise<void> {
    const facts = await this.system.facts()
    for (const one of wanted) {
      const difference = this.#difference(facts, one)
      must(difference === undefined, `${this.name(one)} ${difference}`)
    }
  }

  /** The same, waited for; a look now and then stands for the level trigger. */
  async becomes(what: string, ...wanted: readonly Wanted[]): Promise<void> {
    await this.untilLooking(what, async () => {
      const facts = await this.system.facts()
      for (const one of wanted) {
        const difference = this.#difference(facts, one)
        if (difference === undefined) continue
        return `${this.name(one)} ${difference}; ${await this.told(one)}`
      }
      return true
    })
  }

  #difference(facts: ReadonlyMap<string, JsonObject>, wanted: Wanted): string | undefined {
    const found = facts.get(this.identity(wanted))
    if (found === undefined) return "is not there"
    const spec = this.spec(wanted)
    const shared = Object.entries(spec).filter(([name]) => Object.hasOwn(found, name))
    const difference = firstDifference(this.kind, Object.fromEntries(shared), found)
    return difference === undefined ? undefined : `is not as declared in ${difference}`
  }

  /** Everything there is, as text, to be compared with what is there later. */
  async snapshot(): Promise<Facts> {
    const facts = await this.system.facts()
    return new Map([...facts].map(([identity, value]) => [identity, canonicalJson(value)]))
  }

  async has(wanted: Wanted): Promise<boolean> {
    return (await this.system.facts()).has(this.identity(wanted))
  }

  /** The object's conditions, in words. */
  told(wanted: Wanted): Promise<string> {
    return this.toldOf(this.name(wanted))
  }

  async toldOf(name: string): Promise<string> {
    const objects = await this.plane.objects()
    return readyText(objects.find((object) => object.metadata.name === name))
  }

  /** The plane does not say of this object that it is as declared. */
  async notReady(wanted: Wanted): Promise<void> {
    await this.untilLooking(`${this.name(wanted)} is not Ready`, async () => {
      const text = await this.told(wanted)
      return text.startsWith("True") ? text : true
    })
  }

  async until(what: string, condition: () => Promise<true | string>, everyMs = 25): Promise<void> {
    const { clock, driver } = this.parts
    const deadline = clock.monotonic() + (driver.deadlineMs ?? 60_000)
    for (let pause = everyMs; ; pause = Math.max(everyMs, Math.min(200, pause * 1.3))) {
      const reached = await condition()
      if (reached === true) return
      if (clock.monotonic() > deadline) throw new Violation(`${what}: ${reached}`)
      // Looking from outside may cost a process each time: it is done less and less often.
      await sleep(clock, pause)
    }
  }

  async untilLooking(what: string, condition: () => Promise<true | string>): Promise<void> {
    let rounds = 0
    await this.until(what, async () => {
      const reached = await condition()
      if (reached !== true && rounds++ % 5 === 0) await this.plane.look()
      return reached
    })
  }

  /** So long, by the plane's clock, that everything it would do by itself has begun. */
  async calm(planeMs = 2000): Promise<void> {
    await this.plane.look()
    await sleep(this.#time, planeMs)
  }

  /** Begins the trouble that the driver has under this name. */
  async trouble(name: TroubleName): Promise<() => Promise<void>> {
    const begin = this.system.troubles?.[name]
    if (begin === undefined) throw new Violation(`the driver has no trouble ${name}; skip it`)
    const over = await begin()
    // A scenario that fails half-way leaves no trouble behind.
    const end = async () => {
      const at = this.#troubles.indexOf(end)
      if (at >= 0) this.#troubles.splice(at, 1)
      await over()
    }
    this.#troubles.push(end)
    return end
  }

  whatWaits(): string {
    return `pending: ${JSON.stringify(this.plane.pending())}`
  }

  async receipts(): Promise<readonly Extract<JournalEvent, { type: "receipt" }>[]> {
    const events = await this.plane.journal()
    return events.filter((event) => event.type === "receipt")
  }
}

function isReady(object: ApiObject | undefined, spec: JsonObject): boolean {
  if (object === undefined) return false
  const generation = object.metadata.generation ?? 0
  if (object.status?.observedGeneration !== generation) return false
  // An older revision of the source may still be the one that is Ready.
  const said = object.spec ?? {}
  const same = Object.keys(spec).every(
    (name) => canonicalJson(said[name]) === canonicalJson(spec[name]),
  )
  return same && readyText(object).startsWith("True")
}

function readyText(object: ApiObject | undefined): string {
  const conditions = object?.status?.conditions
  const found = Array.isArray(conditions)
    ? conditions.find((one) => isObject(one) && one.type === "Ready")
    : undefined
  if (!isObject(found)) return object === undefined ? "no object" : "no condition"
  return `${String(found.status)} ${String(found.reason)}: ${String(found.message)}`
}
