// Reads a whole prefix page by page at one revision, so that what it sees is one moment.

import type { Entry, Store } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"

const pageSize = 1000

export interface ScanOptions {
  /** Only keys strictly greater than this one. */
  readonly after?: string
  /** As of this revision; the newest when missing. */
  readonly at?: number
}

export async function* scanPrefix(
  store: Store,
  prefix: string,
  options: ScanOptions = {},
): AsyncGenerator<Entry> {
  let { after, at } = options
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
