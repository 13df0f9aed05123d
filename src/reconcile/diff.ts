// The three-way difference of one target: what was applied, what is desired, what was observed.
// Pure. Secrets are hidden and long values compacted before anything is compared or remembered.

import { compactValue } from "../base/hash.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { FieldChange } from "../contract/action.ts"
import type { TargetRecord } from "../contract/record.ts"
import { diffThreeWay } from "../schema/three-way.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import { hideSecrets, type SecretHasher } from "./secrets.ts"

export interface DiffInput {
  readonly kind: KindRuntime
  readonly desired: JsonObject
  /** Undefined when the target is absent. */
  readonly observed: JsonObject | undefined
  readonly record: TargetRecord | undefined
  readonly hasher: SecretHasher
}

export function diffTarget({ kind, desired, observed, record, hasher }: DiffInput): FieldChange[] {
  const { provider, node } = kind
  const normal = (value: JsonObject) =>
    protects("compare-normal-forms") ? (provider.normalize?.(value) ?? value) : value
  const prepare = (value: JsonObject) => hideSecrets(normal(value), provider.secretPaths, hasher)
  const applied = protects("removed-field-is-removed") ? record?.applied : undefined
  const differences = diffThreeWay(node, {
    desired: prepare(desired),
    ...(applied === undefined ? {} : { applied }),
    ...(observed === undefined ? {} : { observed: prepare(observed) }),
  })
  return differences.map(({ path, before, after, why }) => {
    const old = compactValue(before)
    const wanted = compactValue(after)
    return {
      path,
      why,
      ...(old === undefined ? {} : { before: old }),
      ...(wanted === undefined ? {} : { after: wanted }),
    }
  })
}
