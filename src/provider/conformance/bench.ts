// One examination: a fresh system, the provider's functions called as the engine calls them, every
// call bounded. What a provider throws is doubt ("unknown"), never an answer.

import { withDeadline } from "../../base/async.ts"
import type { Clock } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import { canonicalJson, type Json, type JsonObject } from "../../base/json.ts"
import { finishAction } from "../../contract/action.ts"
import { absent, type Listing, type Observation, unknown } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider, Target } from "../../contract/provider.ts"
import type { ActWorld } from "../../contract/world.ts"
import { firstDifference } from "./matches.ts"
import type { ConformanceSetup, ConformanceSubject, FaultMode, Outside } from "./subject.ts"
import { readingWorld } from "./world-tap.ts"

export type ActVerb = "create" | "update" | "delete"
export type ActOutcome = ActResult | { readonly kind: "unknown"; readonly cause: string }

export interface CallOptions {
  readonly world?: ActWorld
  /** Aborts the call's signal so much later; without it only at the limit. */
  readonly abortAfterMs?: number
}

export interface ActOptions extends CallOptions {
  readonly token?: string
  readonly idempotencyKey?: string
}

export interface Seen {
  readonly observation: Observation
  readonly listing?: Listing
}

export class Violation extends Error {}

export function must(claim: unknown, cause: string): asserts claim {
  if (!claim) throw new Violation(cause)
}

export class Bench {
  readonly kind: KindProvider
  readonly outside: Outside
  readonly setup: ConformanceSetup
  /** Attempts to change something with a reading handle. */
  readonly refused: string[] = []
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #externalIds = new Map<string, string>()

  constructor(subject: ConformanceSubject, setup: ConformanceSetup, clock: Clock) {
    this.kind = subject.kind
    this.setup = setup
    this.outside = setup.outside
    this.#clock = clock
    this.#limitMs = subject.limitMs ?? 5000
  }

  get samples() {
    return this.setup.samples
  }

  targetOf(spec: JsonObject): Target {
    const identity = this.kind.identity(spec)
    const externalId = this.#externalIds.get(identity)
    const uid = `00000000-0000-4000-8000-${sha256(identity).slice(0, 12)}`
    const object = `${this.kind.resource}.${this.kind.group}/default/t-${uid.slice(-12)}`
    const base = { uid, object, desired: spec, identity }
    return externalId === undefined ? base : { ...base, externalId }
  }

  async see(spec: JsonObject, options: CallOptions = {}): Promise<Seen> {
    const world = readingWorld(options.world ?? this.setup.world, (name) => this.refused.push(name))
    const target = this.targetOf(spec)
    const { kind } = this
    const read = async (signal: AbortSignal): Promise<Seen> => {
      if (kind.list === undefined || kind.scope === undefined) {
        const seen = await kind.observe?.(target, { world, signal })
        return { observation: seen ?? unknown("the kind has no observe") }
      }
      const listing = await kind.list(kind.scope(spec), target, { world, signal })
      return { observation: pick(listing, target.identity), listing }
    }
    const seen = await this.bounded("reading", options, read, (cause) => ({
      observation: unknown(cause),
    }))
    if (seen.observation.kind === "present" && seen.observation.externalId !== undefined) {
      this.#externalIds.set(target.identity, seen.observation.externalId)
    }
    return seen
  }

  async observe(spec: JsonObject, options: CallOptions = {}): Promise<Observation> {
    return (await this.see(spec, options)).observation
  }

  async act(verb: ActVerb, spec: JsonObject, options: ActOptions = {}): Promise<ActOutcome> {
    const target = this.targetOf(spec)
    const result = await this.bounded<ActOutcome>(
      verb,
      options,
      (signal) => this.kind[verb](target, this.contextOf(verb, target, options, signal)),
      (cause) => ({ kind: "unknown", cause }),
    )
    const kinds: readonly unknown[] = ["done", "failed", "unknown"]
    must(kinds.includes(result?.kind), `${verb} answered ${JSON.stringify(result)}`)
    if (result.kind === "done" && result.externalId !== undefined) {
      this.#externalIds.set(target.identity, result.externalId)
    }
    return result
  }

  contextOf(verb: ActVerb, target: Target, options: ActOptions, signal: AbortSignal): ActContext {
    const { kind } = this
    const token = options.token === undefined ? {} : { token: options.token }
    const action = finishAction({
      ...{ verb, uid: target.uid, object: target.object, kind: kind.kind, loop: "default.default" },
      ...{ generation: 1, incarnation: 1, changes: [], ...token },
      target: `${kind.provider}|${kind.connection(target.desired)}|${target.identity}`,
      cause: { kind: "edit", text: "asked for by the conformance suite" },
    })
    const world = options.world ?? this.setup.world
    const idempotencyKey = options.idempotencyKey ?? `${target.uid}-1`
    return { world, signal, action, idempotencyKey, ...token }
  }

  /** Forgets the names the system gave, as a crash before the receipt does. */
  forget(): void {
    this.#externalIds.clear()
  }

  /** Creates the target and returns its token. */
  async make(spec: JsonObject): Promise<string> {
    const made = await this.act("create", spec)
    must(made.kind === "done", `create failed in calm weather: ${JSON.stringify(made)}`)
    return await this.tokenOf(spec)
  }

  async tokenOf(spec: JsonObject): Promise<string> {
    const seen = await this.observe(spec)
    must(seen.kind === "present", `a created target is ${describeSeen(seen)}`)
    return seen.token
  }

  async mustMatch(spec: JsonObject, when: string): Promise<void> {
    const seen = await this.observe(spec)
    must(seen.kind === "present", `${when} the target is ${describeSeen(seen)}`)
    const difference = firstDifference(this.kind, spec, seen.value)
    must(difference === undefined, `${when} the field ${difference} is not as desired`)
  }

  /** What the engine does after a crash or doubt: observe, act, until it is as desired. */
  async converge(spec: JsonObject, wanted: "there" | "gone"): Promise<void> {
    let last = "never observed"
    for (let round = 0; round < 6; round++) {
      const seen = await this.observe(spec)
      last = describeSeen(seen)
      if (seen.kind === "unknown") continue
      if (seen.kind === "absent") {
        if (wanted === "gone") return
        await this.act("create", spec)
      } else if (wanted === "gone") await this.act("delete", spec, { token: seen.token })
      else if (firstDifference(this.kind, spec, seen.value) === undefined) return
      else await this.act("update", spec, { token: seen.token })
    }
    throw new Violation(`it does not converge: after six rounds the target is ${last}`)
  }

  async snapshot(): Promise<ReadonlyMap<string, string>> {
    const listed = await this.outside.list()
    return new Map([...listed].map(([identity, value]) => [identity, canonicalJson(value as Json)]))
  }

  async arm(mode: FaultMode): Promise<void> {
    await this.outside.failNext(mode)
  }

  /** What the call throws is doubt; a call that does not end breaks the rule. */
  async bounded<T>(
    what: string,
    options: CallOptions,
    task: (signal: AbortSignal) => Promise<T>,
    doubt: (cause: string) => T,
  ): Promise<T> {
    const abort = new AbortController()
    const timer =
      options.abortAfterMs === undefined
        ? undefined
        : this.#clock.after(options.abortAfterMs, () => abort.abort())
    const caught = async (signal: AbortSignal) => {
      try {
        return await task(signal)
      } catch (error) {
        return doubt(error instanceof Error ? error.message : String(error))
      }
    }
    const timed = await withDeadline(this.#clock, this.#limitMs, caught, abort.signal)
    timer?.cancel()
    must(timed.kind === "done", `${what} did not end within ${this.#limitMs} ms`)
    return timed.value
  }
}

function pick(listing: Listing, identity: string): Observation {
  const item = listing.items.find((candidate) => candidate.identity === identity)
  if (item !== undefined) return { kind: "present", ...item }
  if (listing.complete) return absent(listing.token ?? "it is not in a complete list")
  return unknown(listing.cause ?? "the list is not complete")
}

export function describeSeen(seen: Observation): string {
  if (seen.kind === "present") return "present"
  return `${seen.kind} (${seen.kind === "absent" ? seen.proof : seen.cause})`
}

export function sameSnapshot(
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value)
}
