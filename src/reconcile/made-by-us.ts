// Whether what is there now was made by a create of ours that has no receipt. That nothing was
// there before the intent is no proof: the plane may have ended before it made anything, and
// somebody else may have made it since. Only what shows it is ours may be taken away.

import { protects } from "../base/protections.ts"
import type { Present } from "../contract/observation.ts"
import type { TargetRecord } from "../contract/record.ts"
import { diffTarget } from "./diff.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import type { SecretHasher } from "./secrets.ts"

export function isMadeByUs(
  kind: KindRuntime,
  record: TargetRecord,
  seen: Present,
  hasher: SecretHasher,
): boolean {
  if (!protects("interrupted-create-needs-proof")) return true
  if (seen.mark !== undefined) return seen.mark === record.uid
  // It was found by the token that our create sent along.
  if (kind.provider.identityRule === "clientToken" || seen.unfinished === true) return true
  return isAsIntended(kind, record, seen, hasher)
}

/** To the last field as the act that is under way would leave it. */
export function isAsIntended(
  kind: KindRuntime,
  record: TargetRecord,
  { value: observed }: Present,
  hasher: SecretHasher,
): boolean {
  const desired = record.pending?.applied
  if (desired === undefined) return false
  // With the record: what it should have taken away and is still there is a difference, too.
  return diffTarget({ kind, desired, observed, record, hasher }).length === 0
}
