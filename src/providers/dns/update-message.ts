// One UPDATE message (RFC 2136) from the changes of several record sets. Every change carries what
// was seen as a prerequisite, so that the server itself refuses it when that is no longer so.
// Deletes stand before adds: a CNAME can take the place of other records in one message.

import { protects } from "../../base/protections.ts"
import { markNameOf, markText } from "./ownership.ts"
import type { ResourceRecord } from "./wire/message.ts"
import { nameLength } from "./wire/name.ts"
import { rdataBytes } from "./wire/rdata.ts"
import { recordClasses, recordTypes, typeNumber } from "./wire/record-numbers.ts"
import type { RecordSetFacts } from "./zone-view.ts"

export interface SetChange {
  readonly name: string
  readonly type: string
  /** As it was seen; missing when it was not there. */
  readonly before?: RecordSetFacts
  /** As it shall be; missing when it shall go. */
  readonly after?: RecordSetFacts
  /** UIDs in the mark before and after; missing for no mark. */
  readonly ownerBefore?: string
  readonly ownerAfter?: string
}

export interface UpdateSections {
  readonly answers: readonly ResourceRecord[]
  readonly authorities: readonly ResourceRecord[]
}

const empty = new Uint8Array(0)
/** Below 64 KiB with room for header, zone and signature. */
export const updateBytesMax = 60_000

export function updateOf(zone: string, changes: readonly SetChange[]): UpdateSections {
  const deleted = deletedTypes(changes)
  const parts = changes.map((change) => partsOf(zone, change, deleted))
  const guarded = protects("server-checks-prerequisites")
  return {
    answers: guarded ? parts.flatMap((part) => part.prerequisites) : [],
    authorities: [...parts.flatMap((part) => part.deletes), ...parts.flatMap((part) => part.adds)],
  }
}

interface Parts {
  readonly prerequisites: ResourceRecord[]
  readonly deletes: ResourceRecord[]
  readonly adds: ResourceRecord[]
}

/** Types that go, by owner: they are no obstacle to what comes in the same message. */
function deletedTypes(changes: readonly SetChange[]): ReadonlyMap<string, ReadonlySet<string>> {
  const deleted = new Map<string, Set<string>>()
  for (const { name, type, after } of changes) {
    if (after !== undefined) continue
    const types = deleted.get(name) ?? new Set()
    deleted.set(name, types.add(type))
  }
  return deleted
}

function partsOf(
  zone: string,
  change: SetChange,
  deleted: ReadonlyMap<string, ReadonlySet<string>>,
): Parts {
  const { name, type, before, after, ownerBefore, ownerAfter } = change
  const parts: Parts = { prerequisites: [], deletes: [], adds: [] }
  const number = typeNumber(type) ?? 0
  const gone = deleted.get(name)
  if (before !== undefined) {
    parts.prerequisites.push(...recordsOf(name, number, 0, before.values))
    parts.deletes.push(marker(name, number, recordClasses.ANY))
  } else if (type === "CNAME" && gone === undefined) {
    parts.prerequisites.push(marker(name, recordTypes.ANY, recordClasses.NONE))
  } else {
    parts.prerequisites.push(marker(name, number, recordClasses.NONE))
    // A server silently skips what can't stand beside a CNAME; this makes it say so.
    if (type !== "CNAME" && gone?.has("CNAME") !== true) {
      parts.prerequisites.push(marker(name, recordTypes.CNAME, recordClasses.NONE))
    }
  }
  if (after !== undefined) parts.adds.push(...recordsOf(name, number, after.ttl, after.values))
  const mark = markNameOf(name, type, zone)
  const text = (owner: string) => [markText({ owner, type, name })]
  if (ownerBefore !== undefined) {
    parts.prerequisites.push(...recordsOf(mark, recordTypes.TXT, 0, text(ownerBefore)))
  } else {
    // Whoever marked it meanwhile owns it now, also where we only want it gone.
    parts.prerequisites.push(marker(mark, recordTypes.TXT, recordClasses.NONE))
  }
  if (ownerBefore !== ownerAfter) {
    if (ownerBefore !== undefined)
      parts.deletes.push(marker(mark, recordTypes.TXT, recordClasses.ANY))
    if (ownerAfter !== undefined) {
      parts.adds.push(...recordsOf(mark, recordTypes.TXT, after?.ttl ?? 0, text(ownerAfter)))
    }
  }
  return parts
}

/** A record without data: "this set", "no such set" or "no such name", by its class. */
const marker = (name: string, type: number, of: number): ResourceRecord => ({
  ...{ name, type, class: of, ttl: 0, data: empty },
})

function recordsOf(
  name: string,
  type: number,
  ttl: number,
  values: readonly string[],
): ResourceRecord[] {
  const of = recordClasses.IN
  return values.map((value) => ({ name, type, class: of, ttl, data: rdataBytes(type, value) }))
}

/** Changes of one owner stay together; each group fits into one message, or is alone in its. */
export function chunkChanges<T extends { readonly change: SetChange }>(
  zone: string,
  items: readonly T[],
  bytesMax = updateBytesMax,
): T[][] {
  const byName = new Map<string, T[]>()
  for (const item of items) {
    const known = byName.get(item.change.name)
    if (known === undefined) byName.set(item.change.name, [item])
    else known.push(item)
  }
  const chunks: T[][] = []
  let chunk: T[] = []
  let size = 0
  for (const group of byName.values()) {
    const more = group.reduce((sum, { change }) => sum + sizeOf(zone, change), 0)
    if (chunk.length > 0 && size + more > bytesMax) {
      chunks.push(chunk)
      chunk = []
      size = 0
    }
    chunk.push(...group)
    size += more
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks
}

/** Without compression, so never less than what it takes. */
export function sizeOf(zone: string, change: SetChange): number {
  const { prerequisites, deletes, adds } = partsOf(zone, change, new Map())
  return [...prerequisites, ...deletes, ...adds].reduce(
    (sum, { name, data }) => sum + nameLength(name) + 10 + data.length,
    0,
  )
}
