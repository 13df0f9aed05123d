// The end of a marked namespace: when nothing but its loops and plans is left, those and the
// namespace itself go in one commit. Loops go last, so that every target still has its judge.

import { setpointGroup } from "../object/object.ts"
import { type ApiContext, commitObjects, type ObjectWrite } from "./api-context.ts"
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
    const end: ObjectWrite = {
      storageKey: stored.storageKey,
      before: stored.revision,
      object: undefined,
      value: undefined,
    }
    const none = { checks: [], writes: [] }
    if ((await commitObjects(context, [...last, end], none)) !== undefined) return true
  }
  return false
}

/** What goes with the namespace; undefined when something else is still there. */
async function readLast(
  context: ApiContext,
  namespace: string,
): Promise<ObjectWrite[] | undefined> {
  const last: ObjectWrite[] = []
  const seen = new Set<string>()
  for (const served of context.registry.all()) {
    const prefix = resourcePrefix(served.group, served.resource, namespace)
    if (!served.namespaced || seen.has(prefix)) continue
    seen.add(prefix)
    const limit = goesLast(served) ? lastMax : 1
    const page = await context.store.range({ prefix, limit })
    if (page.kind === "compacted" || page.more) return undefined
    if (page.entries.length > 0 && !goesLast(served)) return undefined
    for (const { key, modRevision } of page.entries) {
      last.push({ storageKey: key, before: modRevision, object: undefined, value: undefined })
    }
  }
  return last
}
