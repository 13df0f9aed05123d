// What one pass over one object puts into its loop's round: the action and all that performing it
// later needs.

import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { type Action, isDestructive } from "../contract/action.ts"
import type { Dated, Observation } from "../contract/observation.ts"
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

/** Read late enough, and completely where it destroys something. */
export function isFresh(
  action: Action,
  observation: Dated<Observation>,
  notBefore: number,
): boolean {
  if (observation.asOf < notBefore) return false
  const partial = observation.kind === "present" && observation.partial === true
  return !partial || !isDestructive(action) || !protects("destruction-after-complete-look")
}
