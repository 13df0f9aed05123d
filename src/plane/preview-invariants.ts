// Invariants of a preview: the stored ones, over what its passes see. Signals are taken as their
// status last showed them, since a preview looks at nothing but targets.

import { decodeObject } from "../api/codec.ts"
import { resourcePrefix } from "../api/storage-keys.ts"
import type { SignalReading } from "../contract/invariant.ts"
import type { Store } from "../contract/store.ts"
import { InvariantBook } from "../controllers/invariant-book.ts"
import { compileInvariant } from "../controllers/invariant-spec.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { scanPrefix } from "../ledger/scan.ts"
import { type ApiObject, setpointGroup } from "../object/object.ts"
import type { PreviewObjects } from "./preview-objects.ts"
import type { PreviewPorts } from "./preview-parts.ts"

export async function previewInvariants(
  { store, hasher, clock }: PreviewPorts,
  objects: PreviewObjects,
  ledger: Ledger,
): Promise<InvariantBook> {
  const signals = await stored(store, "signals")
  const book = new InvariantBook({
    hasher,
    keysOf: (loop) => [...objects.ofLoop(loop)].map(([key]) => key),
    uidOf: (key) => objects.get(key)?.metadata.uid,
    kindOf: (key) => objects.kindOf(key)?.provider.kind,
    loopExists: () => true, // Only loops of the preview are asked about.
    isDoomed: (uid) => ledger.budgets.grantOf(uid) !== undefined,
    signal: (namespace, name) => {
      const found = signals.find(
        ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
      )
      return found === undefined ? undefined : readingOf(found, clock.now())
    },
  })
  for (const object of await stored(store, "invariants")) {
    book.put(object.metadata.uid ?? "", compileInvariant(object))
  }
  return book
}

function readingOf({ status }: ApiObject, now: number): SignalReading | undefined {
  const { value, observedAt, state, stale } = status ?? {}
  if (typeof value !== "number" || typeof observedAt !== "string") return undefined
  const ageSeconds = Math.max(0, (now - Date.parse(observedAt)) / 1000)
  const shown = state === "Breached" ? "Breached" : "Ok"
  return { value, ageSeconds, state: shown, stale: stale !== false }
}

async function stored(store: Store, resource: string): Promise<ApiObject[]> {
  const objects: ApiObject[] = []
  for await (const entry of scanPrefix(store, resourcePrefix(setpointGroup, resource))) {
    objects.push(decodeObject(entry.value, entry.modRevision))
  }
  return objects
}
