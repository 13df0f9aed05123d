// All objects that have a provider, a line each: where it belongs, who owns it, how it stands, what
// it takes values from. Pages over the index, then only what changed since; no object is read or
// parsed for it. A caller sees what they may list, or get by name.

import { isArray } from "../base/json.ts"
import type { IndexEntry } from "../informer/object-index.ts"
import { planeFault } from "./faults.ts"
import type { Plane } from "./plane.ts"
import { objectAccess, type Sight } from "./route-access.ts"

const limitMax = 5000
const referencesShown = 20
const messageShown = 300
/** A caller who sees little of a large plane is answered over several pages. */
const lookedMax = 50_000

export interface ObjectRow {
  readonly key: string
  readonly uid: string
  readonly loop?: string
  readonly owner?: string
  readonly generation: number
  readonly state: string
  readonly reason?: string
  /** Wall time, in ms. */
  readonly since?: number
  /** What keeps it from converging, when something does. */
  readonly message?: string
  readonly deleting?: true
  readonly wave?: number
  /** Keys of the objects that it takes values from. */
  readonly refers?: readonly string[]
}

export function objectsOf(plane: Plane, query: URLSearchParams, sight: Sight): object {
  const limit = Math.min(limitMax, Math.max(1, Number(query.get("limit") ?? 1000) || 1000))
  const loop = query.get("loop") ?? undefined
  const shows = shownTo(sight, loop)
  const after = query.get("after")
  if (after !== null) return changesSince(plane, after, limit, shows)
  return page(plane, query.get("next") ?? "", limit, shows)
}

type Shows = (key: string, entry: IndexEntry | undefined) => boolean

/**
 * To list tells more than to get: a role that may get everything, and list nothing, has to know the
 * names already. One that names its objects knows them.
 */
function shownTo(sight: Sight, loop: string | undefined): Shows {
  const places = new Map<string, boolean | undefined>()
  return (key, entry) => {
    if (entry !== undefined && loop !== undefined && entry.loop !== loop) return false
    const place = key.slice(0, key.lastIndexOf("/"))
    if (!places.has(place)) places.set(place, whole(sight, key))
    return places.get(place) ?? sight.object(key)
  }
}

/** Whether all of its kind and namespace are shown, or none; undefined when it goes by names. */
function whole(sight: Sight, key: string): boolean | undefined {
  const { name: _, ...place } = objectAccess("list", key)
  if (sight.may(place)) return true
  return sight.may({ ...place, verb: "get" }) ? false : undefined
}

/** `EPOCH.NUMBER`: numbers begin anew with every start of the plane. */
const cursorOf = (plane: Plane, number: number): string =>
  `${plane.ports.store.identity.epoch}.${number}`

function page(plane: Plane, next: string, limit: number, shows: Shows): object {
  const { feed } = plane.engine
  const [cursor, from, order] = next === "" ? [] : readNext(next)
  const kinds = [...(feed?.kindNames() ?? [])]
  const begin = from === undefined ? 0 : kinds.findIndex(([name]) => name === from)
  if (begin < 0) throw planeFault("SPT-VIEW-001", { option: "next", value: next.slice(0, 80) })
  // What changes while pages are read is told to whoever asks for changes since the first of them.
  const started = cursor ?? cursorOf(plane, plane.board.last)
  const rows: ObjectRow[] = []
  let looked = 0
  for (const [name] of kinds.slice(begin)) {
    for (const entry of feed?.entriesAfter(name, name === from ? Number(order) : 0) ?? []) {
      if (shows(entry.key, entry)) rows.push(rowOf(plane, entry))
      if (rows.length >= limit || ++looked >= lookedMax) {
        return { ...answer(kinds, rows, started), next: `${started}~${name}~${entry.order}` }
      }
    }
  }
  return answer(kinds, rows, started)
}

const answer = (kinds: readonly [string, string][], rows: readonly ObjectRow[], cursor: string) => {
  return { kinds: Object.fromEntries(kinds), rows, cursor }
}

function readNext(text: string): readonly string[] {
  const parts = /^(\d{1,15}\.\d{1,15})~([^~]{1,300})~(\d{1,15})$/.exec(text)
  if (isArray(parts)) return parts.slice(1)
  throw planeFault("SPT-VIEW-001", { option: "next", value: text.slice(0, 80) })
}

function changesSince(plane: Plane, after: string, limit: number, shows: Shows): object {
  const parts = /^(\d{1,15})\.(\d{1,15})$/.exec(after)
  if (parts === null)
    throw planeFault("SPT-VIEW-001", { option: "after", value: after.slice(0, 80) })
  const same = Number(parts[1]) === plane.ports.store.identity.epoch
  const changed = same ? plane.board.since(Number(parts[2]), limit) : undefined
  if (changed === undefined) return { again: true }
  const rows: ObjectRow[] = []
  const gone: string[] = []
  for (const key of changed.keys) {
    const entry = plane.engine.feed?.entry(key)
    if (entry !== undefined && shows(key, entry)) rows.push(rowOf(plane, entry))
    // What went, or belongs to another loop now.
    else if (shows(key, undefined)) gone.push(key)
  }
  return { rows, gone, cursor: cursorOf(plane, changed.upTo), more: changed.more }
}

export function rowOf({ engine }: Plane, entry: IndexEntry): ObjectRow {
  const { key, uid, loop, owner, generation, standing, marked, wave } = entry
  const { word, reason, since } = standing
  const message = engine.reporter.stateOf(key)?.message.slice(0, messageShown)
  const refers = [...new Set(engine.references.of(key).map(({ target }) => target))]
  return {
    ...{ key, uid, generation, state: word },
    ...(loop === "" ? {} : { loop }),
    ...(owner === "" ? {} : { owner }),
    ...(reason === "" ? {} : { reason }),
    ...(since === 0 ? {} : { since }),
    ...(message === undefined ? {} : { message }),
    ...(marked ? { deleting: true as const } : {}),
    ...(wave === 0 ? {} : { wave }),
    ...(refers.length === 0 ? {} : { refers: refers.slice(0, referencesShown) }),
  }
}
