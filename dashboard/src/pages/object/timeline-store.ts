// What happened to one object, kept up to date: the newest part once, then only what came after it,
// when the plane's revision has moved; older parts by hand.

import { type Signal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { JournalEntry } from "../../../../src/contract/journal.ts"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { planeStatus } from "../../live/status.ts"

interface TimelinePage {
  readonly entries: readonly JournalEntry[]
  /** The last record of the journal. */
  readonly head: number
  /** There may be more before this one. */
  readonly before?: number
  /** This is all, whatever was asked for. */
  readonly whole?: true
}

export interface Timeline {
  /** The newest first; undefined until it was read. */
  readonly entries: readonly JournalEntry[] | undefined
  readonly head: number
  readonly before: number | undefined
  readonly fault: RequestFault | undefined
}

const nothing: Timeline = { entries: undefined, head: 0, before: undefined, fault: undefined }
const everyMs = 1000

export class TimelineStore {
  readonly view: Signal<Timeline> = signal(nothing)
  readonly #path: string
  #revision = -1

  constructor(object: string) {
    this.#path = `/setpoint/v1/timeline?object=${encodeURIComponent(object)}`
  }

  /** Until it is called off. */
  follow(): () => void {
    let busy = false
    const look = async () => {
      const revision = planeStatus().peek().data?.revision ?? 0
      const { fault } = this.view.peek()
      if (busy || document.hidden || (revision === this.#revision && fault === undefined)) return
      busy = true
      this.#revision = revision
      await this.#newer()
      busy = false
    }
    void look()
    const timer = setInterval(() => void look(), everyMs)
    return () => clearInterval(timer)
  }

  async older(): Promise<void> {
    const { before } = this.view.peek()
    await this.#ask(`&before=${before}`, ({ entries: more, before: rest }, known) => {
      return { ...known, entries: [...(known.entries ?? []), ...more], before: rest }
    })
  }

  async #newer(): Promise<void> {
    const { entries, head } = this.view.peek()
    const after = entries === undefined ? "" : `&after=${head}`
    await this.#ask(after, (page, known) => {
      // So much came since that there would be a gap: from here on anew.
      const fresh = known.entries === undefined || page.before !== undefined || page.whole === true
      const rest = fresh ? { before: page.before } : { before: known.before }
      const all = fresh ? page.entries : [...page.entries, ...(known.entries ?? [])]
      return { ...known, ...rest, entries: all, head: page.head }
    })
  }

  async #ask(query: string, take: (page: TimelinePage, known: Timeline) => Timeline) {
    try {
      const page = await ask<TimelinePage>(`${this.#path}${query}`)
      this.view.value = { ...take(page, this.view.peek()), fault: undefined }
    } catch (error) {
      this.view.value = { ...this.view.peek(), fault: toRequestFault(error) }
    }
  }
}

export function useTimeline(object: string): TimelineStore {
  const store = useMemo(() => new TimelineStore(object), [object])
  useEffect(() => store.follow(), [store])
  return store
}
