// How long each object was in the declared state, from the journal's states, with what nobody saw
// told apart: while no plane ran, or while the target could not be read, nothing is known. Pure;
// entries go in in their order, memory grows with objects and not with entries.

import type { JournalEntry, JournalEvent } from "../contract/journal.ts"

export type ComplianceStatus = "in" | "out" | "unknown"

export interface Outage {
  readonly from: number
  /** Missing while it lasts. */
  readonly to?: number
  readonly state: string
  readonly reason: string
}

export interface ObjectCompliance {
  readonly object: string
  /** Undefined when it is gone. */
  readonly now?: ComplianceStatus
  readonly inMs: number
  readonly outMs: number
  readonly unobservedMs: number
  readonly outages: number
  readonly longestMs: number
  /** The newest ones. */
  readonly last: readonly Outage[]
}

export interface Span {
  readonly from: number
  readonly to: number
}

export interface ComplianceOptions {
  readonly since: number
  readonly until: number
  /** Entries of the plane's own journal, all of them. */
  readonly plane: readonly JournalEntry[]
  /** Only this one. */
  readonly object?: string
  readonly outagesKept?: number
}

interface Line {
  status: ComplianceStatus | undefined
  since: number
  inMs: number
  outMs: number
  unobservedMs: number
  outages: number
  longestMs: number
  open: { from: number; ms: number; state: string; reason: string } | undefined
  last: Outage[]
}

export class Compliance {
  readonly #options: ComplianceOptions
  readonly #lines = new Map<string, Line>()
  readonly #starts: { readonly at: number; readonly stop: number | undefined }[]
  readonly #down: Span[] = []
  /** By kind, as keys begin with it: when it could not be looked at, and since when it can't. */
  readonly #blind = new Map<string, { spans: Span[]; since: number | undefined }>()
  #seen: number

  constructor(options: ComplianceOptions) {
    this.#options = options
    this.#seen = options.since
    this.#starts = startsOf(options.plane)
  }

  /** Spans in which no plane ran. */
  get down(): readonly Span[] {
    return this.#down
  }

  add({ time, event }: JournalEntry): void {
    const at = Date.parse(time)
    if (Number.isNaN(at) || at < this.#options.since) return
    this.#resolveStarts(at)
    this.#seen = Math.max(this.#seen, at)
    this.#take(at, event)
  }

  /** `now`: what exists, and how it is. */
  finish(now: Iterable<readonly [string, ComplianceStatus]>): ObjectCompliance[] {
    const { since, until } = this.#options
    this.#resolveStarts(until)
    for (const [object, status] of now) {
      if (!this.#wanted(object) || this.#lines.has(object)) continue
      this.#lines.set(object, newLine(status, since))
      if (status === "out") this.#begin(this.#line(object, status), since, "", "BeforeThis")
    }
    return [...this.#lines].map(([object, line]) => {
      this.#spend(object, line, until)
      return result(object, line)
    })
  }

  #take(at: number, event: JournalEvent): void {
    if (event.type === "states") {
      for (const { object, state, reason, was } of event.out ?? []) {
        const before = was === "new" ? undefined : (was ?? "in")
        this.#move(object, at, before, isDoubt(reason) ? "unknown" : "out", { state, reason })
      }
      for (const object of event.in ?? []) this.#move(object, at, "out", "in")
      for (const object of event.first ?? []) this.#move(object, at, undefined, "in")
      for (const object of event.gone ?? []) this.#move(object, at, "out", undefined)
      for (const kind of event.blind ?? []) this.#blindOf(kind).since ??= at
      for (const kind of event.seen ?? []) this.#see(kind, at)
    } else if (event.type === "release") {
      this.#move(event.object, at, "in", undefined)
    } else if (event.type === "moved") {
      const went = event.note?.startsWith("went to") === true
      this.#move(event.object, at, went ? "in" : undefined, went ? undefined : "in")
    } else if (event.type === "receipt" && event.result === "done") {
      const { verb, object } = event.action
      if (verb === "delete") this.#move(object, at, "in", undefined)
    }
  }

  #move(
    object: string,
    at: number,
    before: ComplianceStatus | undefined,
    to: ComplianceStatus | undefined,
    why: { state: string; reason: string } = { state: "", reason: "" },
  ): void {
    if (!this.#wanted(object)) return
    const line = this.#line(object, before)
    this.#spend(object, line, at)
    line.status = to
    if (to === "out") this.#begin(line, at, why.state, why.reason)
    else if (to !== "unknown") end(line, at, this.#options.outagesKept ?? 20)
  }

  #wanted(object: string): boolean {
    return this.#options.object === undefined || this.#options.object === object
  }

  #line(object: string, before: ComplianceStatus | undefined): Line {
    const known = this.#lines.get(object)
    if (known !== undefined) return known
    const line = newLine(before, this.#options.since)
    if (before === "out") this.#begin(line, this.#options.since, "", "BeforeThis")
    this.#lines.set(object, line)
    return line
  }

  #begin(line: Line, at: number, state: string, reason: string): void {
    if (line.open !== undefined) return
    line.open = { from: at, ms: 0, state, reason }
    line.outages++
  }

  /** The time since the last change goes to where it belongs. */
  #spend(object: string, line: Line, at: number): void {
    const ms = Math.max(0, at - line.since)
    const blind = Math.min(ms, this.#unseen(object, line.since, at))
    line.since = Math.max(line.since, at)
    if (line.status === undefined) return
    if (line.status === "unknown") line.unobservedMs += ms
    else {
      line.unobservedMs += blind
      if (line.status === "in") line.inMs += ms - blind
      else line.outMs += ms - blind
    }
    if (line.status !== "out" || line.open === undefined) return
    line.open.ms += ms - blind
    line.longestMs = Math.max(line.longestMs, line.open.ms)
  }

  #unseen(object: string, from: number, to: number): number {
    const blind = this.#blind.get(object.split("/")[0] ?? "")
    const down = overlap(this.#down, from, to)
    if (blind === undefined) return down
    const open = blind.since === undefined ? 0 : Math.max(0, to - Math.max(from, blind.since))
    return down + open + overlap(blind.spans, from, to)
  }

  #blindOf(kind: string): { spans: Span[]; since: number | undefined } {
    const known = this.#blind.get(kind)
    if (known !== undefined) return known
    const made = { spans: [] as Span[], since: undefined }
    this.#blind.set(kind, made)
    return made
  }

  #see(kind: string, at: number): void {
    const blind = this.#blindOf(kind)
    if (blind.since !== undefined) blind.spans.push({ from: blind.since, to: at })
    blind.since = undefined
  }

  /** A start without a stop before it: nobody knows when the one before ended. */
  #resolveStarts(at: number): void {
    for (let next = this.#starts[0]; next !== undefined && next.at <= at; next = this.#starts[0]) {
      this.#starts.shift()
      const from = next.stop ?? this.#seen
      if (next.at > from) this.#down.push({ from, to: next.at })
      for (const kind of this.#blind.keys()) this.#see(kind, from)
      this.#seen = Math.max(this.#seen, next.at)
    }
  }
}

const isDoubt = (reason: string): boolean => reason === "Unknown" || reason === "NotObservable"

function newLine(status: ComplianceStatus | undefined, since: number): Line {
  return {
    ...{ status, since, inMs: 0, outMs: 0, unobservedMs: 0, outages: 0, longestMs: 0 },
    open: undefined,
    last: [],
  }
}

function end(line: Line, at: number, kept: number): void {
  if (line.open === undefined) return
  const { from, state, reason } = line.open
  line.last.push({ from, to: at, state, reason })
  if (line.last.length > kept) line.last.shift()
  line.open = undefined
}

function result(object: string, line: Line): ObjectCompliance {
  const { status, inMs, outMs, unobservedMs, outages, longestMs, open } = line
  const last = open === undefined ? line.last : [...line.last, openOutage(open)]
  return {
    object,
    ...(status === undefined ? {} : { now: status }),
    ...{ inMs, outMs, unobservedMs, outages, longestMs, last },
  }
}

const openOutage = ({ from, state, reason }: NonNullable<Line["open"]>) => ({ from, state, reason })

function startsOf(plane: readonly JournalEntry[]) {
  const starts: { at: number; stop: number | undefined }[] = []
  let stop: number | undefined
  let first = true
  for (const { time, event } of plane) {
    if (event.type !== "plane") continue
    const at = Date.parse(time)
    if (event.state === "stop") stop = at
    else {
      if (!first || stop !== undefined) starts.push({ at, stop })
      first = false
      stop = undefined
    }
  }
  return starts
}

function overlap(spans: readonly Span[], from: number, to: number): number {
  let ms = 0
  for (const span of spans) {
    ms += Math.max(0, Math.min(to, span.to) - Math.max(from, span.from))
  }
  return ms
}
