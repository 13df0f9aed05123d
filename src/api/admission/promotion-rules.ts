// A Loop that takes what another one proved: from a git repository only, and never from itself.
// What depends on the other loop is judged when a revision is to be taken, since both may change.

import { at, isObject, type Json } from "../../base/json.ts"
import { loopId } from "../../contract/loop.ts"
import type { FieldCause } from "../faults.ts"

const invalid = (field: string, message: string): FieldCause => ({
  ...{ field: `spec.source.promotion${field}`, reason: "FieldValueInvalid", message },
})

export function promotionCauses(
  key: { readonly namespace: string; readonly name: string },
  source: Json | undefined,
): FieldCause[] {
  if (!isObject(source) || !isObject(source.promotion)) return []
  const causes: FieldCause[] = []
  if (!isObject(source.git)) {
    const why = "a folder can't be read as it was when it was proven"
    causes.push(invalid("", `needs spec.source.git: ${why}`))
  }
  if (at(source.git, "verify", "what") === "TagOrCommit") {
    const why = "what is promoted is a commit, and no tag of it is looked at"
    causes.push(invalid("", `needs spec.source.git.verify.what Commit: ${why}`))
  }
  const from = String(source.promotion.from)
  const own = loopId(key.namespace, key.name)
  if (from === key.name || from === own) {
    causes.push(invalid(".from", "a loop proves nothing to itself; name the loop before it"))
  }
  return causes
}
