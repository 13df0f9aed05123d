// The composite contract: a kind made of other kinds. Its author writes one pure function from what
// is declared and what is known to what should exist now; the plane writes the children as objects,
// and loops, guards and providers do the rest. A composer never acts, waits or remembers: all that
// it needs to go on after a crash stands in the objects.

import type { Json, JsonObject } from "../base/json.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

/** A kind whose objects the composer is given. */
export interface KindName {
  readonly group: string
  readonly kind: string
}

/** A child that the API does not take as it is composed. */
export interface RefusedChild {
  /** The manifest, as the plane would write it. */
  readonly object: ApiObject
  readonly message: string
}

export interface ComposeInput {
  /** With spec after defaults, and the status that was written last. */
  readonly parent: ApiObject
  /** Every object that this parent controls, those that are being deleted too. */
  readonly children: readonly ApiObject[]
  /** Every object of the kinds in `related` in the parent's namespace, sorted by name. */
  readonly related: readonly ApiObject[]
  /** Wall clock, in milliseconds. */
  readonly now: number
  /** What would be refused in this very pass; only for kinds with `hearsRefusals`. */
  readonly refused?: readonly RefusedChild[]
  /**
   * Keyed by the plane, the same for ever: tells whether a secret is another one where the secret
   * itself must not stand, as in names and in the status.
   */
  readonly hashSecret?: (value: Json) => string
}

export interface Composition {
  /** Whole manifests. A child of this parent that is not among them is deleted, by the guards. */
  readonly children: readonly ApiObject[]
  /** Becomes the parent's status; `conditions` as Kubernetes has them. */
  readonly status: JsonObject
  /** The status of related objects that have no provider of their own. */
  readonly reports?: readonly { readonly object: ApiObject; readonly status: JsonObject }[]
  /**
   * Manifests of children that are not wanted yet, of which it matters already whether they would
   * be refused. Only tried, and only for kinds with `hearsRefusals`.
   */
  readonly tries?: readonly ApiObject[]
  /** Asked again after so many milliseconds even if nothing changed. */
  readonly againMs?: number
}

/** What a composer says when it can't know: nothing is written or deleted, the parent says why. */
export interface NoComposition {
  readonly stalled: string
}

export interface CompositeKind extends ResourceRef {
  /** The apiextensions.k8s.io/v1 definition of the kind. */
  readonly definition: ApiObject
  readonly kind: string
  readonly namespaced: boolean
  /** The kinds that its children may have. */
  readonly children: readonly KindName[]
  readonly related: readonly KindName[]
  /** Dotted paths in the spec that are shown as keyed hashes only. */
  readonly secretPaths?: readonly string[]
  /** As for kinds with targets; needless where a child's kind is privileged. */
  readonly privileged?: boolean
  /** Declared data: it has no children, and its status comes from the reports of another kind. */
  readonly reported?: boolean
  /**
   * Its children belong to several people: before anything is written it is asked again, with what
   * would be refused, and can go on without that. A refused child that exists stays as it is.
   */
  readonly hearsRefusals?: boolean
  compose(input: ComposeInput): Composition | NoComposition
}
