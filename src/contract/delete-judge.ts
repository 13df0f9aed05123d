// Deletes are judged before anything is marked. The API, source prune and cascades expand a request
// to targets and ask here first; over the limit nothing of the set is marked.

import type { ApiObject, ObjectKey } from "../object/object.ts"
import type { Principal } from "./principal.ts"
import type { Check, Write } from "./store.ts"
import type { Reason } from "./verdict.ts"

export type DeleteOrigin = "name" | "collection" | "prune" | "cascade" | "namespace"

export interface DeleteCandidate {
  readonly key: ObjectKey
  readonly object: ApiObject
}

/** A living composite that asks for deletes among its own children. */
export interface AskingParent {
  /** Text form of its key. */
  readonly object: string
  /** UIDs of those that others of their kind have taken the place of: changes, not deletes. */
  readonly replaced: readonly string[]
}

export interface DeleteRequest {
  readonly origin: DeleteOrigin
  readonly principal: Principal
  readonly candidates: readonly DeleteCandidate[]
  readonly dryRun: boolean
  readonly sourceRevision?: string
  readonly parent?: AskingParent
}

export type DeleteJudgement =
  /** Mark these; the writes reserve their budget in the same commit as the marks. */
  | {
      readonly kind: "allowed"
      readonly reserve: { readonly checks: readonly Check[]; readonly writes: readonly Write[] }
    }
  /** Nothing was marked; the plan waits for a person. */
  | { readonly kind: "held"; readonly plan: string; readonly reasons: readonly Reason[] }
  | { readonly kind: "denied"; readonly reasons: readonly Reason[] }

export interface DeleteJudge {
  judge(request: DeleteRequest): Promise<DeleteJudgement>
}
