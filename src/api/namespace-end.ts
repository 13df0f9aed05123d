// The end of a marked namespace: when nothing but its loops and plans is left, those and the
// namespace itself go in one commit. Loops go last, so that every target still has its judge.

import { toTimestamp } from "../base/clock.ts"
import { setpointGroup } from "../object/object.ts"
import { type ApiContext, commitObjects, type ObjectWrite } from "./api-context.ts"
import { decodeObject } from "./codec.ts"
import { endWrite, finalizersOf } from "./end-object.ts"
import { namespaceKey } from "./namespace-exists.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { readStored } from "./stored-object.ts"

const attempts = 5
const lastMax = 1000

/** Loops and plans stay until everything else in their namespace is gone. */
export function goesLast(key: { group: string; resource: string }): boolean {
  return key.group === setpointGroup && ["loops", "plans"].includes(key.resource)
}

/** Ends the namespace if it is marked and empty; true when it is gone. */
export async function finishNamespace(context: ApiContext, name: string): Promise<boolean> {
  if (name === "") return false
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await readStored(context, namespaceKey(name))
    if (stored === undefined) return true
    if (stored.object.metadata.deletionTimestamp === undefined) return false
    if ((stored.object.metadata.finalizers ?? []).length > 0) return false
    const last = await readLast(context, name)
    if (last === undefined) return false
    const waiting = last.filter(({ object }) => object !== undefined)
    const end = { storageKey: stored.storageKey, before: stored.revision }
    const all: ObjectWrite[] =
      waiting.length > 0 ? waiting : [...last, { ...end, object: undefined, value: undefined }]
    const revision = await commitObjects(context, all, { checks: [], writes: [] })
    if (revision !== undefined) return waiting.length === 0
  }
  return false
}

/** How loops and plans end: marked when a finalizer waits; undefined when others are there. */
async function readLast(
  context: ApiContext,
  namespace: string,
): Promise<ObjectWrite[] | undefined> {
  const time = toTimestamp(context.clock.now())
  const last: ObjectWrite[] = []
  const seen = new Set<string>()
  for (const served of context.registry.all()) {
    const prefix = resourcePrefix(served.group, served.resource, namespace)
    if (!served.namespaced || seen.has(prefix)) continue
    seen.add(prefix)
    const page = await context.store.range({ prefix, limit: goesLast(served) ? lastMax : 1 })
    if (page.kind === "compacted" || page.more) return undefined
    if (page.entries.length > 0 && !goesLast(served)) return undefined
    for (const { key, value, modRevision } of page.entries) {
      const object = decodeObject(value, modRevision)
      const isMarked = object.metadata.deletionTimestamp !== undefined
      // A marked loop whose finalizer still waits ends the namespace when it is gone itself.
      if (isMarked && finalizersOf(object).length > 0) return undefined
      last.push(endWrite({ storageKey: key, revision: modRevision, object }, time).write)
    }
  }
  return last
}
