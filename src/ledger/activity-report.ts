// What a loop did, held, or would have done, summed up from its journal. Pure and bounded: it keeps
// counts and names of objects, never entries.

import type { Action } from "../contract/action.ts"
import type { JournalEntry, JournalEvent } from "../contract/journal.ts"

export interface ActivityLine {
  readonly verb: string
  readonly kind: string
  readonly actions: number
  /** Distinct ones. */
  readonly objects: number
  readonly first: string
  readonly last: string
}

export interface Counted {
  readonly name: string
  readonly count: number
  /** The first that was seen, for people. */
  readonly example: string
}

export interface ActivityReport {
  readonly entries: number
  readonly first?: string
  readonly last?: string
  /** Mode Observe: what would have been done. */
  readonly would: readonly ActivityLine[]
  readonly wouldObjects: number
  /** Which limits and rules would have kept actions back in mode Enforce. */
  readonly wouldKeep: readonly Counted[]
  readonly done: readonly ActivityLine[]
  readonly failed: readonly ActivityLine[]
  readonly causes: readonly Counted[]
  /** Actions that went into plans, by reason, and what became of the plans. */
  readonly held: { readonly actions: number; readonly reasons: readonly Counted[] }
  readonly plans: Readonly<Record<string, number>>
  readonly rounds: Readonly<Record<string, number>>
  readonly sources: Readonly<Record<string, number>>
}

const namesMax = 200_000
const topMax = 10

export class ActivityCount {
  readonly #would = new Lines()
  readonly #done = new Lines()
  readonly #failed = new Lines()
  readonly #causes = new Counts()
  readonly #keep = new Counts()
  readonly #reasons = new Counts()
  readonly #heldDigests = new Set<string>()
  readonly #plans = new Counts()
  readonly #rounds = new Counts()
  readonly #sources = new Counts()
  #entries = 0
  #first: string | undefined
  #last: string | undefined

  add({ time, event }: JournalEntry): void {
    this.#entries++
    this.#first ??= time
    this.#last = time
    this.#count(time, event)
  }

  report(): ActivityReport {
    return {
      entries: this.#entries,
      ...(this.#first === undefined ? {} : { first: this.#first }),
      ...(this.#last === undefined ? {} : { last: this.#last }),
      would: this.#would.lines(),
      wouldObjects: this.#would.objects,
      wouldKeep: this.#keep.top(),
      done: this.#done.lines(),
      failed: this.#failed.lines(),
      causes: this.#causes.top(),
      held: { actions: this.#heldDigests.size, reasons: this.#reasons.top() },
      plans: this.#plans.all(),
      rounds: this.#rounds.all(),
      sources: this.#sources.all(),
    }
  }

  #count(time: string, event: JournalEvent): void {
    switch (event.type) {
      case "would":
        for (const action of event.actions) {
          this.#would.add(time, action)
          this.#cause(action)
        }
        for (const code of event.kept?.flatMap(({ codes }) => codes) ?? []) this.#keep.add(code)
        return
      case "receipt": {
        const { action, result } = event
        if (result === "done") this.#done.add(time, action)
        else this.#failed.add(time, action)
        this.#cause(action)
        return
      }
      case "held":
        for (const digest of event.digests) {
          if (this.#heldDigests.size < namesMax) this.#heldDigests.add(digest)
        }
        for (const { code, message } of event.reasons) this.#reasons.add(code, message)
        return
      case "plan":
        this.#plans.add(event.phase)
        return
      case "round":
        for (const [kind, count] of Object.entries(event.inputs.counts.verdicts)) {
          this.#rounds.add(kind, "", count)
        }
        return
      case "source":
        this.#sources.add(event.state)
        return
      default:
    }
  }

  #cause({ cause }: Action): void {
    this.#causes.add(cause.kind, cause.text)
  }
}

class Lines {
  readonly #lines = new Map<
    string,
    { verb: string; kind: string; actions: number; names: Set<string>; first: string; last: string }
  >()
  readonly #names = new Set<string>()

  get objects(): number {
    return this.#names.size
  }

  add(time: string, { verb, kind, object }: Action): void {
    const key = `${verb} ${kind}`
    const known = this.#lines.get(key)
    const line = known ?? { verb, kind, actions: 0, names: new Set(), first: time, last: time }
    if (known === undefined) this.#lines.set(key, line)
    line.actions++
    line.last = time
    if (this.#names.size >= namesMax) return
    line.names.add(object)
    this.#names.add(object)
  }

  lines(): ActivityLine[] {
    return [...this.#lines.values()]
      .map(({ names, ...line }) => ({ ...line, objects: names.size }))
      .sort((left, right) => right.actions - left.actions)
  }
}

class Counts {
  readonly #counts = new Map<string, { count: number; example: string }>()

  add(name: string, example = "", by = 1): void {
    const known = this.#counts.get(name)
    if (known === undefined) this.#counts.set(name, { count: by, example })
    else known.count += by
  }

  top(): Counted[] {
    return [...this.#counts]
      .map(([name, { count, example }]) => ({ name, count, example }))
      .sort((left, right) => right.count - left.count)
      .slice(0, topMax)
  }

  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].map(([name, { count }]) => [name, count]))
  }
}
