// Journals when objects leave the declared state and come back, many in one entry and at most once
// a second per loop. A pass that finds what was known writes nothing, also after a restart: what is
// out lies in the ledger, what is in says so in its status.

import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { isArray, isObject } from "../base/json.ts"
import type { StatesEvent } from "../contract/journal.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { scanPrefix } from "../ledger/scan.ts"
import type { ApiObject } from "../object/object.ts"
import type { Report } from "./status.ts"

export interface StateLogPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  failed(error: unknown): void
}

/** An object that is not in the declared state, or that nobody can look at. */
export interface OutState {
  readonly object: string
  readonly loop: string
  readonly status: "out" | "unknown"
  readonly state: string
  readonly reason: string
  /** RFC 3339. */
  readonly since: string
}

type OutItem = NonNullable<StatesEvent["out"]>[number]
type Status = "in" | "out" | "unknown" | "gone"

interface Move {
  readonly loop: string
  readonly to: Status
  /** It never was in the declared state. */
  readonly isNew?: boolean
  /** Why it is, or was for a moment, out. */
  readonly out?: OutState
}

const batchMs = 1000
const objectsMax = 500
/** Reports that say that nobody knows. */
const unknownReasons = new Set(["Unknown", "NotObservable"])

export class StateLog {
  readonly #ports: StateLogPorts
  /** As the journal knows it. */
  readonly #out = new Map<string, OutState>()
  /** Kinds of each loop that could not be looked at the last time. */
  readonly #blind = new Map<string, readonly string[]>()
  #moves = new Map<string, Move>()
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(ports: StateLogPorts) {
    this.#ports = ports
  }

  async open(): Promise<void> {
    for await (const { value } of scanPrefix(this.#ports.ledger.store, ledgerKeys.outs)) {
      const out = decodeDocument<OutState>(value)
      this.#out.set(out.object, out)
    }
  }

  /** What a pass or a round found. */
  note(key: string, loop: string, object: ApiObject, report: Report): void {
    if (object.metadata.deletionTimestamp !== undefined) return // It is on its way out of here.
    const before = this.#statusOf(key, loop, object)
    const { state, reason } = report
    const to = state === "ready" ? "in" : unknownReasons.has(reason) ? "unknown" : "out"
    if (before === to) return
    // A first creation is no outage: its history begins when it is there, or when it can't be made.
    if (before === undefined && state === "working") return
    const isNew = before === undefined || this.#moves.get(key)?.isNew === true
    if (to === "in") this.#move(key, { loop, to, isNew })
    else this.#move(key, { loop, to, isNew, out: this.#outState(key, loop, to, state, reason) })
  }

  /** It was deleted or let go. */
  gone(key: string): void {
    const loop = (this.#moves.get(key) ?? this.#out.get(key))?.loop
    if (loop !== undefined) this.#move(key, { loop, to: "gone" })
  }

  /** A sweep of the loop could not look at all targets of these kinds. */
  async sees(loop: string, blind: readonly string[]): Promise<void> {
    const before = this.#blind.get(loop) ?? []
    const lost = blind.filter((kind) => !before.includes(kind))
    const seen = before.filter((kind) => !blind.includes(kind))
    if (lost.length === 0 && seen.length === 0) return
    const event: StatesEvent = {
      type: "states",
      ...(lost.length === 0 ? {} : { blind: lost }),
      ...(seen.length === 0 ? {} : { seen }),
    }
    await this.#ports.ledger.note(loop, enginePrincipal, [event])
    this.#blind.set(loop, blind)
  }

  /** Everything of the loop that is out now. */
  outOf(loop: string): OutState[] {
    return [...this.#out.values()].filter((one) => one.loop === loop)
  }

  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    const moves = this.#moves
    this.#moves = new Map()
    if (moves.size > 0) this.#writing = this.#writing.then(() => this.#write(moves))
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
  }

  #statusOf(key: string, loop: string, object: ApiObject): Status | undefined {
    const known = this.#moves.get(key) ?? this.#out.get(key)
    if (known !== undefined && known.loop !== loop) return undefined // It was moved here.
    const status = known === undefined ? undefined : "to" in known ? known.to : known.status
    return status ?? (wasReady(object) ? "in" : undefined)
  }

  #outState(
    object: string,
    loop: string,
    status: OutState["status"],
    state: string,
    reason: string,
  ): OutState {
    const since = toTimestamp(this.#ports.clock.now())
    return { object, loop, status, state, reason, since }
  }

  #move(key: string, move: Move): void {
    const out = move.out ?? this.#moves.get(key)?.out
    this.#moves.set(key, out === undefined ? move : { ...move, out })
    if (this.#closed) return
    this.#timer ??= this.#ports.clock.after(batchMs, () => void this.flush())
  }

  async #write(moves: ReadonlyMap<string, Move>): Promise<void> {
    const loops = Map.groupBy(moves, ([, move]) => move.loop)
    for (const [loop, all] of loops) {
      for (let start = 0; start < all.length; start += objectsMax) {
        const part = all.slice(start, start + objectsMax)
        try {
          await this.#writePart(loop, part)
        } catch (error) {
          this.#ports.failed(error)
          this.#putBack(part)
        }
      }
    }
  }

  async #writePart(loop: string, part: readonly [string, Move][]): Promise<void> {
    const event = statesEvent(part, this.#out)
    if (event === undefined) return
    const writes = part.flatMap(([key, move]) => this.#writesOf(key, move))
    await this.#ports.ledger.note(loop, enginePrincipal, [event], writes)
    for (const [key, { to, out }] of part) {
      if (out !== undefined && (to === "out" || to === "unknown")) this.#out.set(key, out)
      else this.#out.delete(key)
    }
  }

  #writesOf(key: string, { loop, to, out }: Move): Write[] {
    const before = this.#out.get(key)
    const drop: Write[] =
      before === undefined ? [] : [{ kind: "delete", key: ledgerKeys.out(before.loop, key) }]
    if (out === undefined || (to !== "out" && to !== "unknown")) return drop
    const put = putDocument(ledgerKeys.out(loop, key), out)
    return before?.loop === loop ? [put] : [...drop, put]
  }

  /** Not written: it is tried again with the next ones, unless something newer is known. */
  #putBack(part: readonly [string, Move][]): void {
    for (const [key, move] of part) if (!this.#moves.has(key)) this.#moves.set(key, move)
    if (this.#closed) return
    this.#timer ??= this.#ports.clock.after(batchMs, () => void this.flush())
  }
}

function statesEvent(
  part: readonly [string, Move][],
  known: ReadonlyMap<string, OutState>,
): StatesEvent | undefined {
  const out: OutItem[] = []
  const back: string[] = []
  const first: string[] = []
  const gone: string[] = []
  for (const [object, move] of part) {
    const entry = known.get(object)
    const was = entry?.loop === move.loop ? entry.status : undefined
    const before = was ?? (move.isNew === true ? "new" : undefined)
    const item = move.out === undefined ? undefined : outItem(move.out, before)
    if (move.to === "gone") {
      if (was !== undefined) gone.push(object)
    } else if (move.to !== "in") {
      if (item !== undefined && was !== move.to) out.push(item)
    } else if (was !== undefined) back.push(object)
    else if (item === undefined) first.push(object)
    else {
      out.push(item)
      back.push(object)
    }
  }
  const some = <T>(name: string, list: readonly T[]) => (list.length === 0 ? {} : { [name]: list })
  const lists = {
    ...some("out", out),
    ...some("in", back),
    ...some("first", first),
    ...some("gone", gone),
  }
  return Object.keys(lists).length === 0 ? undefined : { type: "states", ...lists }
}

function outItem({ object, state, reason }: OutState, was: OutItem["was"]) {
  return { object, state, reason, ...(was === undefined ? {} : { was }) }
}

/** What the stored status says: the last run of this plane may have written it. */
function wasReady({ status }: ApiObject): boolean {
  const conditions = isArray(status?.conditions) ? status.conditions : []
  return conditions.some((one) => isObject(one) && one.type === "Ready" && one.status === "True")
}
