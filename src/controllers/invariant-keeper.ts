// Follows Invariant objects, evaluates them when something of their loop was observed anew, and
// reports: status, journal, events. One that stays broken does what it says: stops its loop or only
// deletes, asks for its correction. A loop that nothing happens in costs nothing.

import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { at, equalJson, type Json, type JsonObject } from "../base/json.ts"
import type { InvariantState } from "../contract/invariant.ts"
import type { JournalEvent } from "../contract/journal.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Checked } from "../guard/judge-invariant.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type ApiObject, apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import type { EventNote } from "./event-recorder.ts"
import type { InvariantBook } from "./invariant-book.ts"
import { type CompiledInvariant, compileInvariant } from "./invariant-spec.ts"

export interface InvariantKeeperPorts {
  readonly clock: Clock
  readonly book: InvariantBook
  readonly ledger: Pick<Ledger, "note">
  readonly recorder: { note(note: EventNote): void }
  writeStatus(invariant: CompiledInvariant, status: JsonObject): Promise<void>
  /** Writes a stop of the invariant's loop. */
  stop(invariant: CompiledInvariant, scope: "all" | "deletes", reason: string): Promise<void>
  /** Asks for the correction; answers with what came of it. */
  correct(invariant: CompiledInvariant): Promise<string>
  /** Objects of these kinds have to be looked at. */
  look(loop: string, kinds: readonly string[]): void
  wake(key: string): void
  failed(error: unknown): void
}

export interface Troubled {
  readonly name: string
  readonly state: InvariantState
  readonly message: string
}

/** As the views show it. */
export interface InvariantStanding {
  readonly invariant: CompiledInvariant
  /** Missing until it was judged for the first time. */
  readonly state: InvariantState | undefined
  readonly since: string
  readonly message: string
  readonly evidence: readonly string[]
  readonly correction: string | undefined
  /** Wall time of the last evaluation; missing before the first since the start. */
  readonly checkedAt: number | undefined
  /** What it is meanwhile, when that has not lasted for long enough to be told. */
  readonly turning: InvariantState | undefined
}

interface Kept {
  readonly invariant: CompiledInvariant
  /** As it was last told. */
  state: InvariantState | undefined
  since: string
  /** What it is meanwhile, and since when (monotonic): told when it lasts. */
  pending: { readonly state: InvariantState; readonly since: number } | undefined
  correction: string | undefined
  message: string
  written: Json | undefined
  evidence: readonly string[]
  checkedAt: number | undefined
}

const quietMs = 100
const states: Readonly<Record<Checked["kind"], InvariantState>> = {
  holds: "Holding",
  broken: "Broken",
  unknown: "Unknown",
}

export class InvariantKeeper {
  readonly #ports: InvariantKeeperPorts
  readonly #kept = new Map<string, Kept>()
  readonly #timers = new Map<string, { readonly timer: Timer; readonly at: number }>()
  readonly #denied = new Map<string, Set<string>>()
  #work: Promise<void> = Promise.resolve()
  #closed = false

  constructor(ports: InvariantKeeperPorts) {
    this.#ports = ports
  }

  /** Made or changed (undefined: removed); our own status writes change nothing. */
  put(key: string, object: ApiObject | undefined): void {
    const { book } = this.#ports
    const known = this.#kept.get(key)?.invariant
    if (object === undefined) {
      this.#kept.delete(key)
      book.remove(key)
      if (known !== undefined) this.changed(known.loop)
      return
    }
    const { uid, generation } = object.metadata
    if (known !== undefined && known.uid === uid && known.generation === generation) return
    const invariant = compileInvariant(object)
    book.put(key, invariant)
    this.#kept.set(key, {
      invariant,
      state: stateOf(at(object.status, "state")),
      since: String(at(object.status, "since") ?? ""),
      pending: undefined,
      correction: undefined,
      message: String(at(object.status, "message") ?? ""),
      written: undefined,
      evidence: [],
      checkedAt: undefined,
    })
    this.#ports.look(invariant.loop, invariant.spec.kinds)
    this.changed(invariant.loop)
    if (known !== undefined && known.loop !== invariant.loop) this.changed(known.loop)
  }

  /** Something of this loop was observed anew. */
  changed(loop: string, afterMs = quietMs): void {
    const { book, clock } = this.#ports
    const concerned = book.ofLoop(loop).length > 0 || this.#denied.has(loop)
    const due = clock.monotonic() + afterMs
    const known = this.#timers.get(loop)
    if (this.#closed || !concerned || (known !== undefined && known.at <= due)) return
    known?.timer.cancel()
    const evaluate = () => {
      this.#timers.delete(loop)
      this.#work = this.#work.then(() => this.#evaluate(loop)).catch(this.#ports.failed)
    }
    this.#timers.set(loop, { timer: clock.after(afterMs, evaluate), at: due })
  }

  signalChanged(namespace: string, name: string): void {
    for (const { invariant } of this.#kept.values()) {
      if (invariant.namespace !== namespace || !invariant.spec.signals.includes(name)) continue
      this.changed(invariant.loop)
    }
  }

  /** An invariant denied it: it is tried again when its loop was observed anew. */
  denied(loop: string, key: string): void {
    const keys = this.#denied.get(loop) ?? new Set<string>()
    this.#denied.set(loop, keys.add(key))
  }

  /** Those of a loop that do not hold, for status views. */
  troubled(loop: string): readonly Troubled[] {
    return [...this.#kept.values()].flatMap(({ invariant, state, message }) => {
      if (invariant.loop !== loop || state === "Holding" || state === undefined) return []
      return [{ name: invariant.name, state, message }]
    })
  }

  /** All of them, as they stand. */
  standing(): readonly InvariantStanding[] {
    return [...this.#kept.values()].map((kept) => {
      const { invariant, state, since, message, evidence, correction, checkedAt, pending } = kept
      const known = { invariant, state, since, message, evidence, correction, checkedAt }
      return { ...known, turning: pending?.state }
    })
  }

  /** How many are in which state, by loop; those not judged yet are left out. */
  *states(): Generator<readonly [loop: string, state: InvariantState]> {
    for (const { invariant, state } of this.#kept.values()) {
      if (state !== undefined) yield [invariant.loop, state]
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { timer } of this.#timers.values()) timer.cancel()
    await this.#work
  }

  async #evaluate(loop: string): Promise<void> {
    if (this.#closed) return
    for (const kept of [...this.#kept.values()]) {
      if (kept.invariant.loop === loop) await this.#judge(kept)
    }
    this.#ports.book.forgetGone()
    const denied = this.#denied.get(loop) ?? []
    this.#denied.delete(loop)
    for (const key of denied) this.#ports.wake(key)
  }

  async #judge(kept: Kept): Promise<void> {
    const { invariant } = kept
    const checked = this.#ports.book.evaluate(invariant)
    kept.checkedAt = this.#ports.clock.now()
    const state = states[checked.kind]
    if (state === kept.state) {
      kept.pending = undefined
      return this.#report(kept, checked)
    }
    if (!this.#hasLasted(kept, state)) return
    kept.pending = undefined
    kept.state = state
    kept.since = toTimestamp(this.#ports.clock.now())
    kept.correction = undefined
    if (invariant.spec.over.includes("Observed")) await this.#tell(kept, checked)
    await this.#report(kept, checked)
  }

  /** What holds is believed at once; anything else may be healing just now. */
  #hasLasted(kept: Kept, state: InvariantState): boolean {
    const { forMs } = kept.invariant.spec
    if (state === "Holding") return true
    const now = this.#ports.clock.monotonic()
    if (kept.pending?.state !== state) kept.pending = { state, since: now }
    const leftMs = kept.pending.since + forMs - now
    if (leftMs <= 0) return true
    this.changed(kept.invariant.loop, leftMs)
    return false
  }

  async #tell(kept: Kept, checked: Checked): Promise<void> {
    const { invariant, state = "Unknown" } = kept
    const { name, namespace, uid, loop, spec } = invariant
    const note = sentenceOf(invariant, checked)
    const event: JournalEvent = { type: "invariant", name, state, note }
    await this.#ports.ledger.note(loop, enginePrincipal, [event])
    const apiVersion = apiVersionOf(setpointGroup, setpointVersion)
    const about = { apiVersion, kind: "Invariant", namespace, name, uid }
    const type = state === "Holding" ? "Normal" : "Warning"
    this.#ports.recorder.note({ type, reason: `Invariant${state}`, message: note, about })
    if (state !== "Broken") return
    if (spec.onBroken !== "Report") {
      const scope = spec.onBroken === "StopLoop" ? "all" : "deletes"
      await this.#ports.stop(invariant, scope, `invariant ${name}: ${note}`)
    }
    if (spec.correction !== undefined) kept.correction = await this.#correct(invariant)
  }

  async #correct(invariant: CompiledInvariant): Promise<string> {
    try {
      return await this.#ports.correct(invariant)
    } catch (error) {
      return `refused: ${toFault(error).message}`
    }
  }

  async #report(kept: Kept, checked: Checked): Promise<void> {
    const { invariant, state = "Unknown", since, correction } = kept
    const message = sentenceOf(invariant, checked)
    kept.message = message
    kept.evidence = checked.kind === "broken" ? checked.evidence : []
    const holds = { Holding: "True", Broken: "False", Unknown: "Unknown" }[state]
    const status = {
      state,
      since,
      message,
      evidence: [...kept.evidence],
      correction: correction ?? null,
      observedGeneration: invariant.generation,
      conditions: [{ type: "Ready", status: holds, reason: state, message }],
    }
    if (kept.written !== undefined && equalJson(kept.written, status)) return
    kept.written = status
    await this.#ports.writeStatus(invariant, status)
  }
}

function stateOf(value: Json | undefined): InvariantState | undefined {
  return Object.values(states).find((one) => one === value)
}

function sentenceOf({ spec, name }: CompiledInvariant, checked: Checked): string {
  if (checked.kind === "holds") return "it holds"
  if (checked.kind === "unknown") return `it can't be evaluated: ${checked.cause}`
  const what = spec.message ?? `${name} does not hold`
  return checked.evidence.length === 0 ? what : `${what}: ${checked.evidence.join(", ")}`
}
