// The API as plain values in and out. HTTP, the in-process client and the engine call these; who
// asks is on every call.

import type { Json } from "../base/json.ts"
import type { ApiObject, ObjectKey, ResourceRef } from "../object/object.ts"
import type {
  ApplyOptions,
  DeleteManyOptions,
  DeleteOptions,
  ListOptions,
  ObjectEvent,
  ObjectList,
  ObjectRef,
  PatchType,
  WriteOptions,
} from "./client.ts"
import type { AskingParent, DeleteOrigin } from "./delete-judge.ts"
import type { Principal } from "./principal.ts"
import type { Revision } from "./store.ts"

export interface Written {
  readonly object: ApiObject
  readonly warnings: readonly string[]
  readonly created: boolean
  /** False when nothing differed and so nothing was stored. */
  readonly changed: boolean
  /** What was committed, for whoever answers with bytes. */
  readonly stored?: { readonly value: Uint8Array; readonly revision: Revision }
}

export interface Deleted {
  readonly object: ApiObject
  /** False when finalizers keep it, marked, for now. */
  readonly gone: boolean
  readonly warnings?: readonly string[]
}

export interface WatchRequest extends ListOptions {
  /** Changes after this one; "" is now. */
  readonly resourceVersion: string
  readonly signal: AbortSignal
}

export interface DeleteSetOptions {
  readonly origin: DeleteOrigin
  readonly sourceRevision?: string
  readonly dryRun?: boolean
  readonly parent?: AskingParent
}

/** The number of an object, wherever its definition says it is, as an autoscaling/v1 Scale. */
export interface ScaleVerbs {
  get(principal: Principal, ref: ObjectRef): Promise<ApiObject>
  update(
    principal: Principal,
    ref: ObjectRef,
    scale: ApiObject,
    options?: WriteOptions,
  ): Promise<Written>
  patch(
    principal: Principal,
    ref: ObjectRef,
    type: PatchType,
    patch: Json,
    options?: WriteOptions,
  ): Promise<Written>
  apply(
    principal: Principal,
    ref: ObjectRef,
    scale: ApiObject,
    options: ApplyOptions,
  ): Promise<Written>
}

export interface Verbs {
  readonly scale: ScaleVerbs
  get(principal: Principal, ref: ObjectRef): Promise<ApiObject | undefined>
  list(principal: Principal, resource: ResourceRef, options?: ListOptions): Promise<ObjectList>
  watch(
    principal: Principal,
    resource: ResourceRef,
    request: WatchRequest,
  ): AsyncIterable<ObjectEvent>
  create(
    principal: Principal,
    resource: ResourceRef,
    object: ApiObject,
    options?: WriteOptions,
  ): Promise<Written>
  update(
    principal: Principal,
    resource: ResourceRef,
    object: ApiObject,
    options?: WriteOptions,
  ): Promise<Written>
  updateStatus(
    principal: Principal,
    resource: ResourceRef,
    object: ApiObject,
    options?: WriteOptions,
  ): Promise<Written>
  patch(
    principal: Principal,
    ref: ObjectRef,
    type: PatchType,
    patch: Json,
    options?: WriteOptions & { readonly subresource?: "status" },
  ): Promise<Written>
  apply(
    principal: Principal,
    resource: ResourceRef,
    object: ApiObject,
    options: ApplyOptions,
  ): Promise<Written>
  delete(principal: Principal, ref: ObjectRef, options?: DeleteOptions): Promise<Deleted>
  deleteCollection(
    principal: Principal,
    resource: ResourceRef,
    options?: DeleteManyOptions,
  ): Promise<ObjectList>
  /** Judges and marks a set as one request; how a source prunes. Missing objects are skipped. */
  deleteSet(
    principal: Principal,
    keys: readonly ObjectKey[],
    options: DeleteSetOptions,
  ): Promise<readonly Deleted[]>
}

/** Serves what is not a verb: `/setpoint/v1/...` and subresources such as plans/approval. */
export interface ExtensionCalls {
  /** Undefined when no route matches. */
  call(
    principal: Principal,
    method: string,
    path: string,
    body: Json | undefined,
  ): Promise<Json> | undefined
}
