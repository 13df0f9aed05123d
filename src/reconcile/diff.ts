// The three-way difference of one target: what was applied, what is desired, what was observed.
// Pure. Secrets are hidden and long values compacted before anything is compared or remembered.

import { compactValue } from "../base/hash.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { FieldChange } from "../contract/action.ts"
import type { TargetRecord } from "../contract/record.ts"
import { diffThreeWay } from "../schema/three-way.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import { hideSecrets, hideUnhidden, type SecretHasher } from "./secrets.ts"

export interface DiffInput {
  readonly kind: KindRuntime
  readonly desired: JsonObject
  /** Undefined when the target is absent. */
  readonly observed: JsonObject | undefined
  readonly record: TargetRecord | undefined
  readonly hasher: SecretHasher
}

const topField = (path: string): string => path.split(/[.[]/)[0] ?? path

export function diffTarget({ kind, desired, observed, record, hasher }: DiffInput): FieldChange[] {
  const { provider, node } = kind
  const normal = (value: JsonObject) =>
    protects("compare-normal-forms") ? (provider.normalize?.(value) ?? value) : value
  const prepare = (value: JsonObject) => hideSecrets(normal(value), provider.secretPaths, hasher)
  const applied = protects("removed-field-is-removed") ? record?.applied : undefined
  const differences = diffThreeWay(node, {
    desired: prepare(desired),
    // A field may hold the value of a Secret only since it was last applied.
    ...(applied === undefined
      ? {}
      : { applied: hideUnhidden(applied, provider.secretPaths, hasher) }),
    ...(observed === undefined ? {} : { observed: prepare(observed) }),
  })
  return differences.map(({ path, before, after, why }) => {
    const old = compactValue(before)
    const wanted = compactValue(after)
    // What changes by itself by nature is nobody's other wish.
    const natural = why === "conflict" && provider.restless?.includes(topField(path)) === true
    return {
      path,
      why: natural ? "requested" : why,
      ...(old === undefined ? {} : { before: old }),
      ...(wanted === undefined ? {} : { after: wanted }),
    }
  })
}
