// The provider contract: a provider states facts and performs single actions; the engine decides,
// retries, waits and limits. `defineKind` (provider/) makes these from what an author writes.

import type { Json, JsonObject } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import type { Action } from "./action.ts"
import type { Failure } from "./diagnosis.ts"
import type { Importer } from "./importer.ts"
import type { Listing, Observation } from "./observation.ts"
import type { LogPage, LogRequest } from "./processes.ts"
import type { ActWorld, Closeable, ReadWorld } from "./world.ts"

/** How a half-done create is recognised again. */
export type IdentityRule = "derived" | "clientToken" | "searchable" | "none"

/** One real thing outside, as the provider sees it. */
export interface Target {
  readonly uid: string
  readonly object: string
  /**
   * Spec after defaults and references. When the declaration moved to another target, the old one
   * comes as it was recorded: with hashes ({$hash, $length}) for secret and for long values.
   */
  readonly desired: JsonObject
  /** What `identity(desired)` says; unique within provider and connection. */
  readonly identity: string
  readonly externalId?: string
  /** The spec last applied, when there is one. */
  readonly applied?: JsonObject
}

export interface ObserveContext {
  readonly world: ReadWorld
  readonly signal: AbortSignal
}

export interface ActContext {
  readonly world: ActWorld
  readonly signal: AbortSignal
  readonly action: Action
  /** The token of the observation this action was planned on; the check happens at the effect. */
  readonly token?: string
  /** The same for every attempt of this incarnation's create: the client token. */
  readonly idempotencyKey: string
}

/**
 * `failed` means proven: nothing was changed (a refused compare-and-swap, a 4xx). Whatever a
 * provider throws counts as unknown: it may have happened, and is observed before the next act.
 * `note` is a sentence for the receipt, for example where a backup was put.
 */
export type ActResult =
  | { readonly kind: "done"; readonly externalId?: string; readonly note?: string }
  | {
      readonly kind: "failed"
      readonly cause: string
      readonly stuck?: boolean
      /** What is known besides the words: errno, HTTP status, or the class itself. */
      readonly failure?: Failure
    }

/** A value taken from a field of another object (`fooFrom` beside `foo`). */
export interface Reference {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** Dotted path into the other object's spec or status, or the data of a Secret or ConfigMap. */
  readonly field: string
  /** The field that it fills, for example `listeners[0].address`. */
  readonly path?: string
}

export interface Desire {
  readonly desired: JsonObject
  /** References that have no value yet: the object waits for them. */
  readonly missing: readonly Reference[]
}

/** Runs one kind of target. */
export interface KindProvider {
  /** The apiextensions.k8s.io/v1 definition of the kind. */
  readonly definition: ApiObject
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  /** Name of the provider, the first part of a target's identity. */
  readonly provider: string
  readonly identityRule: IdentityRule
  /** Changes to these fields can't be made in place: the target is replaced. */
  readonly replaceOn: readonly string[]
  /**
   * Its objects decide which programs run here, who may enter or what the network lets through:
   * agents do not get to write them by default.
   */
  readonly privileged?: boolean
  /** Field paths whose values are secret. */
  readonly secretPaths: readonly string[]
  /** Children of one parent are interchangeable. */
  readonly fungible: boolean
  /** This field gets the object's UID unless the spec gives it: for targets without a name. */
  readonly uidField?: string
  /**
   * Fields that drift again and again by nature, and whose corrections the provider paces. What
   * they became by themselves never stands against what is declared.
   */
  readonly restless?: readonly string[]
  /** What was written is seen by the next read, also where there is a connection. */
  readonly readsOwnWrites?: boolean
  /** Read twice before drift is acted on. */
  readonly confirmDrift: boolean
  readonly timeoutMs: { readonly observe: number; readonly act: number }
  /** Calls to this connection share rate limit and breaker ("" where there is only one). */
  connection(desired: JsonObject): string
  identity(desired: JsonObject): string
  /** The spec without the engine's own fields, with references filled in. */
  desire?(spec: JsonObject, lookup: (reference: Reference) => Json | undefined): Desire
  /** The scope that lists this target, for kinds with `list`. */
  scope?(desired: JsonObject): string
  /** Every target of a scope in one read; `sample` is any one target of that scope. */
  list?(scope: string, sample: Target, context: ObserveContext): Promise<Listing>
  /** One target; present on kinds without `list`. */
  observe?(target: Target, context: ObserveContext): Promise<Observation>
  /**
   * Cheap sweep: for each identity a fingerprint that changes whenever a full observation could
   * differ, or undefined when it can't say (absent, unreadable). Same order as the identities.
   */
  fingerprints?(identities: readonly string[], world: ReadWorld): readonly (string | undefined)[]
  /** Puts both sides into the target's normal form before comparing. */
  normalize?(value: JsonObject): JsonObject
  create(target: Target, context: ActContext): Promise<ActResult>
  update(target: Target, context: ActContext): Promise<ActResult>
  delete(target: Target, context: ActContext): Promise<ActResult>
  /**
   * Where the medium is atomic over many targets of one scope. One result per action, in order. The
   * verb of each item's action is create, update or delete.
   */
  actBatch?(
    scope: string,
    items: readonly { readonly target: Target; readonly context: ActContext }[],
  ): Promise<readonly ActResult[]>
  /**
   * Takes away what an act that a crash cut off left beside the target; never the target itself.
   * Called at start for every act without a receipt, before anything else is done there.
   */
  cleanUp?(identity: string, uid: string, world: ActWorld): Promise<void>
  /** A batch can't be split: the actions of a round share the strictest verdict. */
  readonly batchWhole: boolean
  /** What the target wrote, for kinds whose targets write something. */
  log?(identity: string, request: LogRequest, world: ReadWorld): Promise<LogPage>
  /** Tells what exists already. */
  readonly importer?: Importer
  /** Edge trigger: calls `changed` when this target may have changed. */
  watch?(target: Target, world: ReadWorld, changed: () => void): Closeable
}
