// The one way in. The in-process client and the HTTP client have this shape; both go through the
// same verbs, admission and audit. Failures are thrown as faults with an HTTP status.

import type { Json } from "../base/json.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

export interface ObjectRef extends ResourceRef {
  readonly namespace: string
  readonly name: string
}

export interface ListOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  /** Not older than this, or exactly this; what it means is told by resourceVersionMatch. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
}

export interface ObjectList {
  readonly items: readonly ApiObject[]
  readonly resourceVersion: string
  readonly continue?: string
  /** How many come after this page, where that is known. */
  readonly remainingItemCount?: number
}

export interface WriteOptions {
  readonly dryRun?: boolean
  /** Who owns the fields that this write sets. */
  readonly fieldManager?: string
  /** Unknown fields are refused, dropped with a warning, or dropped; apply is Strict by itself. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore"
  /** Members that the body held twice, as its reader saw them: `spec.color`. */
  readonly duplicates?: readonly string[]
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string
  /** Take fields over from other managers, but never from a source. */
  readonly force?: boolean
  /** Only the status is applied; the object has to exist. */
  readonly subresource?: "status"
}

/** What must hold of an object for it to be deleted; 409 otherwise. */
export interface Preconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface DeleteOptions extends Preconditions {
  readonly dryRun?: boolean
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
}

/** `resourceVersion` is that of the list; what must hold of each object is apart from it. */
export interface DeleteManyOptions extends ListOptions, Omit<DeleteOptions, keyof Preconditions> {
  readonly preconditions?: Preconditions
}

export type ObjectEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }

/** A strategic merge is for built-in kinds only. */
export type PatchType = "merge" | "json" | "strategic"

export interface Client {
  /** Undefined when there is none; everything else that fails is thrown. */
  get(ref: ObjectRef): Promise<ApiObject | undefined>
  list(resource: ResourceRef, options?: ListOptions): Promise<ObjectList>
  /** Changes after the resourceVersion; ends with the signal; throws 410 when that is gone. */
  watch(
    resource: ResourceRef,
    options: ListOptions & { readonly resourceVersion: string; readonly signal: AbortSignal },
  ): AsyncIterable<ObjectEvent>
  create(resource: ResourceRef, object: ApiObject, options?: WriteOptions): Promise<ApiObject>
  update(resource: ResourceRef, object: ApiObject, options?: WriteOptions): Promise<ApiObject>
  updateStatus(resource: ResourceRef, object: ApiObject): Promise<ApiObject>
  patch(ref: ObjectRef, type: PatchType, patch: Json, options?: WriteOptions): Promise<ApiObject>
  /** Server-side apply: merges, owns what it set, removes what it no longer sets. */
  apply(resource: ResourceRef, object: ApiObject, options: ApplyOptions): Promise<ApiObject>
  /** The object as it was marked or last was; held deletes throw 403 and name the plan. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<ApiObject>
  deleteCollection(resource: ResourceRef, options?: DeleteManyOptions): Promise<ObjectList>
  /** Any subresource or view that is not one of the verbs above (plans/approval, ledger views). */
  call(method: "GET" | "POST", path: string, body?: Json): Promise<Json>
}
