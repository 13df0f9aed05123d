// A simulated plane that a random life plays on: one or two loops over a small world, limits and a
// policy from the seed, and the witness and oracle that watch it. It can crash at any port call.

import type { JsonObject } from "../../../src/base/json.ts"
import type { Client } from "../../../src/contract/client.ts"
import type { Principal } from "../../../src/contract/principal.ts"
import type { ApiObject } from "../../../src/object/object.ts"
import { CrashPoints } from "../../../src/sim/crash-points.ts"
import { crashingPort, crashingProvider, crashingStore } from "../../../src/sim/crashing-port.ts"
import { SimClock } from "../../../src/sim/sim-clock.ts"
import { simKind } from "../../../src/sim/sim-kind.ts"
import { SimPlane } from "../../../src/sim/sim-plane.ts"
import type { SimRandom } from "../../../src/sim/sim-random.ts"
import { SimWorld } from "../../../src/sim/sim-world.ts"
import { ann, flavours, loops, widgets } from "../site.ts"
import { Oracle } from "./oracle.ts"
import { type Freeze, type Limit, LoopRules, type Mode, type Policy } from "./rules.ts"
import { Witness } from "./witness.ts"

export const bea: Principal = { name: "bea", kind: "human" }
export const minute = 60_000
const sourceLoop = "default.site"
const apiLoop = "default.default"

export type Answer =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "refused"; readonly code: string }
  /** The plane was gone before it answered, or failed in a way that proves nothing. */
  | { readonly kind: "unknown" }

export class Stage {
  readonly clock = new SimClock()
  readonly world = new SimWorld({ clock: this.clock })
  readonly witness = new Witness(this.clock, this.world)
  readonly oracle = new Oracle(this.world, this.witness)
  readonly sim: SimPlane
  readonly hasSource: boolean
  /** How many people an approval needs. */
  readonly required: number
  readonly #loopSpecs = new Map<string, JsonObject>()
  readonly #kind: ReturnType<typeof simKind>
  #points = new CrashPoints()
  crashes = 0

  constructor(seed: number, random: SimRandom) {
    const flavour = random.pick(flavours) ?? "single"
    const identityRule = random.chance(0.8) ? "derived" : "searchable"
    this.#kind = simKind({
      ...{ flavour, identityRule, world: this.world },
      timeoutMs: { observe: 5000, act: 5000 },
      replaceOn: random.chance(0.6) ? ["color"] : [],
      confirmDrift: random.chance(0.1),
      batchWhole: random.chance(0.1),
    })
    this.sim = new SimPlane({ clock: this.clock, kinds: [], seed, workers: 4 })
    this.hasSource = random.chance(0.6)
    this.required = random.chance(0.15) ? 2 : 1
  }

  get loopIds(): readonly string[] {
    return this.hasSource ? [sourceLoop, apiLoop] : [apiLoop]
  }

  async open(random: SimRandom): Promise<void> {
    await this.start()
    if (random.chance(0.3)) await this.putPolicy(randomPolicy(random))
    for (const id of this.loopIds) {
      const odd: Mode = random.chance(0.5) ? "Propose" : "Observe"
      const mode = random.chance(0.88) ? "Enforce" : odd
      const limit = randomLimit(random)
      const freeze = random.chance(0.07) ? randomFreeze(random) : undefined
      this.oracle.loops.set(id, new LoopRules(id, mode, limit, freeze))
      await this.putLoop(id, { ...loopSpec(random, mode, limit, freeze, this.required) })
    }
    await this.clock.advance(100)
  }

  /** Remembers what was declared before, so that a change is one of these fields alone. */
  async putLoop(id: string, change: JsonObject): Promise<Answer> {
    const spec = { ...this.#loopSpecs.get(id), ...change }
    this.#loopSpecs.set(id, spec)
    const source = id === sourceLoop ? { source: { directory: { path: "/site" } } } : {}
    const object: ApiObject = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: id.slice("default.".length), namespace: "default" },
      spec: { ...source, ...spec },
    }
    const options = { fieldManager: "ann", force: true }
    return this.answer(this.as(ann).apply(loops, object, options))
  }

  async putPolicy(policy: Policy): Promise<void> {
    const object: ApiObject = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "GuardPolicy",
      metadata: { name: "floor" },
      spec: policyJson(policy),
    }
    const resource = { ...loops, resource: "guardpolicies" }
    const options = { fieldManager: "ann", force: true }
    this.oracle.policy.declare(this.clock.monotonic(), policy)
    await this.answer(this.as(ann).apply(resource, object, options))
    await this.clock.advance(50)
  }

  async dropPolicy(): Promise<void> {
    this.oracle.policy.declare(this.clock.monotonic(), undefined)
    const ref = { ...loops, resource: "guardpolicies", namespace: "", name: "floor" }
    await this.answer(this.as(ann).delete(ref))
  }

  as(principal: Principal): Client {
    return this.sim.plane.client(principal)
  }

  uidOf(name: string): string | undefined {
    const target = this.world.find(name)[0]
    return target?.mark
  }

  async objects(): Promise<readonly ApiObject[]> {
    const answer = await this.answer(this.as(ann).list(widgets, { namespace: "default" }))
    if (answer.kind !== "done") return []
    return (answer.value as { readonly items: readonly ApiObject[] }).items
  }

  async answer(promise: Promise<unknown>): Promise<Answer> {
    let answer: Answer | undefined
    promise.then(
      (value) => {
        answer = { kind: "done", value }
      },
      (error: unknown) => {
        const code = error instanceof Error && "code" in error ? String(error.code) : ""
        answer = code === "" ? { kind: "unknown" } : { kind: "refused", code }
      },
    )
    const gone = () => answer !== undefined || this.#points.crashed !== undefined
    await this.clock.runUntil(gone, { maxMs: 2 * minute })
    return answer ?? { kind: "unknown" }
  }

  get crashed(): boolean {
    return this.#points.crashed !== undefined
  }

  crash(): void {
    this.#points.crash("now")
  }

  async start(): Promise<void> {
    const points = new CrashPoints()
    this.#points = points
    this.sim.kinds = [crashingProvider(this.witness.kind(this.#kind), points)]
    this.sim.wrapStore = (store) => crashingStore(this.witness.store(store), points)
    const coverage = { label: "source", pointed: ["read"], guarded: [] }
    this.sim.wrapSource = (source) => crashingPort(source, points, coverage)
    await this.sim.start()
  }
}

const between = (random: SimRandom, low: number, high: number) => low + random.below(high - low + 1)

export const randomLimit = (random: SimRandom): Limit => ({
  deletes: random.pick([0, 1, 1, 1, 2, 2, 3, 4]) ?? 0,
  percent: random.pick([10, 50, 100, 100, 100]) ?? 10,
  windowMs: between(random, 1, 10) * minute,
})

const randomFreeze = (random: SimRandom): Freeze => ({
  minute: random.below(60),
  minutes: between(random, 5, 40),
})

export function randomPolicy(random: SimRandom): Policy {
  const everywhere = { deletes: 1 + random.below(3), windowMs: between(random, 1, 10) * minute }
  return {
    ...(random.chance(0.6) ? { limit: { ...randomLimit(random), deletes: random.below(3) } } : {}),
    ...(random.chance(0.4) ? { everywhere } : {}),
    ...(random.chance(0.15) ? { freeze: randomFreeze(random) } : {}),
    protects: random.chance(0.1),
  }
}

const minutes = (ms: number) => `${ms / minute}m`

export const limitJson = ({ deletes, percent, windowMs }: Limit): JsonObject => ({
  ...{ deletes, deletesPercent: percent, window: minutes(windowMs), changes: 50 },
})

const freezeJson = ({ minute: begin, minutes: long }: Freeze): JsonObject => ({
  ...{ schedule: `${begin} * * * *`, duration: `${long}m` },
})

function policyJson({ limit, everywhere, freeze, protects }: Policy): JsonObject {
  return {
    ...(limit === undefined ? {} : { limits: limitJson(limit) }),
    ...(everywhere === undefined
      ? {}
      : { everywhere: { deletes: everywhere.deletes, window: minutes(everywhere.windowMs) } }),
    ...(freeze === undefined ? {} : { freezes: [freezeJson(freeze)] }),
    ...(protects ? { protectedKinds: ["Widget"] } : {}),
  }
}

function loopSpec(
  random: SimRandom,
  mode: Mode,
  limit: Limit,
  freeze: Freeze | undefined,
  required: number,
): JsonObject {
  return {
    mode,
    interval: "6m",
    limits: limitJson(limit),
    onEmpty: random.chance(0.6) ? "Allow" : "Hold",
    onDrift: random.pick(["Correct", "Correct", "Correct", "Hold", "Report"]) ?? "Correct",
    onConflict: random.chance(0.7) ? "DeclaredWins" : "Hold",
    onVanish: random.chance(0.5) ? "Correct" : "Hold",
    ...(freeze === undefined ? {} : { windows: [{ kind: "Freeze", ...freezeJson(freeze) }] }),
    ...(required > 1 ? { approvals: { required } } : {}),
  }
}
