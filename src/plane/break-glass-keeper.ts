// Opens and ends break-glasses, and tells everyone: journal, event, the loop's condition, the
// plane's status. Ends them when their time is over, by the ledger's clock. Opening takes a person;
// anyone may end one, since that only puts limits back.

import { type Timer, toTimestamp } from "../base/clock.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { BreakGlass } from "../ledger/break-glass.ts"
import { planeFault } from "./faults.ts"
import type { Plane } from "./plane.ts"

export interface BreakGlassRequest {
  readonly loop: string
  readonly forMs: number
  readonly reason: string
  readonly deletes: number
}

const defaultForMs = 30 * 60_000
const forMaxMs = 4 * 3_600_000
export const breakGlassDefaults = { forMs: defaultForMs, deletes: 10 } as const
const deletesMax = 1000
const reasonMax = 500
const lookMs = 1000

export class BreakGlassKeeper {
  readonly #plane: Plane
  #timer: Timer | undefined
  #closed = false

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** At start: what ended meanwhile is told. */
  async start(): Promise<void> {
    await this.#endOver()
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** What stands now. */
  all(): BreakGlass[] {
    const { breakGlass } = this.#plane.engine.ledger
    return breakGlass.all().filter((glass) => !breakGlass.isOver(glass))
  }

  async break(principal: Principal, asked: BreakGlassRequest): Promise<BreakGlass> {
    const { ledger, events } = this.#plane.engine
    const { loop, reason, deletes } = asked
    check(principal, asked)
    if (this.#plane.loops.get(loop) === undefined) throw planeFault("SPT-GLASS-002", { loop })
    const known = ledger.breakGlass.live(loop)
    if (known !== undefined) {
      const until = toTimestamp(known.until)
      throw planeFault("SPT-GLASS-004", { loop, by: known.by, until })
    }
    const from = ledger.time.now()
    const until = from + asked.forMs
    const glass: BreakGlass = {
      ...{ format: 1, loop, by: principal.name, reason, from, until },
      ...{ deletes, deletesLeft: deletes },
    }
    const end = toTimestamp(until)
    const event = { type: "break-glass", state: "broken", until: end, deletes, reason } as const
    await ledger.note(loop, principal, [event], [ledger.breakGlass.put(glass)])
    events.breakGlass(loop, "Warning", "BreakGlass", standingText(glass))
    await this.#tell(loop)
    // What is held now is judged again, in the light of it.
    this.#plane.loops.look(loop).catch((error) => this.#plane.engine.failed(error))
    return glass
  }

  async end(principal: Principal, loop: string): Promise<BreakGlass> {
    const glass = this.#plane.engine.ledger.breakGlass.live(loop)
    if (glass === undefined) throw planeFault("SPT-GLASS-005", { loop })
    await this.#end(principal, glass, "ended")
    return glass
  }

  async #end(principal: Principal, glass: BreakGlass, state: "ended" | "expired"): Promise<void> {
    const { ledger, events } = this.#plane.engine
    const { loop, deletes, deletesLeft } = glass
    const used = deletes - deletesLeft
    const event = { type: "break-glass", state, deletes: used, reason: glass.reason } as const
    await ledger.note(loop, principal, [event], [ledger.breakGlass.drop(loop)])
    const how = state === "ended" ? `ended by ${principal.name}` : "is over"
    const message = `the break-glass of ${glass.by} ${how}; ${used} destroyed under it`
    events.breakGlass(loop, "Normal", "BreakGlassEnded", message)
    await this.#tell(loop)
  }

  async #tell(loop: string): Promise<void> {
    this.#schedule()
    await this.#plane.object.publish()
    await this.#plane.publishLoop(loop)
    this.#plane.engine.wakeAll(loop)
  }

  async #endOver(): Promise<void> {
    const { breakGlass } = this.#plane.engine.ledger
    for (const glass of breakGlass.all()) {
      if (breakGlass.isOver(glass)) await this.#end(enginePrincipal, glass, "expired")
    }
  }

  #schedule(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const { ledger, failed } = this.#plane.engine
    const ends = ledger.breakGlass.all().map(({ until }) => until)
    if (this.#closed || ends.length === 0) return
    const delayMs = Math.max(lookMs, Math.min(...ends) - ledger.time.now())
    this.#timer = this.#plane.ports.clock.after(delayMs, () => {
      this.#endOver()
        .catch((error) => failed.call(this.#plane.engine, error))
        .finally(() => this.#schedule())
    })
  }
}

function check(principal: Principal, { loop, forMs, reason, deletes }: BreakGlassRequest): void {
  if (principal.kind !== "human") {
    const kind = principal.kind === "agent" ? "an agent" : "a service"
    throw planeFault("SPT-GLASS-001", { loop, principal: principal.name, kind })
  }
  const bad = (why: string) => planeFault("SPT-GLASS-003", { loop, why })
  if (reason.trim() === "") throw bad("it needs a reason")
  if (reason.length > reasonMax) throw bad(`its reason has more than ${reasonMax} characters`)
  if (!(forMs > 0 && forMs <= forMaxMs)) throw bad("it stands for at most 4 hours")
  if (!Number.isInteger(deletes) || deletes < 0 || deletes > deletesMax) {
    throw bad(`it lets 0 to ${deletesMax} things be destroyed`)
  }
}

/** "ann broke the glass of default.site until TIME (7 of 10 destructions left): reason" */
export function standingText(glass: BreakGlass): string {
  const { by, loop, until, deletes, deletesLeft, reason } = glass
  const left = `${deletesLeft} of ${deletes} destructions left`
  return `${by} broke the glass of ${loop} until ${toTimestamp(until)} (${left}): ${reason}`
}

export function glassView(glass: BreakGlass): object {
  const { loop, by, reason, deletes, deletesLeft, from, until } = glass
  const times = { since: toTimestamp(from), until: toTimestamp(until) }
  return { loop, by, reason, ...times, deletes, deletesLeft, text: standingText(glass) }
}
