// Gate: a thousand stops at random moments of a busy plane, over every scope and every way to
// write them: no mutating call begins while a stop that covers it stands. The twin shows that the
// check at the effect is what does it.

import { afterEach, describe, expect, it } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import type { JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { ActContext, KindProvider } from "../../src/contract/provider.ts"
import { type StopEntry, stoppedBy, stopSubject } from "../../src/contract/stop.ts"
import type { Store } from "../../src/contract/store.ts"
import { ledgerKeys } from "../../src/ledger/keys.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { full } from "../full.ts"
import { ann, bot, type Flavour, flavours, names, Site, widget } from "./site.ts"

const perSite = full ? 84 : 12
const seeds = full ? [1, 2, 3, 4] : [1]
const sitesOf = (flavour: Flavour) => seeds.map((seed) => ({ flavour, seed }))
const count = 4
const roomy = { changes: 100_000, deletes: 1000, deletesPercent: 100 }
const key = (name: string) => `widgets.sim.setpoint.dev/default/${name}`
const plane = {
  ...{ group: "setpoint.dev", version: "v1alpha1", resource: "planes" },
  ...{ namespace: "", name: "local" },
} as const

const scopes: readonly JsonObject[] = [
  {},
  { scope: "deletes" },
  { loop: "default.site" },
  { loop: "default.site", scope: "deletes" },
  { loop: "default.default" },
  { provider: "sim" },
  { object: key("w2") },
]

let arm = () => {}
afterEach(() => arm())

class StopTrials {
  readonly random: SimRandom
  readonly site: Site
  /** Mutating calls that began, and those of them that a stop covered at that instant. */
  begun = 0
  readonly broken: string[] = []
  /** Trials in which the stop found work that it kept from happening. */
  caught = 0
  #round = 0
  readonly #colors = new Map<string, string>()

  constructor(flavour: Flavour, seed: number) {
    this.random = new SimRandom(seed)
    const loop = { limits: { ...roomy, window: "1s" } }
    this.site = new Site({ flavour, seed, replaceOn: ["color"], loop })
    this.site.sim.kinds = this.site.sim.kinds.map((kind) => this.#watched(kind))
    this.site.sim.wrapStore = (store) => this.#slow(store)
  }

  async run(trials: number): Promise<void> {
    await this.site.sim.start()
    await this.site.makeLoop()
    await this.#work()
    await this.site.clock.advance(5000)
    for (let trial = 0; trial < trials; trial++) await this.#trial()
  }

  /** Updates of all, one that is replaced, one more or one less. */
  async #work(): Promise<void> {
    const size = 1 + (++this.#round % 7)
    const extra = this.#round % 2 === 0 ? ["extra"] : []
    this.#colors.set(`w${this.random.below(count)}`, `color ${this.#round}`)
    const objects = [...names(count), ...extra].map((name) =>
      widget(name, { size, color: this.#colors.get(name) ?? "red" }),
    )
    await this.site.declare(objects, 0)
  }

  async #trial(): Promise<void> {
    const { site, random } = this
    await this.#work()
    await site.clock.advance(random.below(400))
    const scope = random.pick(scopes) ?? {}
    await this.#stop(scope)
    const before = this.begun
    await site.clock.advance(random.below(300))
    await this.#work()
    await site.clock.advance(800)
    if (this.begun === before) this.caught++
    await site.run(site.as(ann).call("POST", "/setpoint/v1/resume", scope))
    await site.clock.advance(800)
  }

  async #stop(scope: JsonObject): Promise<void> {
    const { site, random } = this
    const how = random.below(3)
    if (how === 0) {
      // By hand, between any two steps of the plane.
      const entry = { loop: "*", scope: "all", by: "hand", at: "", ...scope } as StopEntry
      site.clock.after(random.below(50), () => site.sim.stop.write([entry]))
      await site.clock.advance(60)
    } else if (how === 1) {
      await site.run(site.as(bot).call("POST", "/setpoint/v1/stop", scope))
    } else await site.run(site.as(ann).patch(plane, "merge", { spec: { stop: [scope] } }))
  }

  /** Sees every mutating call at the instant at which it begins. */
  #watched(kind: KindProvider): KindProvider {
    const begin = ({ action }: ActContext) => {
      this.begun++
      const stop = stoppedBy(this.site.sim.stop.entries(), stopSubject(action))
      if (stop !== undefined) this.broken.push(`${action.verb} ${action.target}`)
    }
    const watch =
      (verb: "create" | "update" | "delete"): KindProvider["create"] =>
      (target, context) => {
        begin(context)
        return kind[verb](target, context)
      }
    const { actBatch } = kind
    return {
      ...{ ...kind, create: watch("create"), update: watch("update"), delete: watch("delete") },
      ...(actBatch === undefined
        ? {}
        : {
            actBatch: (scope, items) => {
              for (const { context } of items) begin(context)
              return actBatch(scope, items)
            },
          }),
    }
  }

  /** Intents take their time, so that there are moments between check, intent and effect. */
  #slow(store: Store): Store {
    const random = this.random.fork()
    const commit: Store["commit"] = async (checks, writes) => {
      const isIntent = writes.some((one) => one.key.startsWith(ledgerKeys.intents))
      if (isIntent) await sleep(this.site.clock, random.below(60))
      return store.commit(checks, writes)
    }
    return new Proxy(store, {
      get: (target, name) => {
        if (name === "commit") return commit
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === "function" ? member.bind(target) : member
      },
    })
  }
}

describe("stops at random moments", () => {
  it.each(flavours.flatMap(sitesOf))(
    `let no mutating call begin that they cover: ${perSite} of them ($flavour, seed $seed)`,
    async ({ flavour, seed }) => {
      const trials = new StopTrials(flavour, seed)
      await trials.run(perSite)
      expect(trials.broken).toEqual([])
      expect(trials.begun).toBeGreaterThan(perSite * 3)
      expect(trials.caught).toBeGreaterThan(perSite / 5)
    },
  )

  it("twin: without the check at the effect, calls begin that a stop covers", async () => {
    arm = disarm("stop-checked-at-effect")
    const trials = new StopTrials("single", 1)
    // The moment between check and call is short: it takes some trials to hit it.
    for (let run = 0; run < 12 && trials.broken.length === 0; run++) await trials.run(14)
    expect(trials.broken.length).toBeGreaterThan(0)
  })
})
