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

export interface DeleteRequest {
  readonly origin: DeleteOrigin
  readonly principal: Principal
  readonly candidates: readonly DeleteCandidate[]
  readonly dryRun: boolean
  readonly sourceRevision?: string
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
