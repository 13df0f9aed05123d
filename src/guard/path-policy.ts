// What a loop does about one field: the longest path of its policies that covers the field decides,
// else the loop's own word.

import type { LoopSpec, OnConflict, OnDrift, PathPolicy } from "../contract/loop.ts"

type Policies = Pick<LoopSpec, "onDrift" | "onConflict" | "paths">

export function onDriftOf(spec: Policies, path: string): OnDrift {
  return closest(spec, path, (policy) => policy.onDrift) ?? spec.onDrift
}

export function onConflictOf(spec: Policies, path: string): OnConflict {
  return closest(spec, path, (policy) => policy.onConflict) ?? spec.onConflict
}

function closest<T>(
  { paths }: Policies,
  path: string,
  word: (policy: PathPolicy) => T | undefined,
): T | undefined {
  let found: { readonly length: number; readonly word: T } | undefined
  for (const policy of paths) {
    const said = word(policy)
    if (said === undefined || !covers(policy.path, path)) continue
    if (found === undefined || policy.path.length > found.length) {
      found = { length: policy.path.length, word: said }
    }
  }
  return found?.word
}

/** The field itself, or anything below it. */
function covers(policy: string, path: string): boolean {
  if (!path.startsWith(policy)) return false
  const next = path[policy.length]
  return next === undefined || next === "." || next === "["
}
