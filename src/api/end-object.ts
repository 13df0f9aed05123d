// How one object ends: it goes at once, or, while finalizers wait, it is marked and stays.

import type { Revision } from "../contract/store.ts"
import type { ApiObject } from "../object/object.ts"
import type { ObjectWrite } from "./api-context.ts"

export interface ObjectEnd {
  /** As it was marked, or as it last was. */
  readonly after: ApiObject
  readonly write: ObjectWrite
}

export interface Ending {
  readonly storageKey: string
  readonly revision: Revision
  readonly object: ApiObject
}

export function endWrite({ storageKey, revision, object }: Ending, time: string): ObjectEnd {
  const stays = finalizersOf(object).length > 0
  const marked = markObject(object, time)
  const write: ObjectWrite = {
    storageKey,
    before: revision,
    object: stays ? marked : undefined,
  }
  return { after: stays ? marked : object, write }
}

const isNamespaceObject = (object: ApiObject): boolean =>
  object.kind === "Namespace" && object.apiVersion === "v1"

function markObject(object: ApiObject, time: string): ApiObject {
  if (object.metadata.deletionTimestamp !== undefined) return object
  const generation = (object.metadata.generation ?? 0) + 1
  const mark = { deletionTimestamp: time, deletionGracePeriodSeconds: 0 }
  const metadata = { ...object.metadata, ...mark, generation }
  const marked = { ...object, metadata }
  if (!isNamespaceObject(object)) return marked
  return { ...marked, status: { ...object.status, phase: "Terminating" } }
}

/** Namespaces keep theirs in spec, as in Kubernetes. */
export function finalizersOf(object: ApiObject): string[] {
  const own = object.metadata.finalizers ?? []
  if (!isNamespaceObject(object)) return [...own]
  const inner = object.spec?.finalizers
  return [...own, ...(Array.isArray(inner) ? inner : [])]
}

/** Marked, and nothing waits for it any more. */
export function isEnded(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).length === 0
}
