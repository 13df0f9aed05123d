// A simulated system with targets in it. It keeps its own ledger of every mutation by anyone,
// so that a test can judge what was really done, independent of what anybody reports. It must never
// know of the engine: it answers calls, and it misbehaves as its faults say.

import { type Clock, sleep } from "../base/clock.ts"
import { equalJson, type JsonObject } from "../base/json.ts"
import { simFault } from "./faults.ts"
import type { Scheduler } from "./scheduler.ts"
import { type SimCall, type SimFaultRule, SimFaults } from "./sim-faults.ts"
import type { Trace } from "./trace.ts"

export interface SimTarget {
  readonly externalId: string
  readonly identity: string
  readonly scope: string
  readonly value: JsonObject
  readonly version: number
  readonly mark?: string
  readonly clientToken?: string
}

export interface SimMutation {
  readonly sequence: number
  readonly verb: "created" | "updated" | "deleted"
  readonly identity: string
  readonly externalId: string
  /** UID of the object on whose behalf, or a name that the test gave. */
  readonly who: string
  readonly before?: JsonObject
  readonly after?: JsonObject
  readonly atMs: number
}

export interface NewTarget {
  readonly identity: string
  readonly scope?: string
  readonly value: JsonObject
  readonly mark?: string
  readonly clientToken?: string
}

export interface TargetChange {
  readonly value: JsonObject
  readonly mark?: string
}

export interface SimWorldOptions {
  readonly clock: Clock
  readonly trace?: Trace
  /** Calls park here before they take effect, to be interleaved by the seed. */
  readonly scheduler?: Scheduler
  /** Reads see what was true so long ago. */
  readonly staleMs?: number
  /** How the system writes values down: normal forms, values that it adds by itself. */
  readonly decorate?: (value: JsonObject) => JsonObject
}

/** How one state of a target looked, and from when on. */
interface Past {
  readonly sinceMs: number
  readonly target: SimTarget | undefined
}

const pastMax = 64

export class SimWorld {
  readonly faults = new SimFaults()
  /** May be changed while it runs. */
  staleMs: number
  readonly #options: SimWorldOptions
  readonly #targets = new Map<string, SimTarget>()
  readonly #pasts = new Map<string, Past[]>()
  /** Every id that ever had this identity. */
  readonly #idsByIdentity = new Map<string, string[]>()
  readonly #ledger: SimMutation[] = []
  readonly #calls: Record<SimCall, number> = {
    observe: 0,
    list: 0,
    create: 0,
    update: 0,
    delete: 0,
    batch: 0,
  }
  #identifiers = 0

  constructor(options: SimWorldOptions) {
    this.#options = options
    this.staleMs = options.staleMs ?? 0
  }

  /** Every mutation there ever was, oldest first. */
  get ledger(): readonly SimMutation[] {
    return this.#ledger
  }

  /** Calls that arrived, also those that failed. */
  get calls(): Readonly<Record<SimCall, number>> {
    return this.#calls
  }

  /** What is really there. */
  targets(): readonly SimTarget[] {
    return [...this.#targets.values()]
  }

  /** What is really there under this identity; more than one means that something went wrong. */
  find(identity: string): readonly SimTarget[] {
    return this.findSeen(identity, 0)
  }

  get(externalId: string): SimTarget | undefined {
    return this.#targets.get(externalId)
  }

  /** What a read that lags behind sees. */
  seen(externalId: string, delayMs: number): SimTarget | undefined {
    if (delayMs <= 0) return this.#targets.get(externalId)
    const asOf = this.#options.clock.monotonic() - delayMs
    return this.#pasts.get(externalId)?.findLast((past) => past.sinceMs <= asOf)?.target
  }

  findSeen(identity: string, delayMs: number): readonly SimTarget[] {
    const ids = this.#idsByIdentity.get(identity) ?? []
    return ids.map((id) => this.seen(id, delayMs)).filter((target) => target !== undefined)
  }

  allSeen(delayMs: number): readonly SimTarget[] {
    if (delayMs <= 0) return this.targets()
    const ids = [...this.#pasts.keys()]
    return ids.map((id) => this.seen(id, delayMs)).filter((target) => target !== undefined)
  }

  create(input: NewTarget, who: string): SimTarget {
    const { mark, clientToken } = input
    const target: SimTarget = {
      externalId: `sim-${++this.#identifiers}`,
      identity: input.identity,
      scope: input.scope ?? "",
      value: this.#decorated(input.value),
      version: 1,
      ...(mark === undefined ? {} : { mark }),
      ...(clientToken === undefined ? {} : { clientToken }),
    }
    const ids = this.#idsByIdentity.get(target.identity) ?? []
    this.#idsByIdentity.set(target.identity, [...ids, target.externalId])
    this.#put("created", target.externalId, undefined, target, who)
    return target
  }

  update(externalId: string, change: TargetChange, who: string): SimTarget {
    const before = this.#existing(externalId)
    const value = this.#decorated(change.value)
    const target = { ...before, ...change, value, version: before.version + 1 }
    this.#put("updated", externalId, before, target, who)
    return target
  }

  delete(externalId: string, who: string): void {
    this.#put("deleted", externalId, this.#existing(externalId), undefined, who)
  }

  /** Out-of-band change of the one target with this identity: drift. */
  edit(identity: string, change: JsonObject, who = "somebody"): void {
    const target = this.#only(identity)
    const value = { ...target.value, ...change }
    if (!equalJson(value, target.value)) this.update(target.externalId, { value }, who)
  }

  /** Out-of-band removal of the one target with this identity. */
  remove(identity: string, who = "somebody"): void {
    this.delete(this.#only(identity).externalId, who)
  }

  /** One call from outside: the faults decide what becomes of it. */
  async serve<T>(
    call: SimCall,
    identities: readonly string[],
    signal: AbortSignal,
    effect: (rule: SimFaultRule | undefined) => T,
  ): Promise<T> {
    this.#calls[call]++
    const { clock, scheduler } = this.#options
    if (scheduler !== undefined) await scheduler.point(`${call} ${identities.join(" ")}`)
    const rule = this.faults.match(call, identities)
    if (rule !== undefined) this.#options.trace?.add(`fault ${rule.how} on ${call}`)
    if (rule?.how === "slow") await sleep(clock, rule.ms ?? 1000, signal)
    if (rule?.how === "hang") await hang(signal)
    signal.throwIfAborted()
    if (rule !== undefined && isFailure(rule.how)) throw failure(rule.how)
    if (rule?.how === "late") {
      const landed = sleep(clock, rule.ms ?? 60_000).then(() => effect(rule))
      return Promise.race([landed, hang(signal)])
    }
    const result = effect(rule)
    if (rule?.how === "hangAfter") await hang(signal)
    if (rule?.how === "lostReply" || rule?.how === "half") throw failure("lostReply")
    return result
  }

  /** What the system does by itself, after a while. */
  later(ms: number, effect: () => void): void {
    sleep(this.#options.clock, ms)
      .then(effect)
      .catch(() => {}) // It may have been done already.
  }

  #decorated(value: JsonObject): JsonObject {
    return this.#options.decorate?.(value) ?? value
  }

  #existing(externalId: string): SimTarget {
    const target = this.#targets.get(externalId)
    if (target !== undefined) return target
    throw simFault("SPT-SIM-003", { where: externalId, what: "there is no such target" })
  }

  #only(identity: string): SimTarget {
    const [target, ...more] = this.find(identity)
    if (target !== undefined && more.length === 0) return target
    const what = `there are ${this.find(identity).length} targets of that identity`
    throw simFault("SPT-SIM-003", { where: identity, what })
  }

  #put(
    verb: SimMutation["verb"],
    externalId: string,
    before: SimTarget | undefined,
    after: SimTarget | undefined,
    who: string,
  ): void {
    const atMs = this.#options.clock.monotonic()
    const identity = (after ?? before)?.identity ?? ""
    if (after === undefined) this.#targets.delete(externalId)
    else this.#targets.set(externalId, after)
    const pasts = this.#pasts.get(externalId) ?? []
    this.#pasts.set(externalId, [...pasts.slice(1 - pastMax), { sinceMs: atMs, target: after }])
    const sequence = this.#ledger.length + 1
    this.#ledger.push({
      ...{ sequence, verb, identity, externalId, who, atMs },
      ...(before === undefined ? {} : { before: before.value }),
      ...(after === undefined ? {} : { after: after.value }),
    })
    this.#options.trace?.add(`${sequence} ${atMs} ${verb} ${identity} ${externalId} by ${who}`)
  }
}

const statusOf = { unauthorized: 401, refused: 422, throttled: 429, serverError: 503 } as const

type Failing = keyof typeof statusOf

function isFailure(how: SimFaultRule["how"]): how is Failing {
  return Object.hasOwn(statusOf, how)
}

function failure(how: Failing | "lostReply") {
  const status = how === "lostReply" ? 0 : statusOf[how]
  const what = status === 0 ? "the connection was reset" : `status ${status}`
  return simFault("SPT-SIM-003", { where: "the simulated system", what, status })
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
