// Owner references that are there twice, word for word, count once; the caller is told. Clients of
// old versions send such lists, and garbage collection must not see two owners where one is meant.

import { canonicalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"

/** Of metadata as it came in: nothing is known of its types yet. */
export function withoutOwnerDuplicates(metadata: JsonObject): {
  readonly metadata: JsonObject
  readonly warnings: readonly string[]
} {
  const given = metadata.ownerReferences
  if (!isArray(given)) return { metadata, warnings: [] }
  const seen = new Set<string>()
  const twice: Json[] = []
  const ownerReferences = given.filter((owner) => {
    const text = canonicalJson(owner)
    const again = seen.has(text)
    if (again) twice.push(isObject(owner) ? (owner.uid ?? null) : null)
    seen.add(text)
    return !again
  })
  if (twice.length === 0) return { metadata, warnings: [] }
  const uids = twice.map((uid) => String(uid).slice(0, 80)).slice(0, 10)
  const warning =
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references; " +
    `please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`
  return { metadata: { ...metadata, ownerReferences }, warnings: [warning] }
}
