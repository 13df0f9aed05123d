// Linearizability by revisions: writes replayed in the order of their revisions must have had the
// effect they were asked for, reads and refusals must tell a state of their own window of time.

import { ownerOf } from "./collections.ts"
import {
  type Change,
  type Clear,
  describeStored,
  type History,
  isSame,
  isSameContent,
  type Key,
  type List,
  type Read,
  type Stored,
  type Write,
} from "./history.ts"
import type { Timeline, Version } from "./timeline.ts"

export function checkOperations(history: History, timeline: Timeline): string[] {
  const writes = history.operations.filter((one): one is Write => one.what === "write")
  const clears = history.operations.filter((one): one is Clear => one.what === "clear")
  const happened = attribute(writes, clears, timeline)
  timeline.begin([
    ...writes.flatMap((write) => {
      const revision = happened.of.get(write.id)
      // Which of several deletes without an answer it was is a guess: no ground for a verdict.
      const guessed = write.status === undefined && write.change.kind === "delete"
      return revision === undefined || guessed ? [] : [{ time: write.invoked, revision }]
    }),
    ...clears.flatMap(({ invoked, revisions: [revision] }) => {
      return revision === undefined ? [] : [{ time: invoked, revision }]
    }),
  ])
  return [
    ...happened.violations,
    ...writes.flatMap((write) => checkWrite(write, happened.of.get(write.id), timeline)),
    ...history.operations.flatMap((one) => {
      if (one.what === "read") return checkRead(one, timeline)
      return one.what === "list" ? checkList(one, timeline) : []
    }),
  ]
}

interface Happened {
  /** The revision that a write made. */
  readonly of: ReadonlyMap<string, number>
  readonly violations: readonly string[]
}

/** Who made each change, and whether that is what was asked for. */
function attribute(
  writes: readonly Write[],
  clears: readonly Clear[],
  timeline: Timeline,
): Happened {
  const of = new Map<string, number>()
  const violations: string[] = []
  const sets = new Set(clears.flatMap(({ gone }) => gone.map(([, { revision }]) => revision)))
  const byId = new Map(writes.map((write) => [write.id, write]))
  const deletes = Map.groupBy(
    writes.filter(({ change }) => change.kind === "delete"),
    ({ key }) => key,
  )
  for (const key of timeline.keys()) {
    let before: Stored | undefined
    for (const version of timeline.of(key)) {
      const known = (time: number) => timeline.floor(time) >= version.revision
      const isGone = version.stored === undefined
      // An answer named it, or it went with its owner.
      const isOfSet = isGone && (sets.has(version.revision) || isOrphan(before, version, timeline))
      const own = (deletes.get(key) ?? []).filter(({ id }) => !of.has(id))
      const write = isGone
        ? findDelete(own, before, (time) => !isOfSet && !known(time))
        : byId.get(version.stored?.data.w ?? "")
      const isExplained =
        isOfSet ||
        (isGone && clears.some((clear) => isPossible(clear, key) && !known(clear.invoked)))
      const wrong =
        write === undefined || write.key !== key
          ? isExplained
            ? undefined
            : "nobody asked for it"
          : of.has(write.id)
            ? `it happened at ${of.get(write.id)} already`
            : isRefused(write)
              ? `it was refused with ${write.status}`
              : wrongEffect(write.change, before, version)
      const said = describeStored(version.stored)
      if (wrong !== undefined) {
        violations.push(`${write?.id ?? "?"} on ${key} at ${version.revision} (${said}): ${wrong}`)
      }
      if (write !== undefined && !of.has(write.id)) of.set(write.id, version.revision)
      before = version.stored
    }
  }
  return { of, violations }
}

/** Its owner was gone when it went: with it, or collected later. */
function isOrphan(before: Stored | undefined, { key, revision }: Version, timeline: Timeline) {
  const owner = before?.owner
  if (owner === undefined) return false
  const [state] = timeline.during(ownerOf(key), revision, revision)
  return state?.uid !== owner
}

/** Nobody knows what became of it, and it may have taken this object along. */
const isPossible = ({ status, selection }: Clear, key: Key): boolean =>
  status === undefined && key.startsWith(`${selection.collection}/${selection.namespace}/`)

const isRefused = ({ status }: Write) => status !== undefined && status >= 300

/** The acknowledged delete of that very object; else one that may have happened then. */
function findDelete(
  free: readonly Write[],
  before: Stored | undefined,
  isPossible: (invoked: number) => boolean,
): Write | undefined {
  const known = free.find(({ deleted }) => deleted !== undefined && deleted === before?.uid)
  if (known !== undefined) return known
  const possible = free.filter(({ status, change, invoked }) => {
    if (status !== undefined || change.kind !== "delete" || !isPossible(invoked)) return false
    if (change.uid !== undefined && change.uid !== before?.uid) return false
    return change.against === undefined || change.against === before?.revision
  })
  // What can have been fewer deletes goes first, so that it does not stay behind.
  const bound = ({ change }: Write) => (change.kind === "delete" && change.uid ? 1 : 0)
  return possible.toSorted((a, b) => bound(b) - bound(a) || b.invoked - a.invoked)[0]
}

function wrongEffect(
  change: Change,
  before: Stored | undefined,
  { stored }: Version,
): string | undefined {
  const was = describeStored(before)
  if (change.kind === "delete") {
    if (before === undefined) return "deleted what was not there"
    if (change.uid !== undefined && change.uid !== before.uid) return `deleted ${was}`
    return change.against === undefined || change.against === before.revision
      ? undefined
      : `wanted ${change.against}, deleted ${was}`
  }
  if (stored === undefined || change.kind === "touch") return "changed what it must not"
  const creates = before === undefined
  if (change.kind === "create" && !creates) return `created over ${was}`
  if (creates && change.kind !== "create" && change.kind !== "apply") return "changed nothing"
  if (change.kind === "put" && change.against !== before?.revision) {
    return `swapped against ${change.against}, but there was ${was}`
  }
  if (change.kind === "json" && change.test !== before?.data.w) {
    return `tested for ${change.test}, but there was ${was}`
  }
  if (!creates && before.uid !== stored.uid) return `became another object: ${was}`
  const replaces = change.kind === "put" || change.kind === "create"
  const data = replaces ? change.data : { ...before?.data, ...change.data }
  const team = "team" in change ? (change.team ?? undefined) : undefined
  const owner = replaces ? change.owner : before?.owner
  const expected = {
    ...{ data, ...optional(replaces ? team : (team ?? before?.team)) },
    ...(owner === undefined ? {} : { owner }),
  }
  return isSameContent(stored, expected)
    ? undefined
    : `lost something: there was ${was}, asked for ${JSON.stringify(change)}`
}

const optional = (team: string | undefined) => (team === undefined ? {} : { team })

function checkWrite(write: Write, revision: number | undefined, timeline: Timeline): string[] {
  const { id, key, status, change, invoked, responded, result } = write
  const name = `${id} (${change.kind} of ${key})`
  if (status !== undefined && status >= 500 && status !== 503 && status !== 504) {
    return [`${name}: answered ${status}`]
  }
  const [from, to] = [timeline.floor(invoked), timeline.ceiling(responded)]
  if (revision !== undefined) {
    if (revision > from && revision <= to) return []
    return [`${name}: made ${revision}, but ${from} was there before and ${to} after`]
  }
  if (status === undefined) return []
  const states = timeline.during(key, from, to)
  if (status < 300) {
    if (change.kind !== "touch") return [`${name}: acknowledged with ${status}, never happened`]
    return states.some((state) => isSame(state, result))
      ? []
      : [`${name}: answered ${describeStored(result)}, which was not there then`]
  }
  // Who names no revision is tried again five times before the others have won.
  const contended = status === 409 && change.kind !== "create" && changes(timeline, key, from, to)
  return contended || states.some((state) => explains(status, change, state))
    ? []
    : [`${name}: refused with ${status}, but there was ${states.map(describeStored).join(", ")}`]
}

const retries = 6

/** A delete also loses to whoever changes what goes with it. */
function changes(timeline: Timeline, key: Key, from: number, to: number): boolean {
  const place = key.slice(0, key.lastIndexOf("/") + 1)
  const near = [...timeline.keys()].filter((one) => one === key || one.startsWith(place))
  const all = near.flatMap((one) => timeline.of(one))
  return all.filter(({ revision }) => revision > from && revision <= to).length >= retries
}

/** Whether a state makes this refusal right. */
function explains(status: number, change: Change, state: Stored | undefined): boolean {
  if (status === 404) return state === undefined && change.kind !== "create"
  if (status === 422) return change.kind === "json" && state?.data.w !== change.test
  if (status !== 409) return false
  if (change.kind === "create") return state !== undefined
  if (change.kind === "delete" && change.uid !== undefined && change.uid !== state?.uid) return true
  // Also when it went meanwhile: what was named is not there.
  return "against" in change && change.against !== undefined && change.against !== state?.revision
}

function checkRead(read: Read, timeline: Timeline): string[] {
  if (read.status === undefined) return []
  if (read.status !== 200 && read.status !== 404) return [`${read.id}: answered ${read.status}`]
  const [from, to] = [timeline.floor(read.invoked), timeline.ceiling(read.responded)]
  const states = timeline.during(read.key, from, to)
  if (states.some((state) => isSame(state, read.result))) return []
  const said = describeStored(read.result)
  const were = states.map(describeStored).join(", ")
  return [`${read.id} (read of ${read.key}): saw ${said}; from ${from} to ${to} it was ${were}`]
}

function checkList(list: List, timeline: Timeline): string[] {
  if (list.status === undefined) return []
  const name = `${list.id} (list of ${JSON.stringify(list.selection)})`
  if (list.status !== 200) return [`${name}: answered ${list.status}`]
  const violations: string[] = []
  const [revision = 0, ...others] = list.revisions
  if (others.some((other) => other !== revision)) {
    violations.push(`${name}: pages of ${list.revisions.join(", ")}`)
  }
  const [from, to] = [timeline.floor(list.invoked), timeline.ceiling(list.responded)]
  if (list.exact !== undefined && list.exact !== revision) {
    violations.push(`${name}: asked for ${list.exact}, got ${revision}`)
  }
  if (list.exact === undefined && (revision < from || revision > to)) {
    violations.push(`${name}: of ${revision}, but it was from ${from} to ${to}`)
  }
  const snapshot = timeline.snapshot(list.selection, revision)
  const keys = list.items.map(([key]) => key)
  if (keys.join() !== [...snapshot.keys()].sort().join()) {
    violations.push(`${name}: has ${keys.join()}, not ${[...snapshot.keys()].sort().join()}`)
  }
  for (const [key, stored] of list.items) {
    if (isSame(snapshot.get(key), stored)) continue
    const was = describeStored(snapshot.get(key))
    violations.push(`${name}: ${key} is ${describeStored(stored)}, was ${was} at ${revision}`)
  }
  return violations
}
