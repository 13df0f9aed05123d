// Asks a composite what should exist until it names nothing any more that the API would refuse, for
// kinds that hear of it: one bad child of a parent that stands for the wishes of many people must
// not keep the others waiting. It writes nothing, so what was only tried leaves no trace, and since
// it remembers nothing either, what is put right is taken at the next pass.

import type { CompositeKind, RefusedChild } from "../contract/composite.ts"
import type { Checked, WantedChild } from "../reconcile/composition.ts"
import type { Refusal } from "./child-writer.ts"

/** Who moves up when one is left out may be refused as well; after so many it is said as it is. */
const askedMax = 20

export interface Heard {
  readonly checked: Checked
  /** What was left out for it. */
  readonly refused: readonly Refusal[]
}

export async function composeHeard(
  { hearsRefusals }: CompositeKind,
  ask: (refused: readonly RefusedChild[]) => Checked,
  refusals: (wanted: readonly WantedChild[]) => Promise<readonly Refusal[]>,
): Promise<Heard> {
  let refused: readonly Refusal[] = []
  for (let asked = 1; ; asked++) {
    const checked = ask(refused.map(({ object, message }) => ({ object, message })))
    if (hearsRefusals !== true || asked === askedMax || "stalled" in checked) {
      return { checked, refused }
    }
    const known = new Set(refused.map(({ key }) => key))
    const found = await refusals([...checked.children, ...checked.tries])
    const more = found.filter(({ key }) => !known.has(key))
    if (more.length === 0) return { checked, refused }
    refused = [...refused, ...more]
  }
}
