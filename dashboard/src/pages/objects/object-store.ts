// All objects of the plane as lines, kept up to date: listed once in pages, then only what changed
// is asked for, a few times a second. What was seen stays while the plane does not answer. Bounded:
// beyond the bound the page says that there are more.

import { type Signal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { session } from "../../live/session.ts"
import { byName, type ObjectRow, type TreeRow, treeRow } from "./object-row.ts"
import type { KindNames } from "./object-tree.ts"

export const rowsMax = 50_000
const pageSize = 2000
const everyMs = 400
const pauseMs = 2000

interface Page {
  readonly kinds: KindNames
  readonly rows: readonly ObjectRow[]
  readonly cursor: string
  readonly next?: string
}

interface Changes {
  readonly again?: true
  readonly rows?: readonly ObjectRow[]
  readonly gone?: readonly string[]
  readonly cursor?: string
  readonly more?: boolean
}

export interface StoreState {
  /** "listing": there is more to come. */
  readonly phase: "listing" | "live" | "stale"
  readonly truncated: boolean
  readonly fault?: RequestFault
}

export class ObjectStore {
  /** By key; read it after `version`. */
  readonly rows = new Map<string, TreeRow>()
  /** Keys in the order of names; undefined when one came since. */
  #sorted: readonly string[] | undefined
  kinds: KindNames = {}
  readonly version: Signal<number> = signal(0)
  readonly state: Signal<StoreState> = signal({ phase: "listing", truncated: false })
  readonly #path: string

  /** Of one loop, or of all when it is "". */
  constructor(loop: string) {
    this.#path = `/setpoint/v1/objects?${loop === "" ? "" : `loop=${encodeURIComponent(loop)}&`}`
  }

  /** In the order of their names, which changes only when objects come or go. */
  list(): readonly TreeRow[] {
    const rows = this.#sorted?.flatMap((key) => this.rows.get(key) ?? [])
    if (rows !== undefined && rows.length === this.rows.size) return rows
    const sorted = [...this.rows.values()].sort(byName)
    this.#sorted = sorted.map(({ key }) => key)
    return sorted
  }

  async follow(ends: AbortSignal): Promise<void> {
    let cursor: string | undefined
    while (!ends.aborted) {
      const rests = document.hidden || session.peek().state !== "in"
      try {
        if (rests) await pause(everyMs, ends)
        else if (cursor === undefined) cursor = await this.#list(ends)
        else {
          const changes = await ask<Changes>(`${this.#path}after=${cursor}&limit=${pageSize}`, {
            signal: ends,
          })
          cursor = this.#take(changes)
          if (changes.more !== true) await pause(everyMs, ends)
        }
      } catch (error) {
        if (ends.aborted) return
        this.state.value = { ...this.state.peek(), phase: "stale", fault: toRequestFault(error) }
        await pause(pauseMs, ends)
      }
    }
  }

  async #list(ends: AbortSignal): Promise<string> {
    const seen = new Set<string>()
    let next = ""
    for (;;) {
      const from = next === "" ? "" : `&next=${encodeURIComponent(next)}`
      const page = await ask<Page>(`${this.#path}limit=${pageSize}${from}`, { signal: ends })
      this.kinds = page.kinds
      for (const row of page.rows) {
        seen.add(row.key)
        this.#put(row)
      }
      next = page.next ?? ""
      const full = seen.size >= rowsMax
      const isLast = next === "" || full
      // What is not in the new list went while nobody looked.
      if (isLast) for (const key of this.rows.keys()) if (!seen.has(key)) this.rows.delete(key)
      this.#tell({ phase: isLast ? "live" : "listing", truncated: full && next !== "" })
      if (isLast) return page.cursor
    }
  }

  /** Where to go on from; undefined when everything has to be listed again. */
  #take({ again, rows = [], gone = [], cursor }: Changes): string | undefined {
    if (again === true) return undefined
    for (const key of gone) this.rows.delete(key)
    for (const row of rows) this.#put(row)
    const { phase, truncated } = this.state.peek()
    if (rows.length + gone.length > 0 || phase !== "live") this.#tell({ phase: "live", truncated })
    return cursor
  }

  #put(row: ObjectRow): void {
    const isKnown = this.rows.has(row.key)
    if (isKnown || this.rows.size < rowsMax) this.rows.set(row.key, treeRow(row))
    if (!isKnown) this.#sorted = undefined
  }

  #tell(state: StoreState): void {
    const { phase, truncated, fault } = this.state.peek()
    const same = phase === state.phase && truncated === state.truncated && fault === undefined
    if (!same) this.state.value = state
    this.version.value = this.version.peek() + 1
  }
}

function pause(ms: number, ends: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    ends.addEventListener(
      "abort",
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

interface Shared {
  readonly store: ObjectStore
  readonly ends: AbortController
  users: number
}

const shared = new Map<string, Shared>()
/** Whoever opens an object and comes back finds the list as it was left. */
const lingerMs = 60_000

export function useObjects(loop = ""): ObjectStore {
  const row = useMemo(() => {
    const known = shared.get(loop)
    if (known !== undefined) return known
    const made = { store: new ObjectStore(loop), ends: new AbortController(), users: 0 }
    shared.set(loop, made)
    void made.store.follow(made.ends.signal)
    return made
  }, [loop])
  useEffect(() => {
    row.users++
    return () => {
      row.users--
      setTimeout(() => {
        if (row.users > 0 || shared.get(loop) !== row) return
        shared.delete(loop)
        row.ends.abort()
      }, lingerMs)
    }
  }, [row])
  return row.store
}
