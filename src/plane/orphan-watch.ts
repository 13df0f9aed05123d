// Wires the orphan keeper to the store and the informers. Objects of kinds whose provider is not
// loaded are stored and not known to any informer: only the store proves that an object is gone.

import { readStored } from "../api/stored-object.ts"
import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import type { DiagnosisEvents } from "../controllers/diagnosis-events.ts"
import { OrphanKeeper } from "../controllers/orphan-keeper.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { parseKeyText } from "../object/object.ts"
import type { ObjectFeed } from "./object-feed.ts"

export interface OrphanWatchParts {
  readonly ledger: Ledger
  readonly diagnoses: DiagnosisEvents
  readonly feed: ObjectFeed | undefined
  readonly ports: { readonly store: Store; readonly clock: Clock }
}

export function orphanKeeper(parts: OrphanWatchParts): OrphanKeeper {
  const { ledger, diagnoses } = parts
  const { store, clock } = parts.ports
  return new OrphanKeeper({
    ...{ clock, ledger },
    storedUid: async (key) => (await readStored({ store }, parseKeyText(key)))?.object.metadata.uid,
    knownUid: (key) => parts.feed?.entry(key)?.uid,
    noticed: (record) => diagnoses.orphaned(record),
  })
}
