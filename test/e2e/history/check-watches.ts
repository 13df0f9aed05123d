// What a watcher must have seen: exactly the changes of its selection after its start, in the order
// of revisions, once each, over all of its connections; marks never ahead of what was delivered.

import {
  describeStored,
  type History,
  isSame,
  isSameContent,
  isSelected,
  type Key,
  type Seen,
  type Selection,
  type Stored,
  type Watch,
} from "./history.ts"
import type { Timeline } from "./timeline.ts"

export function checkWatches(history: History, timeline: Timeline): string[] {
  return history.watches.flatMap((watch) => checkWatch(watch, timeline))
}

export interface Expected {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly revision: number
  readonly key: Key
  /** As it is, or as it was before it went. */
  readonly stored: Stored
}

/** The events of a selection after one revision. */
export function expectedEvents(
  timeline: Timeline,
  selection: Selection,
  after: number,
): Expected[] {
  const before = new Map<Key, Stored | undefined>()
  const events: Expected[] = []
  for (const { revision, key, stored } of timeline.changes) {
    const old = before.get(key)
    before.set(key, stored)
    if (revision <= after) continue
    const [was, is] = [isSelected(selection, key, old), isSelected(selection, key, stored)]
    if (is && stored !== undefined) {
      events.push({ type: was ? "MODIFIED" : "ADDED", revision, key, stored })
    } else if (was && old !== undefined)
      events.push({ type: "DELETED", revision, key, stored: old })
  }
  return events
}

function checkWatch(watch: Watch, timeline: Timeline): string[] {
  const say = (text: string) => `watch ${watch.name}: ${text}`
  const failed = watch.seen.filter(({ type }) => type === "ERROR")
  if (failed.length > 0) return [say(`was told an error after ${failed[0]?.revision}`)]
  if (typeof watch.start === "number") {
    const rest = watch.seen
    return follow(watch, rest, expectedEvents(timeline, watch.selection, watch.start), say)
  }
  if (watch.start === "state with an end mark") return checkMarked(watch, timeline, say)
  // Without an end mark nobody says where the state ends: some revision must explain all of it.
  const revisions = timeline.changes.map(({ revision }) => revision)
  const from = timeline.floor(watch.invoked)
  let best: string[] | undefined
  for (const revision of [from, ...revisions.filter((one) => one > from)]) {
    const snapshot = timeline.snapshot(watch.selection, revision)
    const first = watch.seen.slice(0, snapshot.size)
    if (!isState(first, snapshot)) continue
    const events = expectedEvents(timeline, watch.selection, revision)
    const wrong = follow(watch, watch.seen.slice(snapshot.size), events, say)
    if (wrong.length === 0) return []
    best ??= wrong
  }
  return best ?? [say("began with a state that never was")]
}

function checkMarked(watch: Watch, timeline: Timeline, say: (text: string) => string): string[] {
  const at = watch.seen.findIndex(({ type }) => type === "INITIAL-END")
  const mark = watch.seen[at]
  if (mark === undefined) return [say("never told that the first state is complete")]
  if (mark.revision < timeline.floor(watch.invoked)) return [say(`began at ${mark.revision}, late`)]
  const snapshot = timeline.snapshot(watch.selection, mark.revision)
  const first = new Map<Key, Seen>()
  for (const seen of watch.seen.slice(0, at)) {
    if (seen.type === "DELETED") first.delete(seen.key)
    else if (seen.type !== "BOOKMARK") first.set(seen.key, { ...seen, type: "ADDED" })
  }
  if (!isState([...first.values()], snapshot)) {
    return [say(`its end mark of ${mark.revision} came before or after what it marks`)]
  }
  const events = expectedEvents(timeline, watch.selection, mark.revision)
  return follow(watch, watch.seen.slice(at + 1), events, say)
}

const isState = (seen: readonly Seen[], snapshot: ReadonlyMap<Key, Stored>): boolean =>
  seen.length === snapshot.size &&
  new Set(seen.map(({ key }) => key)).size === snapshot.size &&
  seen.every(({ type, key, stored }) => type === "ADDED" && isSame(snapshot.get(key), stored))

const describeEvent = (event: Expected | Seen | undefined): string =>
  event === undefined
    ? "nothing"
    : `${event.type} ${event.key} ${event.revision} ${describeStored(event.stored)}`

function follow(
  watch: Watch,
  seen: readonly Seen[],
  expected: readonly Expected[],
  say: (text: string) => string,
): string[] {
  let next = 0
  let last = 0
  for (const event of seen) {
    const wanted = expected[next]
    if (event.type === "BOOKMARK" || event.type === "INITIAL-END") {
      if (wanted !== undefined && wanted.revision <= event.revision) {
        return [say(`mark of ${event.revision} before ${describeEvent(wanted)}`)]
      }
      if (event.revision < last) return [say(`mark of ${event.revision} after ${last}`)]
      continue
    }
    if (!isExpected(event, wanted)) {
      const text = `saw ${describeEvent(event)} where ${describeEvent(wanted)} was due`
      return [say(text)]
    }
    last = event.revision
    next++
  }
  const missing = expected[next]
  if (missing === undefined || watch.cut) return []
  return [say(`never saw ${describeEvent(missing)}; ${watch.seen.length} seen`)]
}

function isExpected(event: Seen, wanted: Expected | undefined): boolean {
  if (wanted === undefined || event.stored === undefined) return false
  const { type, revision, key, stored } = event
  if (type !== wanted.type || revision !== wanted.revision || key !== wanted.key) return false
  // What goes carries its last content and the revision of its going.
  return stored.uid === wanted.stored.uid && isSameContent(stored, wanted.stored)
}
