// Objects that go together: a deletecollection takes what was there, all of it or nothing, each at
// a revision of its own and no other one between them; what an owner leaves behind is found.

import { ownerOf } from "./collections.ts"
import {
  type Clear,
  describeStored,
  type History,
  isSameContent,
  isSelected,
  type Key,
  type Stored,
} from "./history.ts"
import type { Timeline } from "./timeline.ts"

export function checkSets(history: History, timeline: Timeline): string[] {
  const clears = history.operations.filter((one): one is Clear => one.what === "clear")
  return clears.flatMap((clear) => checkClear(clear, timeline))
}

/** How many objects went with their owner. */
export function countCascaded(timeline: Timeline): number {
  return timeline.changes.filter(({ key, revision, stored }) => {
    const owner = timeline.during(key, revision - 1, revision - 1)[0]?.owner
    if (stored !== undefined || owner === undefined) return false
    return timeline.during(ownerOf(key), revision, revision)[0]?.uid !== owner
  }).length
}

/** Objects whose owner is gone. */
export function orphansLeft(timeline: Timeline): Key[] {
  return [...timeline.keys()].filter((key) => {
    const owner = timeline.of(key).at(-1)?.stored?.owner
    return owner !== undefined && timeline.of(ownerOf(key)).at(-1)?.stored?.uid !== owner
  })
}

function checkClear(clear: Clear, timeline: Timeline): string[] {
  const { id, selection, gone, revisions, status, invoked, responded } = clear
  const name = `${id} (deletecollection of ${JSON.stringify(selection)})`
  if (status === undefined) return []
  const [from, to] = [timeline.floor(invoked), timeline.ceiling(responded)]
  const near = timeline.changes.filter(({ revision }) => revision > from && revision <= to)
  if (status === 409 && near.length >= retries) return []
  if (status !== 200) return [`${name}: answered ${status}`]
  const first = revisions[0] ?? to + 1
  const violations: string[] = []
  if (revisions.some((revision, index) => revision !== first + index)) {
    violations.push(`${name}: made ${revisions.join()}, which are not one after the other`)
  }
  if (revisions.some((revision) => revision <= from || revision > to)) {
    violations.push(`${name}: made ${revisions.join()}, but it was from ${from} to ${to}`)
  }
  for (const [key, stored] of gone) {
    const before = timeline.during(key, stored.revision - 1, stored.revision - 1)[0]
    if (before?.uid === stored.uid && isSameContent(before, stored)) continue
    const said = `${key} as ${describeStored(stored)}`
    violations.push(`${name}: took ${said}, which was ${describeStored(before)}`)
  }
  const moments = [from, ...near.map(({ revision }) => revision)].filter((one) => one < first)
  if (!moments.some((moment) => isAll(clear, moment, first - 1, timeline))) {
    const taken = gone.map(([key]) => key)
    violations.push(`${name}: took ${taken.join()}, which never was all of it`)
  }
  return violations
}

/** One write that came first, and five more, are tried again. */
const retries = 6

/**
 * What was selected at one moment. Each object is looked at once more after that, before all of
 * them go: one that went, was made again or is not selected then was never meant, and stays.
 */
function isAll({ selection, gone }: Clear, moment: number, end: number, timeline: Timeline) {
  const selected = timeline.snapshot(selection, moment)
  const taken = new Map(gone)
  const isMeant = (key: Key, stored: Stored) =>
    selected.get(key)?.uid === stored.uid && isSelected(selection, key, stored)
  const isOther = (key: Key, uid: string) =>
    timeline
      .during(key, moment, end)
      .some((now) => now?.uid !== uid || !isSelected(selection, key, now))
  return (
    gone.every(([key, stored]) => isMeant(key, stored)) &&
    [...selected].every(([key, { uid }]) => taken.has(key) || isOther(key, uid))
  )
}
