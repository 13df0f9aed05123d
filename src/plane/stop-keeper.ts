// Makes and lifts stops. A stop is in the file before anything else happens; a lift is in the
// journal before the file. Who may do it is asked here: anyone may stop, only people lift, and a
// source does neither. Nothing here ends a stop early.

import { type Timer, toTimestamp } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import { enginePrincipal, isSource, type Principal } from "../contract/principal.ts"
import {
  addStop,
  type StopEntry,
  type StopScope,
  sameStop,
  stopEnd,
  stopPlace,
  withoutStop,
} from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { decodeDocument, ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { EndingStops } from "./ending-stops.ts"
import type { Plane } from "./plane.ts"

/** The journal of what concerns the whole plane. */
export const planeJournal = "plane"

export interface StopChange {
  readonly stops: readonly StopEntry[]
  readonly lifts: readonly StopScope[]
  /** Why it is lifted. */
  readonly reason?: string
}

/** Timers can't wait much longer than this, and clocks may be set meanwhile. */
const checkMaxMs = 3_600_000
const checkMinMs = 20

export class StopKeeper {
  readonly #plane: Plane
  readonly #file: EndingStops
  #known: readonly StopEntry[] = []
  #timer: Timer | undefined
  #closed = false

  constructor(plane: Plane, file: EndingStops) {
    this.#plane = plane
    this.#file = file
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** Throws when this principal must not do it. */
  permit(principal: Principal, { stops, lifts }: StopChange): void {
    const { name } = principal
    if (isSource(principal) && stops.length + lifts.length > 0) {
      throw controllerFault("SPT-STOP-001", { principal: name, kind: "a source" })
    }
    if (lifts.length > 0 && principal.kind !== "human" && protects("people-lift-stops")) {
      const kind = kindText[principal.kind]
      throw controllerFault("SPT-STOP-001", { principal: name, kind })
    }
    for (const stop of stops) this.#needSubject(stop)
  }

  /** What it names has to exist: a slip of the pen would stop nothing. */
  #needSubject({ loop, provider, object }: StopScope): void {
    const { engine, loops } = this.#plane
    if (loop !== "*" && loops.get(loop) === undefined) {
      throw controllerFault("SPT-STOP-002", { loop })
    }
    if (provider !== undefined) {
      const known = [...new Set(engine.kinds.map((one) => one.provider.provider))]
      if (!known.includes(provider)) {
        throw controllerFault("SPT-STOP-003", { provider, known: known.join(", ") })
      }
    }
    if (object !== undefined && engine.feed?.entry(object) === undefined) {
      throw controllerFault("SPT-STOP-004", { object })
    }
  }

  newEntry(principal: Principal, asked: Omit<StopEntry, "by" | "at">): StopEntry {
    return { ...asked, by: principal.name, at: toTimestamp(this.#plane.ports.clock.now()) }
  }

  /** Answers when it is durable, with what stands then. */
  async apply(principal: Principal, change: StopChange): Promise<readonly StopEntry[]> {
    this.permit(principal, change)
    const { stops, lifts } = change
    const { engine } = this.#plane
    const edit = (standing: readonly StopEntry[]): readonly StopEntry[] =>
      stops.reduce(addStop, lifts.reduce(withoutStop, standing))
    if (stops.length > 0) {
      this.#file.change((standing) => stops.reduce(addStop, standing))
      engine.actuator.inFlight.noteStop()
    }
    await this.#note(principal, change, edit(this.#file.entries()))
    const standing = lifts.length > 0 ? this.#file.change(edit) : this.#file.entries()
    this.#known = standing
    if (standing.length === 0) engine.actuator.inFlight.noteResume()
    for (const lift of lifts) this.#wake(lift)
    this.#schedule()
    return standing
  }

  /** Everything that stands; notices what was written or has ended since it was last asked. */
  look(): readonly StopEntry[] {
    const standing = this.#file.entries()
    const gone = this.#known.filter((one) => !standing.some((other) => sameStop(one, other)))
    this.#known = standing
    if (gone.length > 0 && standing.length === 0) {
      this.#plane.engine.actuator.inFlight.noteResume()
    }
    for (const entry of gone) this.#wake(entry)
    this.#schedule()
    return standing
  }

  /** At start: a stop that the ledger knows stands, even if the file was lost. */
  async restore(): Promise<void> {
    const stored = await this.#plane.ports.store.get(ledgerKeys.stop)
    if (stored === undefined || "kind" in stored) return
    const { entries } = decodeDocument<{ readonly entries: readonly StopEntry[] }>(stored.value)
    const known = this.#file.entries()
    const now = this.#plane.ports.clock.now()
    const lost = entries.filter((entry) => {
      const over = (stopEnd(entry) ?? Number.POSITIVE_INFINITY) <= now
      return !over && !known.some((one) => sameStop(one, entry))
    })
    if (lost.length > 0 && protects("stop-outlives-its-file"))
      this.#file.change((standing) => lost.reduce(addStop, standing))
  }

  async #note(
    principal: Principal,
    { stops, lifts, reason }: StopChange,
    standing: readonly StopEntry[],
  ): Promise<void> {
    const { engine } = this.#plane
    const lifted = lifts.map((lift) => ({ ...lift, ...(reason === undefined ? {} : { reason }) }))
    const event = (type: "stop" | "resume", entry: StopScope & { readonly reason?: string }) => ({
      ...{ type, scope: scopeText(entry) },
      ...(entry.reason === undefined ? {} : { reason: entry.reason }),
    })
    const events = [
      ...lifted.map((one) => event("resume", one)),
      ...stops.map((one) => event("stop", one)),
    ]
    const write = putDocument(ledgerKeys.stop, { entries: standing })
    await engine.ledger.note(planeJournal, principal, events, [write])
    for (const one of lifted) engine.events.stopped(one, principal.name, true)
    for (const one of stops) engine.events.stopped(one, principal.name, false)
  }

  #schedule(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const left = this.#file.nextEndMs()
    if (left === undefined || this.#closed) return
    const delay = Math.min(checkMaxMs, Math.max(checkMinMs, left))
    this.#timer = this.#plane.ports.clock.after(delay, () => void this.#checkEnds())
  }

  async #checkEnds(): Promise<void> {
    const before = this.#known
    const standing = this.look()
    const ended = before.filter((one) => !standing.some((other) => sameStop(one, other)))
    if (ended.length === 0) return
    try {
      const change = { stops: [], lifts: ended, reason: "its time is over" }
      await this.#note(enginePrincipal, change, standing)
      await this.#plane.object.publish()
    } catch (error) {
      this.#plane.engine.failed(error) // It has ended all the same.
    }
  }

  #wake({ loop, provider, object }: StopScope): void {
    const { engine } = this.#plane
    if (object !== undefined) engine.queue.add(object)
    else if (provider === undefined) engine.wakeAll(loop === "*" ? undefined : loop)
    else {
      for (const key of engine.feed?.keys() ?? []) {
        if (engine.feed?.kindOf(key)?.provider.provider === provider) engine.queue.add(key)
      }
    }
  }
}

function scopeText(scope: StopScope): string {
  return `${scope.scope} ${stopPlace(scope)}`
}
