// Removes objects that nothing hangs on, in parts: there are too many for one commit. What they go
// with is marked by then, so nothing new comes. What was changed since it was looked at stays here:
// whoever deletes looks again.

import type { Revision } from "../contract/store.ts"
import { type ApiContext, commitObject, commitObjects, type ObjectWrite } from "./api-context.ts"

const partMax = 500

export async function removeLeaves(
  context: ApiContext,
  leaves: ReadonlyMap<string, Revision>,
): Promise<void> {
  const all = [...leaves].map(([key, revision]) => removal(key, revision))
  for (let at = 0; at < all.length; at += partMax) {
    const part = all.slice(at, at + partMax)
    const done = await commitObjects(context, part, { checks: [], writes: [] })
    if (done !== undefined) continue
    // Somebody changed one of them; that must not keep the others.
    for (const write of part) await commitObject(context, write)
  }
}

const removal = (storageKey: string, before: Revision): ObjectWrite => {
  return { storageKey, before, object: undefined }
}
