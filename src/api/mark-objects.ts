// Marks or removes a judged set. What was judged goes in one commit together with its reservation;
// a large rest follows in parts, roots last, so that a crash in between leaves the request
// repeatable. A namespace goes first: once it is marked nothing is made in it, and the next start
// goes on. A set that no commit can hold is reserved as a whole before anything is marked.

import { toTimestamp } from "../base/clock.ts"
import { jsonText } from "../base/json-text.ts"
import type { Deleted } from "../contract/verbs.ts"
import type { ApiObject } from "../object/object.ts"
import { type ApiContext, commitObjects, type ObjectWrite } from "./api-context.ts"
import { endingDefinition, isDefinition } from "./definition-end.ts"
import { endWrite, type ObjectEnd } from "./end-object.ts"
import type { Reserve } from "./judge-delete.ts"
import { isNamespace } from "./namespace-exists.ts"
import { withPropagation } from "./propagation.ts"
import { readStored, type StoredObject } from "./stored-object.ts"
import { withRevision } from "./write-object.ts"

const partMax = 500
const partBytesMax = 8 * 1024 * 1024
const togetherMax = 4000
const togetherBytesMax = 24 * 1024 * 1024

export interface MarkOptions {
  readonly dryRun: boolean
  /** Storage keys of those whose dependents stay and lose their reference. */
  readonly orphaning?: ReadonlySet<string>
  /** Storage keys of those that stay until their dependents are gone. */
  readonly waiting?: ReadonlySet<string>
  /** Called when a part is committed: what follows is the rest of the same delete. */
  onBegun?(): void
}

/** What became of the roots, in order; undefined when something changed since it was read. */
export async function markObjects(
  context: ApiContext,
  fresh: readonly StoredObject[],
  roots: readonly StoredObject[],
  reserve: Reserve,
  options: MarkOptions,
): Promise<Deleted[] | undefined> {
  const time = toTimestamp(context.clock.now())
  const plans = new Map(
    fresh.map((stored) => {
      const object = prepared(stored, options, time)
      return [stored.storageKey, { stored, ...endWrite({ ...stored, object }, time) }]
    }),
  )
  const revisions = new Map<string, number>()
  const answer = (): Deleted[] =>
    roots.map(({ storageKey, object }) => {
      const end = plans.get(storageKey)
      if (end === undefined) return { object, gone: false }
      const revision = revisions.get(storageKey)
      const after = revision === undefined ? end.after : withRevision(end.after, revision)
      return { object: after, gone: end.write.object === undefined }
    })
  if (options.dryRun || plans.size === 0) return answer()
  const orphaning = fresh.filter(({ storageKey }) => options.orphaning?.has(storageKey))
  const released = await releaseDependents(context, orphaning, plans)
  const rootKeys = new Set(roots.map(({ storageKey }) => storageKey))
  const ends = [...plans.values()]
  const isFirst = ({ stored }: End) =>
    isNamespace(stored) || context.hasProvider(stored.key.group, stored.key.resource)
  const rest = ends.filter((end) => !isFirst(end))
  const last = rest.filter(({ stored }) => rootKeys.has(stored.storageKey))
  const others = rest.filter(({ stored }) => !rootKeys.has(stored.storageKey))
  const bytes = bytesOf([...released, ...ends.map(({ write }) => write)])
  const small = ends.length + released.length <= partMax && bytes <= partBytesMax
  // What stays has lost its reference before its owner goes.
  const judged = [...released, ...(small ? ends : ends.filter(isFirst)).map(({ write }) => write)]
  const later = small ? [] : [...others, ...last].map(({ write }) => write)
  for (const { objects, also } of [...withReserve(judged, reserve), ...alone(later)]) {
    if (objects.length === 0 && also.writes.length === 0) continue
    const made = await commitObjects(context, objects, also)
    if (made === undefined) return undefined
    options.onBegun?.()
    for (const [index, revision] of made.entries()) {
      const key = objects[index]?.storageKey
      if (key !== undefined) revisions.set(key, revision)
    }
  }
  return answer()
}

/** With the finalizers that the kind of this delete needs. */
function prepared(stored: StoredObject, options: MarkOptions, time: string): ApiObject {
  const { object, storageKey } = stored
  if (isDefinition(stored)) return endingDefinition(object, time)
  return withPropagation(object, options.waiting?.has(storageKey) === true)
}

interface Part {
  readonly objects: readonly ObjectWrite[]
  readonly also: Reserve
}

const alone = (objects: readonly ObjectWrite[]): Part[] =>
  inParts(objects, sizeOf).map((part) => ({ objects: part, also: { checks: [], writes: [] } }))

/** Together where that is possible; else every permission first, and then the marks. */
function withReserve(objects: readonly ObjectWrite[], reserve: Reserve): Part[] {
  const isFew = objects.length + reserve.writes.length <= togetherMax
  if (isFew && bytesOf(objects) <= togetherBytesMax) return [{ objects, also: reserve }]
  const reserved = inParts(reserve.writes, () => 0).map((writes) => {
    return { objects: [], also: { checks: reserve.checks, writes } }
  })
  return [...reserved, ...alone(objects)]
}

const aboutBytes = 1024

/** Asked for more than once, and written out for each answer. */
const sizes = new WeakMap<ApiObject, number>()

/** Of one that stays, with its mark; about as much as it is when it is stored. */
function sizeOf({ object }: ObjectWrite): number {
  if (object === undefined) return aboutBytes
  const size = sizes.get(object) ?? aboutBytes + Buffer.byteLength(jsonText(object))
  sizes.set(object, size)
  return size
}

const bytesOf = (writes: readonly ObjectWrite[]): number =>
  writes.reduce((sum, write) => sum + sizeOf(write), 0)

interface End extends ObjectEnd {
  readonly stored: StoredObject
}

function inParts<T>(items: readonly T[], size: (item: T) => number): T[][] {
  const parts: T[][] = []
  let [part, bytes]: [T[], number] = [[], 0]
  for (const item of items) {
    const more = size(item)
    if (part.length === partMax || (part.length > 0 && bytes + more > partBytesMax)) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(item)
    bytes += more
  }
  return part.length === 0 ? parts : [...parts, part]
}

async function releaseDependents(
  context: ApiContext,
  roots: readonly StoredObject[],
  ending: ReadonlyMap<string, unknown>,
): Promise<ObjectWrite[]> {
  const uids = new Set(roots.map(({ object }) => object.metadata.uid ?? ""))
  const keys = [...uids].flatMap((uid) => context.owners.dependents(uid))
  const writes = new Map<string, ObjectWrite>()
  for (const key of keys) {
    const stored = await readStored(context, key)
    // One that two of them own loses both references at once.
    if (stored === undefined || ending.has(stored.storageKey)) continue
    const { ownerReferences = [], ...metadata } = stored.object.metadata
    const kept = ownerReferences.filter((reference) => !uids.has(reference.uid))
    const object = {
      ...stored.object,
      metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept },
    }
    const { storageKey, revision: before } = stored
    writes.set(storageKey, { storageKey, before, object })
  }
  return [...writes.values()]
}
