// Hands published revisions to the watches that have caught up. Each has an inbox bounded in
// changes and bytes; one that is too slow is cut and told so, never skipped and never buffered on.

import { deferred } from "../base/async.ts"
import type { Clock, Timer } from "../base/clock.ts"
import type { Fault } from "../base/faults.ts"
import type { Change, Revision } from "../contract/store.ts"

export interface WatchLimits {
  /** Changes that may wait for one reader. */
  readonly changes: number
  readonly bytes: number
  /** How long a watch is quiet before it reports progress. */
  readonly progressMs: number
}

export const defaultWatchLimits: WatchLimits = {
  changes: 32_768,
  bytes: 32 * 1024 * 1024,
  progressMs: 1000,
}

export interface Published {
  readonly revision: Revision
  readonly changes: readonly Change[]
}

export type InboxEnd =
  | { readonly kind: "overrun" }
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly fault: Fault }

export class Inbox {
  readonly prefix: string
  /** Revisions up to this one are not wanted. */
  readonly after: Revision
  readonly #limits: WatchLimits
  readonly #clock: Clock | undefined
  #events: Published[] = []
  #head = 0
  #changes = 0
  #bytes = 0
  #end: InboxEnd | undefined
  #wake: (() => void) | undefined
  #timer: Timer | undefined
  #progressDue = false

  /** With a clock it asks for progress when other keys changed and then nothing more came. */
  constructor(prefix: string, after: Revision, limits: WatchLimits, clock?: Clock) {
    this.prefix = prefix
    this.after = after
    this.#limits = limits
    this.#clock = clock
  }

  offer(event: Published): void {
    if (this.#end !== undefined || event.revision <= this.after) return
    const changes = under(this.prefix, event.changes)
    if (changes === undefined) {
      this.#passed()
      return
    }
    this.#timer?.cancel()
    this.#timer = undefined
    this.#progressDue = false
    this.#changes += changes.length
    for (const change of changes) this.#bytes += change.key.length + (change.value?.length ?? 0)
    // One revision is taken whole, however large: else no reader could ever pass it.
    const waits = this.#events.length > this.#head
    if (waits && (this.#changes > this.#limits.changes || this.#bytes > this.#limits.bytes)) {
      this.finish({ kind: "overrun" })
      return
    }
    this.#events.push(changes === event.changes ? event : { revision: event.revision, changes })
    this.#wake?.()
  }

  get hasEvents(): boolean {
    return this.#events.length > this.#head
  }

  take(): Published | undefined {
    const event = this.#events[this.#head]
    if (event === undefined) return undefined
    this.#head++
    if (this.#head === this.#events.length || this.#head >= 1024) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
    this.#changes -= event.changes.length
    for (const change of event.changes)
      this.#bytes -= change.key.length + (change.value?.length ?? 0)
    return event
  }

  /** True once when progress should be reported. */
  takeProgress(): boolean {
    const due = this.#progressDue
    this.#progressDue = false
    return due
  }

  /** An overrun or a failure ends at once, and what waited is dropped. */
  get end(): InboxEnd | undefined {
    return this.#end
  }

  finish(end: InboxEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#events = []
    this.#head = 0
    this.#timer?.cancel()
    this.#wake?.()
  }

  wait(): Promise<void> {
    if (this.#end !== undefined || this.#progressDue || this.hasEvents) return Promise.resolve()
    const woken = deferred<void>()
    this.#wake = () => {
      this.#wake = undefined
      woken.resolve()
    }
    return woken.promise
  }

  wake(): void {
    this.#wake?.()
  }

  #passed(): void {
    if (this.#clock === undefined || this.#timer !== undefined) return
    this.#timer = this.#clock.after(this.#limits.progressMs, () => {
      this.#timer = undefined
      this.#progressDue = true
      this.#wake?.()
    })
  }
}

/** Undefined when there are none: most revisions hold one change, which most do not want. */
function under(prefix: string, changes: readonly Change[]): readonly Change[] | undefined {
  if (changes.length === 1) return changes[0]?.key.startsWith(prefix) ? changes : undefined
  const some = changes.filter((change) => change.key.startsWith(prefix))
  return some.length === 0 ? undefined : some
}

export class WatchHub {
  readonly #inboxes = new Set<Inbox>()
  #end: InboxEnd | undefined

  attach(inbox: Inbox): void {
    if (this.#end !== undefined) inbox.finish(this.#end)
    else this.#inboxes.add(inbox)
  }

  detach(inbox: Inbox): void {
    this.#inboxes.delete(inbox)
    inbox.finish({ kind: "closed" })
  }

  get listening(): boolean {
    return this.#inboxes.size > 0
  }

  publish(event: Published): void {
    for (const inbox of this.#inboxes) inbox.offer(event)
  }

  end(end: InboxEnd): void {
    this.#end = end
    for (const inbox of this.#inboxes) inbox.finish(end)
    this.#inboxes.clear()
  }
}
