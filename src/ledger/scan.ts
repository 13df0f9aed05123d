// Reads a whole prefix page by page at one revision, so that what it sees is one moment.

import type { Entry, Store } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"

const pageSize = 1000

export async function* scanPrefix(store: Store, prefix: string): AsyncIterable<Entry> {
  let after: string | undefined
  let at: number | undefined
  for (;;) {
    const page = await store.range({
      prefix,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
      ...(at === undefined ? {} : { at }),
    })
    if (page.kind === "compacted") throw ledgerFault("SPT-LEDGER-002", { key: after ?? prefix })
    at = page.revision
    yield* page.entries
    after = page.entries.at(-1)?.key
    if (!page.more || after === undefined) return
  }
}
