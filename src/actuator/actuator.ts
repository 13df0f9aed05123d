// The only way out of the process. For every act: check at the effect, write the intent, call the
// provider through guarded handles and a deadline, write the receipt. Crash rule: an intent without
// receipt means "may have happened", and the target is observed before anything else is done.

import { withDeadline } from "../base/async.ts"
import type { Clock } from "../base/clock.ts"
import { type Fault, toFault } from "../base/faults.ts"
import type { JsonObject } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import type { Principal } from "../contract/principal.ts"
import type { ActContext, ActResult, KindProvider, Target } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import { type StopSwitch, stoppedBy, stopText } from "../contract/stop.ts"
import type { Write } from "../contract/store.ts"
import type { ActWorld } from "../contract/world.ts"
import type { Ledger, Receipt } from "../ledger/ledger.ts"
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
  /** Budget debits and approval use, durable with the intent. */
  readonly debits: readonly Write[]
  /** Written with the receipt when the act provably failed: the debit returned. */
  refund(): readonly Write[]
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
}

interface Attempt {
  readonly result?: ActResult
  readonly fault?: Fault
  /** No mutating call began: whatever was thrown, nothing was changed. */
  readonly untouched: boolean
  readonly durationMs: number
}

export class Actuator {
  readonly #ports: ActuatorPorts
  readonly inFlight: InFlight
  readonly #revocations = new Set<() => void>()
  #closing = false

  constructor(ports: ActuatorPorts) {
    this.#ports = ports
    this.inFlight = new InFlight(ports.clock)
  }

  /** No act begins any more; handles that are out refuse their next mutating call. */
  close(): void {
    this.#closing = true
    for (const revoke of this.#revocations) revoke()
  }

  /** Performs admitted actions of one scope together where the medium is atomic, else just one. */
  async perform(items: readonly Admitted[]): Promise<readonly ActReport[]> {
    const [first] = items
    if (first === undefined) return []
    for (const item of items) {
      const refused = this.#refusal(item)
      if (refused !== undefined) return items.map(({ action }) => refusal(action, refused))
    }
    const { ledger } = this.#ports
    const debits = items.flatMap((item) => item.debits)
    const intent = await ledger.begin(first.action.loop, first.principal, items, debits)
    const attempts = await this.#attempt(items)
    const receipts = items.map((item, index) => this.#receipt(item, attempts[index]))
    await ledger.finish(intent, receipts)
    return items.map((item, index) => report(item.action, attempts[index], receipts[index]))
  }

  /** Why this must not begin, checked before the intent is written. */
  #refusal({ action, kind, target }: Admitted): Fault | undefined {
    if (this.#closing) return actuatorFault("SPT-ACT-005", { target: action.target })
    const stopped = this.#stopped(action)
    if (stopped !== undefined) return stopped
    const connection = kind.connection(target.desired)
    if (this.#ports.breakers.mayAct(breakerName(kind, connection))) return undefined
    const name = connection === "" ? kind.provider : connection
    return actuatorFault("SPT-ACT-003", { target: action.target, connection: name })
  }

  #stopped(action: Action): Fault | undefined {
    const destructive = action.verb === "delete" || action.verb === "replace"
    const entry = stoppedBy(this.#ports.stop.entries(), action.loop, destructive)
    if (entry === undefined) return undefined
    return actuatorFault("SPT-ACT-001", { target: action.target, stop: stopText(entry) })
  }

  async #attempt(items: readonly Admitted[]): Promise<readonly Attempt[]> {
    const [first] = items
    if (first === undefined) return []
    const { clock } = this.#ports
    const gates = items.map((item) => this.#gate(item.action))
    const started = clock.monotonic()
    const run = (signal: AbortSignal) => callProvider(items, gates, this.#ports.world, signal)
    try {
      const timed = await withDeadline(clock, first.kind.timeoutMs.act, run)
      const durationMs = clock.monotonic() - started
      if (timed.kind === "done") {
        this.#note(first, true)
        return items.map((_, index) => attemptOf(timed.value[index], gates[index], durationMs))
      }
      this.#note(first, false)
      const seconds = first.kind.timeoutMs.act / 1000
      const fault = actuatorFault("SPT-ACT-002", { target: first.action.target, seconds })
      return items.map((_, index) => ({ fault, untouched: gates[index]?.begun === 0, durationMs }))
    } catch (error) {
      const fault = toFault(error)
      const durationMs = clock.monotonic() - started
      if (fault.code !== "SPT-ACT-001") this.#note(first, false)
      return items.map((_, index) => ({ fault, untouched: gates[index]?.begun === 0, durationMs }))
    } finally {
      for (const gate of gates) gate.revoke()
    }
  }

  #note({ kind, target }: Admitted, success: boolean): void {
    const connection = kind.connection(target.desired)
    this.#ports.breakers.record(breakerName(kind, connection), success)
  }

  #gate(action: Action): Gate & { begun: number; revoke(): void } {
    const { object, target, loop } = action
    let revoked = false
    const revoke = () => {
      revoked = true
      this.#revocations.delete(revoke)
    }
    this.#revocations.add(revoke)
    const gate = {
      begun: 0,
      enter: (call: string) => {
        if (revoked) throw actuatorFault("SPT-ACT-004", { target })
        const stopped = this.#stopped(action)
        if (stopped !== undefined) throw stopped
        gate.begun++
        return this.inFlight.begin({ loop, object, target, call })
      },
      leave: (id: number, outcome: "done" | "failed") => this.inFlight.end(id, outcome),
      revoke,
    }
    return gate
  }

  #receipt(item: Admitted, attempt: Attempt | undefined): Receipt {
    const { action, record, applied } = item
    const proven = provenResult(attempt)
    const now = this.#ports.ledger.time.now()
    const failed = proven?.kind === "failed"
    const error = failed ? proven.cause : attempt?.fault?.message
    return {
      action,
      result: proven === undefined ? "unknown" : proven.kind,
      ...(error === undefined ? {} : { error }),
      durationMs: attempt?.durationMs ?? 0,
      record: recordAfter(pendingOf(record, action), action, applied, proven, now),
      writes: failed ? item.refund() : [],
    }
  }
}

function pendingOf(record: TargetRecord, action: Action): TargetRecord {
  const { verb, digest } = action
  return { ...record, pending: { id: digest, verb, digest, begun: true } }
}

/** "" for kinds without a connection: one bad local target says nothing about the others. */
export function breakerName(kind: KindProvider, connection: string): string {
  return connection === "" ? "" : `${kind.provider}|${connection}`
}

function callProvider(
  items: readonly Admitted[],
  gates: readonly Gate[],
  world: ActWorld,
  signal: AbortSignal,
): Promise<readonly ActResult[]> {
  const calls = items.map((item, index) => {
    const { action, target } = item
    const guarded = guardWorld(world, gates[index] as Gate)
    const context: ActContext = {
      world: guarded,
      signal,
      action,
      idempotencyKey: `${action.uid}-${action.incarnation}`,
      ...(action.token === undefined ? {} : { token: action.token }),
    }
    return { target, context, kind: item.kind, verb: action.verb }
  })
  const [first] = calls
  if (first === undefined) return Promise.resolve([])
  const { kind } = first
  if (kind.actBatch !== undefined && kind.scope !== undefined) {
    return kind.actBatch(kind.scope(first.target.desired), calls)
  }
  return callOne(kind, first.target, first.context).then((result) => [result])
}

function callOne(kind: KindProvider, target: Target, context: ActContext): Promise<ActResult> {
  switch (context.action.verb) {
    case "create":
      return kind.create(target, context)
    case "update":
    case "adopt":
      return kind.update(target, context)
    // A replace only destroys: the next pass sees that nothing is there and creates, so that a
    // crash between the two needs no rule of its own.
    case "delete":
    case "replace":
      return kind.delete(target, context)
  }
}

function attemptOf(
  result: ActResult | undefined,
  gate: { begun: number } | undefined,
  durationMs: number,
): Attempt {
  const untouched = gate?.begun === 0
  return result === undefined ? { untouched, durationMs } : { result, untouched, durationMs }
}

/** What is certain: the provider's own word, or that no mutating call ever began. */
function provenResult(attempt: Attempt | undefined): ActResult | undefined {
  if (attempt?.result !== undefined) return attempt.result
  if (attempt?.untouched !== true) return undefined
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
  const details = { verb: action.verb, target: action.target, cause }
  return stuck ? actuatorFault("SPT-ACT-006", details) : actuatorFault("SPT-ACT-007", details)
}
