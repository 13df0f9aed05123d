// Every change that anybody heard of, in the order of revisions, and what was known by when. Two
// different stories of one revision are a violation, never a choice.

import {
  describeStored,
  type History,
  isSame,
  isSelected,
  type Key,
  type Selection,
  type Stored,
} from "./history.ts"

export interface Version {
  readonly revision: number
  readonly key: Key
  /** Undefined: the object was deleted. */
  readonly stored: Stored | undefined
}

interface Mark {
  readonly time: number
  readonly revision: number
}

export class Timeline {
  readonly violations: string[] = []
  readonly changes: readonly Version[]
  readonly #byRevision = new Map<number, Version>()
  readonly #byKey = new Map<Key, Version[]>()
  readonly #known: readonly Mark[]
  #begun: readonly Mark[] = []

  constructor(history: History) {
    const known: Mark[] = []
    for (const operation of history.operations) {
      const time = operation.responded
      if (operation.what === "list") {
        for (const [key, stored] of operation.items) this.#add(key, stored)
        for (const revision of operation.revisions) known.push({ time, revision })
      } else if (operation.what === "clear") {
        for (const [key, { revision }] of operation.gone) this.#remove(key, revision)
        for (const revision of operation.revisions) known.push({ time, revision })
      } else if (operation.result !== undefined) {
        this.#add(operation.key, operation.result)
        known.push({ time, revision: operation.result.revision })
      }
    }
    for (const { seen, selection } of history.watches) {
      for (const { type, key, stored, revision, at } of seen) {
        known.push({ time: at, revision })
        if (type === "ADDED" || type === "MODIFIED") this.#add(key, stored)
        // What leaves a selection of labels is told as deleted, although it is still there.
        if (type === "DELETED" && selection.team === undefined) this.#remove(key, revision)
      }
    }
    this.changes = [...this.#byRevision.values()].sort((a, b) => a.revision - b.revision)
    for (const change of this.changes) {
      const own = this.#byKey.get(change.key)
      if (own === undefined) this.#byKey.set(change.key, [change])
      else own.push(change)
    }
    this.#known = rising(known)
  }

  #add(key: Key, stored: Stored | undefined): void {
    if (stored === undefined) return
    const { revision } = stored
    const before = this.#byRevision.get(revision)
    if (before === undefined) this.#byRevision.set(revision, { revision, key, stored })
    else if (before.key !== key || !isSame(before.stored, stored)) {
      const one = `${before.key} ${describeStored(before.stored)}`
      this.violations.push(`two stories of ${revision}: ${one}; ${key} ${describeStored(stored)}`)
    }
  }

  #remove(key: Key, revision: number): void {
    const before = this.#byRevision.get(revision)
    if (before === undefined) this.#byRevision.set(revision, { revision, key, stored: undefined })
    else if (before.key !== key || before.stored !== undefined) {
      const one = `${before.key} ${describeStored(before.stored)}`
      this.violations.push(`two stories of ${revision}: ${one}; ${key} deleted`)
    }
  }

  /** Which writes certainly began when; needed before `ceiling` is asked. */
  begin(writes: readonly Mark[]): void {
    const sorted = writes.toSorted((a, b) => b.time - a.time)
    let revision = Number.POSITIVE_INFINITY
    this.#begun = sorted.map((mark) => {
      revision = Math.min(revision, mark.revision)
      return { time: mark.time, revision }
    })
  }

  /** The newest revision that somebody knew of before this time. */
  floor(time: number): number {
    let [low, high] = [0, this.#known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#known[middle]?.time ?? 0) < time) low = middle + 1
      else high = middle
    }
    return this.#known[low - 1]?.revision ?? 0
  }

  /** The newest revision that can have been there at this time: all later writes began later. */
  ceiling(time: number): number {
    let [low, high] = [0, this.#begun.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#begun[middle]?.time ?? 0) > time) low = middle + 1
      else high = middle
    }
    return (this.#begun[low - 1]?.revision ?? Number.POSITIVE_INFINITY) - 1
  }

  of(key: Key): readonly Version[] {
    return this.#byKey.get(key) ?? []
  }

  keys(): IterableIterator<Key> {
    return this.#byKey.keys()
  }

  /** What this key was at some time of the window, oldest first. */
  during(key: Key, from: number, to: number): readonly (Stored | undefined)[] {
    const versions = this.of(key)
    const found: (Stored | undefined)[] = []
    for (let at = -1; at < versions.length; at++) {
      const begins = versions[at]?.revision ?? 0
      const ends = (versions[at + 1]?.revision ?? Number.POSITIVE_INFINITY) - 1
      if (begins <= to && ends >= from) found.push(versions[at]?.stored)
    }
    return found
  }

  snapshot(selection: Selection, revision: number): Map<Key, Stored> {
    const found = new Map<Key, Stored>()
    for (const [key, versions] of this.#byKey) {
      const stored = versions.findLast((version) => version.revision <= revision)?.stored
      if (stored !== undefined && isSelected(selection, key, stored)) found.set(key, stored)
    }
    return found
  }
}

function rising(marks: readonly Mark[]): readonly Mark[] {
  let revision = 0
  return marks
    .filter(({ time }) => Number.isFinite(time))
    .toSorted((a, b) => a.time - b.time)
    .map((mark) => {
      revision = Math.max(revision, mark.revision)
      return { time: mark.time, revision }
    })
}
