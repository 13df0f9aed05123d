// The end of a marked namespace: when nothing but its loops and plans is left, those and the
// namespace itself go in one commit. Loops go last, so that every target still has its judge. Until
// then its status says what is left.

import { toTimestamp } from "../base/clock.ts"
import { equalJson, isArray, type Json } from "../base/json.ts"
import { setpointGroup } from "../object/object.ts"
import { type ApiContext, commitObject, commitObjects, type ObjectWrite } from "./api-context.ts"
import { decodeObject } from "./codec.ts"
import { endWrite, finalizersOf } from "./end-object.ts"
import { namespaceKey } from "./namespace-exists.ts"
import { contentFinalizer, endingStatus, type NamespaceContent } from "./namespace-status.ts"
import { resourceName } from "./served-resource.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { readStored, type StoredObject } from "./stored-object.ts"

const attempts = 5
const lastMax = 1000
/** Of each kind, to find finalizers that wait. */
const lookedAt = 50

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
    const last = await readLast(context, name)
    const others = finalizersOf(stored.object).some((one) => one !== contentFinalizer)
    if (last === undefined || others) {
      if (await tellContent(context, stored)) return false
      continue
    }
    if (!last.isAll) {
      if (await commitAll(context, last.writes)) attempt--
      continue
    }
    const waiting = last.writes.filter(({ object }) => object !== undefined)
    const end = { storageKey: stored.storageKey, before: stored.revision, object: undefined }
    const all: ObjectWrite[] = waiting.length > 0 ? waiting : [...last.writes, end]
    if (!(await commitAll(context, all))) continue
    if (waiting.length === 0) context.owners.suspectDependents(stored.object.metadata.uid ?? "")
    return waiting.length === 0
  }
  return false
}

const commitAll = async (context: ApiContext, writes: readonly ObjectWrite[]): Promise<boolean> =>
  (await commitObjects(context, writes, { checks: [], writes: [] })) !== undefined

/** False when somebody else changed the namespace meanwhile. */
async function tellContent(context: ApiContext, stored: StoredObject): Promise<boolean> {
  const { object, storageKey, revision } = stored
  const content = await readContent(context, stored.key.name)
  const told = endingStatus(object, content, toTimestamp(context.clock.now()))
  if (equalJson(told.status, object.status)) return true
  const write = { storageKey, before: revision, object: told }
  return (await commitObject(context, write)) !== undefined
}

/** Which kinds are left, without counting: a status is not written for each object that goes. */
export async function readContent(
  context: Pick<ApiContext, "store" | "registry">,
  namespace: string,
): Promise<NamespaceContent> {
  const resources = new Set<string>()
  const finalizers = new Set<string>()
  for (const { prefix, name, last } of namespacedPrefixes(context, namespace)) {
    if (last) continue
    const page = await context.store.range({ prefix, limit: lookedAt })
    if (page.kind === "compacted" || page.entries.length === 0) continue
    resources.add(name)
    for (const { value, modRevision } of page.entries) {
      for (const one of finalizersOf(decodeObject(value, modRevision))) finalizers.add(one)
    }
  }
  return { resources: [...resources].sort(), finalizers: [...finalizers].sort() }
}

function namespacedPrefixes(context: Pick<ApiContext, "registry">, namespace: string) {
  return context.registry.places().map((place) => ({
    prefix: resourcePrefix(place.group, place.resource, namespace),
    name: resourceName(place),
    last: goesLast(place),
  }))
}

/** What goes last, or the first part of it. */
interface Last {
  readonly writes: readonly ObjectWrite[]
  readonly isAll: boolean
}

/** How loops and plans end: marked when a finalizer waits; undefined when others are there. */
async function readLast(context: ApiContext, namespace: string): Promise<Last | undefined> {
  const time = toTimestamp(context.clock.now())
  const last: ObjectWrite[] = []
  let isAll = true
  for (const { prefix, last: isLast } of namespacedPrefixes(context, namespace)) {
    const page = await context.store.range({ prefix, limit: isLast ? lastMax : 1 })
    if (page.kind === "compacted") return undefined
    if (page.entries.length > 0 && !isLast) return undefined
    if (page.more) isAll = false
    for (const { key, value, modRevision } of page.entries) {
      const object = decodeObject(value, modRevision)
      const isMarked = object.metadata.deletionTimestamp !== undefined
      // A marked loop whose finalizer still waits ends the namespace when it is gone itself.
      if (isMarked && finalizersOf(object).length > 0) return undefined
      last.push(endWrite({ storageKey: key, revision: modRevision, object }, time).write)
    }
  }
  return { writes: last, isAll }
}

/** Namespaces that still have others' finalizers, as `namespaces/finalize` writes them. */
export function innerFinalizers(spec: { readonly finalizers?: Json } | undefined): string[] {
  const given = spec?.finalizers
  return isArray(given) ? given.filter((one) => typeof one === "string") : []
}
