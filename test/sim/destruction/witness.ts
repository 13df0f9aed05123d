// Stands between a plane and its ports and writes down, in one order, what passes: reads with what
// they saw, intents and permissions when they are durable, verdicts that the journal got, and acts
// when they begin. It changes nothing and knows nothing of the engine's memory.

import type { Clock } from "../../../src/base/clock.ts"
import type { JsonObject } from "../../../src/base/json.ts"
import type { Action } from "../../../src/contract/action.ts"
import type { JournalEntry } from "../../../src/contract/journal.ts"
import type { ActContext, KindProvider, Target } from "../../../src/contract/provider.ts"
import type { TargetRecord } from "../../../src/contract/record.ts"
import type { Store, Write } from "../../../src/contract/store.ts"
import type { SimWorld } from "../../../src/sim/sim-world.ts"

export interface Read {
  readonly began: number
  readonly ended: number
  readonly endTick: number
  readonly beganTick: number
  /** Token of everything that a complete answer showed. */
  readonly tokens: ReadonlyMap<string, string>
}

export interface SeenIntent {
  readonly tick: number
  readonly at: number
  readonly action: Action
  /** The record that was stored in the same commit. */
  readonly record: TargetRecord | undefined
  /** The same commit drew on the window. */
  readonly debited: boolean
}

export interface SeenAct {
  readonly tick: number
  readonly action: Action
  readonly verb: "create" | "update" | "delete"
  readonly identity: string
  /** What it would make of the target. */
  readonly desired: JsonObject
  /** Monotonic, and what the wall clock said. */
  readonly at: number
  readonly wall: number
  /** How many mutations the world had seen by then. */
  readonly mutations: number
  endTick: number
}

const decoder = new TextDecoder()
const decode = <T>(value: Uint8Array): T => JSON.parse(decoder.decode(value)) as T

export class Witness {
  readonly reads: Read[] = []
  readonly intents: SeenIntent[] = []
  readonly acts: SeenAct[] = []
  /** Digest -> tick at which the journal said that a round allowed it. */
  readonly allowed = new Map<string, number>()
  /** By UID: when permission to delete became durable. */
  readonly permitted = new Map<string, { readonly tick: number; readonly at: number }>()
  rounds = 0
  readonly #clock: Clock
  readonly #world: SimWorld
  #tick = 0
  #alarm: { left: number; readonly ring: () => void } | undefined

  constructor(clock: Clock, world: SimWorld) {
    this.#clock = clock
    this.#world = world
  }

  get now(): number {
    return this.#tick
  }

  /** Rings when so many things more have passed. */
  arm(after: number, ring: () => void): void {
    this.#alarm = { left: after, ring }
  }

  disarm(): void {
    this.#alarm = undefined
  }

  #next(): number {
    const alarm = this.#alarm
    if (alarm !== undefined && --alarm.left <= 0) {
      this.#alarm = undefined
      alarm.ring()
    }
    return ++this.#tick
  }

  kind(kind: KindProvider): KindProvider {
    const { observe, list, actBatch } = kind
    const acting =
      (verb: SeenAct["verb"]): KindProvider["create"] =>
      async (target, context) => {
        const act = this.#begin(verb, target, context)
        const result = await kind[verb](target, context)
        act.endTick = this.#next()
        return result
      }
    return {
      ...kind,
      create: acting("create"),
      update: acting("update"),
      delete: acting("delete"),
      ...(observe === undefined ? {} : { observe: this.#observe(observe) }),
      ...(list === undefined ? {} : { list: this.#list(list) }),
      ...(actBatch === undefined ? {} : { actBatch: this.#batch(actBatch) }),
    }
  }

  #begin(verb: SeenAct["verb"], target: Target, { action }: ActContext): SeenAct {
    const [at, wall] = [this.#clock.monotonic(), this.#clock.now()]
    const mutations = this.#world.ledger.length
    const tick = this.#next()
    const { identity, desired } = target
    const act: SeenAct = {
      tick,
      action,
      verb,
      identity,
      desired,
      at,
      wall,
      mutations,
      endTick: tick,
    }
    this.acts.push(act)
    return act
  }

  #batch(batch: NonNullable<KindProvider["actBatch"]>): NonNullable<KindProvider["actBatch"]> {
    return async (scope, items) => {
      const acts = items.map(({ target, context }) =>
        this.#begin(context.action.verb as SeenAct["verb"], target, context),
      )
      const results = await batch(scope, items)
      for (const act of acts) act.endTick = this.#next()
      return results
    }
  }

  #observe(observe: NonNullable<KindProvider["observe"]>): NonNullable<KindProvider["observe"]> {
    return async (target, context) => {
      const start = this.#readStart()
      const seen = await observe(target, context)
      const token = seen.kind === "present" ? seen.token : undefined
      this.#readEnd(start, token === undefined ? [] : [[target.identity, token]])
      return seen
    }
  }

  #list(list: NonNullable<KindProvider["list"]>): NonNullable<KindProvider["list"]> {
    return async (scope, sample, context) => {
      const start = this.#readStart()
      const seen = await list(scope, sample, context)
      const items = seen.complete ? seen.items : []
      this.#readEnd(
        start,
        items.map(({ identity, token }) => [identity, token]),
      )
      return seen
    }
  }

  #readStart() {
    return { began: this.#clock.monotonic(), beganTick: this.#next() }
  }

  #readEnd(
    start: { readonly began: number; readonly beganTick: number },
    tokens: readonly (readonly [string, string])[],
  ): void {
    const [ended, endTick] = [this.#clock.monotonic(), this.#next()]
    this.reads.push({ ...start, ended, endTick, tokens: new Map(tokens) })
  }

  store(store: Store): Store {
    const commit: Store["commit"] = async (checks, writes) => {
      const answer = await store.commit(checks, writes)
      if (answer.kind === "committed") this.#committed(writes)
      return answer
    }
    return new Proxy(store, {
      get: (target, name) => {
        if (name === "commit") return commit
        const member: unknown = Reflect.get(target, name)
        return typeof member === "function" ? member.bind(target) : member
      },
    })
  }

  #committed(writes: readonly Write[]): void {
    if (!writes.some(({ key }) => key.startsWith("/ledger/"))) return
    const tick = this.#next()
    const at = this.#clock.monotonic()
    const puts = writes.filter((write) => write.kind === "put")
    const records = new Map<string, TargetRecord>()
    const debits = new Set<string>()
    for (const { key, value } of puts) {
      if (key.startsWith("/ledger/records/")) records.set(key.slice(16), decode(value))
      if (key.startsWith("/ledger/debits/")) {
        const uid = key.slice(key.indexOf("/", 15) + 1)
        debits.add(uid)
        if (!this.permitted.has(uid)) this.permitted.set(uid, { tick, at })
      }
      if (key.startsWith("/ledger/journal/")) this.#journaled(decode(value), tick)
    }
    for (const { key, value } of puts) {
      if (!key.startsWith("/ledger/intents/")) continue
      const { actions } = decode<{ actions: Action[] }>(value)
      for (const action of actions) {
        const debited = [...debits].some((uid) => uid.startsWith(`${action.uid}/`))
        this.intents.push({ tick, at, action, record: records.get(action.uid), debited })
      }
    }
  }

  #journaled({ event }: JournalEntry, tick: number): void {
    if (event.type !== "round") return
    this.rounds++
    for (const { digest, kind } of event.verdicts) {
      if (kind !== "allow" || digest === undefined || this.allowed.has(digest)) continue
      this.allowed.set(digest, tick)
    }
  }
}
