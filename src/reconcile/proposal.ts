// What one pass over one object puts into its loop's round: the action and all that performing it
// later needs.

import type { JsonObject } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import type { Target } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { ApiObject } from "../object/object.ts"
import type { KindRuntime } from "./kind-runtime.ts"

export interface Proposal {
  readonly action: Action
  readonly key: string
  readonly object: ApiObject
  readonly kind: KindRuntime
  /** With the desired state that the provider is given. */
  readonly target: Target
  /** What will have been applied: normal form, secrets hidden. */
  readonly applied: JsonObject
  readonly record: TargetRecord
  readonly fresh: boolean
  readonly adoptDeclared: boolean
  readonly limitedChange: boolean
  readonly desiredHash: string
}
