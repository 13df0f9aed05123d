// The only way out of the process. For every act: check at the effect, write the intent, call the
// provider through guarded handles and a deadline, write the receipt. Crash rule: an intent without
// receipt means "may have happened", and the target is observed before anything else is done.

import { withDeadline } from "../base/async.ts"
import type { Clock } from "../base/clock.ts"
import { type Fault, toFault } from "../base/faults.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Action, Verb } from "../contract/action.ts"
import type { Principal } from "../contract/principal.ts"
import type { ActContext, ActResult, KindProvider, Target } from "../contract/provider.ts"
import type { ProviderCalls } from "../contract/provider-call.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { StopSwitch } from "../contract/stop.ts"
import type { Write } from "../contract/store.ts"
import type { ActWorld } from "../contract/world.ts"
import { type Ledger, pendingIntent, type Receipt } from "../ledger/ledger.ts"
import { ActGate, type ActGatePorts } from "./act-gate.ts"
import { actuatorFault } from "./faults.ts"
import { type Gate, guardWorld } from "./guarded-world.ts"
import { InFlight } from "./in-flight.ts"
import { recordAfter } from "./record-after.ts"

/** One admitted action with everything that performing it needs. */
export interface Admitted {
  readonly action: Action
  readonly kind: KindProvider
  readonly target: Target
  /** What will have been applied when this is done, in normal form, secrets hidden. */
  readonly applied: JsonObject
  readonly record: TargetRecord
  readonly principal: Principal
  /** Budget debits, durable with the intent. Asked for only when the intent is really written. */
  debit(): readonly Write[]
  /** Written with the receipt when the act provably failed: the debit returned. */
  refund(): readonly Write[]
  /** Written with the receipt when the act is done: its approval used up. */
  used?(): readonly Write[]
}

export interface ActReport {
  readonly action: Action
  readonly result: "done" | "failed" | "unknown" | "refused"
  readonly fault?: Fault
  readonly note?: string
}

export interface Breakers {
  mayAct(connection: string): boolean
  record(connection: string, success: boolean): void
}

export interface ActuatorPorts {
  readonly ledger: Ledger
  readonly world: ActWorld
  readonly clock: Clock
  readonly stop: StopSwitch
  readonly breakers: Breakers
  readonly calls?: ProviderCalls
}

interface Attempt {
  readonly result?: ActResult
  readonly fault?: Fault
  /** The gate refused before any mutating call: whatever was thrown, nothing was changed. */
  readonly untouched: boolean
  readonly durationMs: number
}

export class Actuator {
  readonly #ports: ActuatorPorts
  readonly inFlight = new InFlight()
  readonly #gatePorts: ActGatePorts
  readonly #gates = new Set<ActGate>()
  #closing = false

  constructor(ports: ActuatorPorts) {
    this.#ports = ports
    const { stop, clock } = ports
    const { inFlight } = this
    this.#gatePorts = { stop, inFlight, closing: () => this.#closing, now: () => clock.now() }
  }

  /** No act begins any more; those under way go on. */
  close(): void {
    this.#closing = true
  }

  /** Handles that are out refuse their next mutating call. */
  cutOff(): void {
    for (const gate of this.#gates) gate.revoke()
  }

  isStopped(action: Action): boolean {
    return new ActGate([action], this.#gatePorts).stopped() !== undefined
  }

  /** Performs admitted actions of one scope together where the medium is atomic, else just one. */
  async perform(items: readonly Admitted[]): Promise<readonly ActReport[]> {
    const [first] = items
    if (first === undefined) return []
    const refusals = items.map((item) => this.#refusal(item))
    const refused = refusals.find((one) => one !== undefined)
    if (refused !== undefined) {
      // Each says its own reason, so that what it reports does not change with its company.
      return items.map(({ action }, index) => refusal(action, refusals[index] ?? refused))
    }
    const { ledger } = this.#ports
    const debits = items.flatMap((item) => item.debit())
    const intent = await ledger.begin(first.action.loop, first.principal, items, debits)
    this.#ports.calls?.acting(items.map(({ action }) => action.object))
    const attempts = await this.#attempt(items)
    this.#count(first, attempts)
    const receipts = items.map((item, index) => this.#receipt(intent.id, item, attempts[index]))
    await ledger.finish(intent, receipts)
    return items.map((item, index) => report(item.action, attempts[index], receipts[index]))
  }

  /** Why this must not begin, checked before the intent is written. */
  #refusal({ action, kind, target }: Admitted): Fault | undefined {
    if (this.#closing) return actuatorFault("SPT-ACT-005", { target: action.target })
    const stopped = new ActGate([action], this.#gatePorts).stopped()
    if (stopped !== undefined) return stopped
    const connection = kind.connection(target.desired)
    if (this.#ports.breakers.mayAct(breakerName(kind, connection))) return undefined
    const name = connection === "" ? kind.provider : connection
    return actuatorFault("SPT-ACT-003", { target: action.target, connection: name })
  }

  async #attempt(items: readonly Admitted[]): Promise<readonly Attempt[]> {
    const [first] = items
    if (first === undefined) return []
    const { clock } = this.#ports
    const gate = this.#openGate(items.map((item) => item.action))
    const started = clock.monotonic()
    const run = (signal: AbortSignal) => callProvider(items, gate, this.#ports.world, signal)
    const all = (fault: Fault): readonly Attempt[] => {
      const durationMs = clock.monotonic() - started
      return items.map(() => ({ fault, untouched: gate.untouched, durationMs }))
    }
    try {
      const timed = await withDeadline(clock, first.kind.timeoutMs.act, run)
      if (timed.kind === "done") {
        this.#note(first, true)
        const durationMs = clock.monotonic() - started
        return items.map((_, index) => attemptOf(timed.value[index], gate.untouched, durationMs))
      }
      this.#note(first, false)
      const seconds = first.kind.timeoutMs.act / 1000
      return all(actuatorFault("SPT-ACT-002", { target: first.action.target, seconds }))
    } catch (error) {
      const fault = toFault(error)
      if (fault.code !== "SPT-ACT-001") this.#note(first, false)
      return all(fault)
    } finally {
      this.#closeGate(gate)
    }
  }

  /** After a crash: lets the provider take away what the interrupted act left beside its target. */
  async cleanUp(kind: KindProvider, action: Action): Promise<void> {
    const prefix = `${kind.provider}:`
    if (kind.cleanUp === undefined || !action.target.startsWith(prefix)) return
    const gate = this.#openGate([action])
    const world = guardWorld(this.#ports.world, gate)
    const identity = action.target.slice(prefix.length)
    try {
      const run = async () => kind.cleanUp?.(identity, action.uid, world)
      await withDeadline(this.#ports.clock, kind.timeoutMs.act, run)
    } finally {
      this.#closeGate(gate)
    }
  }

  #note({ kind, target }: Admitted, success: boolean): void {
    const connection = kind.connection(target.desired)
    this.#ports.breakers.record(breakerName(kind, connection), success)
  }

  /** Of a batch the first speaks for the call. */
  #count({ kind, action }: Admitted, [first]: readonly Attempt[]): void {
    if (first === undefined) return
    const proven = first.result?.kind
    const result = proven === "done" ? "ok" : proven === "failed" ? "failed" : "unknown"
    const call = plainVerbs[action.verb]
    this.#ports.calls?.called({ kind: kind.kind, call, result, ms: first.durationMs })
  }

  #openGate(actions: readonly Action[]): ActGate {
    const gate = new ActGate(actions, this.#gatePorts)
    this.#gates.add(gate)
    return gate
  }

  #closeGate(gate: ActGate): void {
    gate.revoke()
    this.#gates.delete(gate)
  }

  #receipt(intent: string, item: Admitted, attempt: Attempt | undefined): Receipt {
    const { action, applied } = item
    const record = { ...item.record, pending: pendingIntent(intent, item) }
    const proven = provenResult(attempt)
    const now = this.#ports.ledger.time.now()
    const failed = proven?.kind === "failed"
    const error = failed ? proven.cause : attempt?.fault?.message
    return {
      action,
      result: proven === undefined ? "unknown" : proven.kind,
      ...(error === undefined ? {} : { error }),
      durationMs: attempt?.durationMs ?? 0,
      record: recordAfter(record, action, applied, proven, now),
      writes: failed ? item.refund() : proven === undefined ? [] : (item.used?.() ?? []),
    }
  }
}

/** "" for kinds without a connection: one bad local target says nothing about the others. */
export function breakerName(kind: KindProvider, connection: string): string {
  return connection === "" ? "" : `${kind.provider}|${connection}`
}

function callProvider(
  items: readonly Admitted[],
  gate: Gate,
  world: ActWorld,
  signal: AbortSignal,
): Promise<readonly ActResult[]> {
  const guarded = guardWorld(world, gate)
  const fenced = protects("token-at-the-effect")
  const calls = items.map((item) => {
    const { target } = item
    // Nothing that a provider does to it changes what is judged and noted.
    const action = Object.freeze({ ...item.action })
    const context: ActContext = {
      world: guarded,
      signal,
      action,
      idempotencyKey: `${action.uid}-${action.incarnation}${tryOf(item)}`,
      ...(action.token === undefined || !fenced ? {} : { token: action.token }),
    }
    return { target, context }
  })
  const [first] = calls
  const kind = items[0]?.kind
  if (first === undefined || kind === undefined) return Promise.resolve([])
  if (kind.actBatch !== undefined && kind.scope !== undefined) {
    return kind.actBatch(kind.scope(first.target.desired), calls.map(plainVerb))
  }
  return callOne(kind, first.target, first.context).then((result) => [result])
}

/** Nothing: a second try must be known as the same create. */
function tryOf({ record }: Admitted): string {
  return protects("same-client-token") ? "" : `-${record.pending?.id}`
}

/** What the target system has to do; a provider knows these three and nothing of judging. */
type PlainVerb = "create" | "update" | "delete"

/**
 * A replace only destroys: the next pass sees that nothing is there and creates, so that a crash
 * between the two needs no rule of its own.
 */
const plainVerbs: Readonly<Record<Verb, PlainVerb>> = {
  create: "create",
  update: "update",
  adopt: "update",
  delete: "delete",
  replace: "delete",
  loosen: "update", // Never gets here: it has no target.
}

function plainVerb<T extends { readonly context: ActContext }>(call: T): T {
  const { context } = call
  const action = { ...context.action, verb: plainVerbs[context.action.verb] }
  return { ...call, context: { ...context, action } }
}

function callOne(kind: KindProvider, target: Target, context: ActContext): Promise<ActResult> {
  return kind[plainVerbs[context.action.verb]](target, context)
}

function attemptOf(result: ActResult | undefined, untouched: boolean, durationMs: number): Attempt {
  return result === undefined ? { untouched, durationMs } : { result, untouched, durationMs }
}

/** What is certain: the provider's own word, or that the gate let no mutating call begin. */
function provenResult(attempt: Attempt | undefined): ActResult | undefined {
  if (attempt?.result !== undefined) return attempt.result
  if (attempt?.untouched !== true) {
    return protects("unknown-is-not-done") ? undefined : { kind: "done" }
  }
  return { kind: "failed", cause: attempt.fault?.message ?? "nothing was changed" }
}

function refusal(action: Action, fault: Fault): ActReport {
  return { action, result: "refused", fault }
}

function report(
  action: Action,
  attempt: Attempt | undefined,
  receipt: Receipt | undefined,
): ActReport {
  const result = receipt?.result ?? "unknown"
  const note = attempt?.result?.kind === "done" ? attempt.result.note : undefined
  const fault = attempt?.fault ?? (result === "done" ? undefined : failure(action, attempt))
  return {
    action,
    result,
    ...(fault === undefined ? {} : { fault }),
    ...(note === undefined ? {} : { note }),
  }
}

function failure(action: Action, attempt: Attempt | undefined): Fault {
  const result = attempt?.result
  const cause = result?.kind === "failed" ? result.cause : "its result is unknown"
  const stuck = result?.kind === "failed" && result.stuck === true
  const {
    errno,
    status,
    class: says,
  } = (result?.kind === "failed" ? result.failure : undefined) ?? {}
  const known = {
    ...(errno === undefined ? {} : { errno }),
    ...(status === undefined ? {} : { status }),
    ...(says === undefined ? {} : { class: says }),
  }
  const details = { verb: action.verb, target: action.target, cause, ...known }
  return stuck ? actuatorFault("SPT-ACT-006", details) : actuatorFault("SPT-ACT-007", details)
}
