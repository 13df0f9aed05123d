// Reads targets. Every read has a deadline, passes rate limit and breaker, and is dated by when it
// began. A read that fails, hangs or comes back in part is `unknown`, never absent. Targets of one
// scope share a listing as long as it began late enough for each of them.

import { breakerName } from "../actuator/actuator.ts"
import { withDeadline } from "../base/async.ts"
import type { Breath } from "../base/breath.ts"
import type { Clock } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import { type Failure, failureOf } from "../contract/diagnosis.ts"
import {
  absent,
  type Dated,
  type ListedItem,
  type Listing,
  type Observation,
  unknown,
} from "../contract/observation.ts"
import type { KindProvider, Target } from "../contract/provider.ts"
import type { ProviderCall, ProviderCalls } from "../contract/provider-call.ts"
import type { ReadWorld } from "../contract/world.ts"

export interface ConnectionGate {
  /** Waits for the rate limit; false when the breaker lets no read through. */
  enterRead(connection: string): Promise<boolean>
  record(connection: string, success: boolean): void
}

export interface ObserverPorts {
  readonly clock: Clock
  readonly world: ReadWorld
  readonly gate: ConnectionGate
  /** Taken before a read, where many passes over one listing would never end their turn. */
  readonly breath?: Breath
  readonly calls?: ProviderCalls
}

interface DatedListing {
  readonly asOf: number
  readonly listing: Listing
  readonly byIdentity: ReadonlyMap<string, ListedItem>
}

interface ScopeState {
  last: DatedListing | undefined
  running: { readonly asOf: number; readonly result: Promise<DatedListing> } | undefined
}

/** The connection gave no usable answer; a `stuck` one did: that is about the one target. */
function isDoubt(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false
  if ("complete" in answer) return answer.complete === false
  return "cause" in answer && !("stuck" in answer)
}

const passing: Failure = { class: "Transient" }

/** Names one listable scope over all providers; "" for kinds that are read one by one. */
export function scopeKey(kind: KindProvider, target: Target): string {
  if (kind.scope === undefined) return ""
  return `${kind.provider}|${kind.connection(target.desired)}|${kind.scope(target.desired)}`
}

export class Observer {
  readonly #clock: Clock
  readonly #world: ReadWorld
  readonly #gate: ConnectionGate
  readonly #breath: Breath | undefined
  readonly #calls: ProviderCalls | undefined
  readonly #scopes = new Map<string, ScopeState>()

  constructor(ports: ObserverPorts) {
    this.#clock = ports.clock
    this.#calls = ports.calls
    this.#breath = ports.breath
    this.#world = ports.world
    this.#gate = ports.gate
  }

  /** `notBefore` (monotonic): the read must have begun after this. */
  async observe(
    kind: KindProvider,
    target: Target,
    notBefore: number,
  ): Promise<Dated<Observation>> {
    await this.#breath?.due()
    if (kind.list === undefined || kind.scope === undefined) return this.#single(kind, target)
    const dated = await this.listScope(kind, target, notBefore)
    const item = dated.byIdentity.get(target.identity)
    const { asOf, listing } = dated
    if (item !== undefined) {
      const { identity: _, ...facts } = item
      const partial = listing.complete ? {} : ({ partial: true } as const)
      return { kind: "present", ...facts, ...partial, asOf }
    }
    if (!listing.complete && protects("partial-list-is-doubt")) {
      const cause = listing.cause ?? "the list is not complete"
      return { ...unknown(cause, false, listing.failure), asOf }
    }
    return { ...absent(`not in a complete list of ${kind.scope(target.desired)}`), asOf }
  }

  /** Changes whenever a full observation could differ; undefined when the kind can't say. */
  fingerprint(kind: KindProvider, target: Target): string | undefined {
    return this.fingerprints(kind, [target.identity])[0]
  }

  fingerprints(kind: KindProvider, identities: readonly string[]): readonly (string | undefined)[] {
    return kind.fingerprints?.(identities, this.#world) ?? []
  }

  /** A listing of the sample's scope that began after `notBefore`. */
  async listScope(kind: KindProvider, sample: Target, notBefore: number): Promise<DatedListing> {
    const scope = kind.scope?.(sample.desired) ?? ""
    const key = scopeKey(kind, sample)
    const state = this.#scopes.get(key) ?? { last: undefined, running: undefined }
    this.#scopes.set(key, state)
    for (;;) {
      if (state.last !== undefined && state.last.asOf >= notBefore) return state.last
      const { running } = state
      if (running === undefined) return this.#startListing(kind, scope, sample, state)
      const finished = await running.result
      if (running.asOf >= notBefore) return finished
    }
  }

  /** Listings are kept only as long as a pass needs them. */
  forgetListings(): void {
    for (const state of this.#scopes.values()) state.last = undefined
  }

  #startListing(
    kind: KindProvider,
    scope: string,
    sample: Target,
    state: ScopeState,
  ): Promise<DatedListing> {
    const asOf = this.#clock.monotonic()
    const result = this.#list(kind, scope, sample, asOf).then((dated) => {
      state.last = dated
      state.running = undefined
      return dated
    })
    state.running = { asOf, result }
    return result
  }

  async #list(
    kind: KindProvider,
    scope: string,
    sample: Target,
    asOf: number,
  ): Promise<DatedListing> {
    const failed = (cause: string, failure?: Failure): Listing => {
      return { items: [], complete: false, cause, ...(failure === undefined ? {} : { failure }) }
    }
    const listing = await this.#guarded(kind, sample, failed, async (signal) => {
      const answer = await kind.list?.(scope, sample, { world: this.#world, signal })
      return answer ?? failed("the kind has no list")
    })
    const byIdentity = new Map(listing.items.map((item) => [item.identity, item]))
    return { asOf, listing, byIdentity }
  }

  async #single(kind: KindProvider, target: Target): Promise<Dated<Observation>> {
    const asOf = this.#clock.monotonic()
    const failed = (cause: string, failure?: Failure) => unknown(cause, false, failure)
    const observation = await this.#guarded<Observation>(kind, target, failed, async (signal) => {
      const context = { world: this.#world, signal }
      return (await kind.observe?.(target, context)) ?? unknown("the kind can't be observed")
    })
    const taken = observation.kind === "unknown" && !protects("unknown-is-not-absent")
    return { ...(taken ? absent(observation.cause) : observation), asOf }
  }

  async #guarded<T>(
    kind: KindProvider,
    target: Target,
    failed: (cause: string, failure?: Failure) => T,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const connection = breakerName(kind, kind.connection(target.desired))
    const asked = this.#clock.monotonic()
    const entered = await this.#gate.enterRead(connection)
    const started = this.#clock.monotonic()
    if (connection !== "") this.#calls?.limited(kind.kind, target.object, started - asked)
    if (!entered) {
      return failed("calls to this connection fail; its breaker is open", passing)
    }
    try {
      const limitMs = protects("reads-have-deadlines") ? kind.timeoutMs.observe : Infinity
      const timed = await withDeadline(this.#clock, limitMs, read)
      const known = timed.kind === "done" && !isDoubt(timed.value)
      this.#gate.record(connection, known)
      this.#count(kind, started, known ? "ok" : "unknown")
      if (timed.kind === "done") return timed.value
      return failed(`no answer within ${kind.timeoutMs.observe / 1000} s`, passing)
    } catch (error) {
      this.#gate.record(connection, false)
      this.#count(kind, started, "failed")
      return failed(toFault(error).message, failureOf(error))
    }
  }

  #count(kind: KindProvider, started: number, result: ProviderCall["result"]): void {
    const call = kind.list === undefined ? "observe" : "list"
    this.#calls?.called({ kind: kind.kind, call, result, ms: this.#clock.monotonic() - started })
  }
}
