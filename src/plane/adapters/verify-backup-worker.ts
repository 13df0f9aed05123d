// Verifies one backup file in a thread of its own, since looking at every row takes a while: the
// file is sound, its identity is known, it can be opened, and every journal in it holds together.

import { parentPort, workerData } from "node:worker_threads"
import type { Store } from "../../contract/store.ts"
import { journalLoops, readHead } from "../../ledger/journal.ts"
import { verifyJournal } from "../../ledger/verify-journal.ts"
import { openBackupStore } from "../../store/engines/open-read-only-store.ts"

export interface VerifiedBackup {
  readonly planeId: string
  readonly revision: number
  /** Keys by the area that they lie in: objects, records, plans ... */
  readonly counts: Readonly<Record<string, number>>
  /** The last verified entry of each journal. */
  readonly journals: Readonly<Record<string, number>>
}

export type VerifyReply =
  | ({ readonly kind: "good" } & VerifiedBackup)
  | { readonly kind: "bad"; readonly cause: string }

const pageSize = 1000

async function verify(file: string): Promise<VerifyReply> {
  const store = await openBackupStore(file)
  try {
    const journals: Record<string, number> = {}
    for (const loop of await journalLoops(store)) {
      await verifyJournal(store, loop)
      journals[loop] = (await readHead(store, loop))?.sequence ?? 0
    }
    const { planeId } = store.identity
    const counts = await countKeys(store)
    return { kind: "good", planeId, revision: store.revision, counts, journals }
  } finally {
    await store.close()
  }
}

async function countKeys(store: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let after: string | undefined
  for (;;) {
    const from = after === undefined ? {} : { after }
    const page = await store.range({ prefix: "/", limit: pageSize, ...from })
    if (page.kind === "compacted") throw new Error("it can't be read in full")
    for (const { key } of page.entries) {
      const area = areaOf(key)
      counts[area] = (counts[area] ?? 0) + 1
    }
    after = page.entries.at(-1)?.key
    if (!page.more || after === undefined) return counts
  }
}

function areaOf(key: string): string {
  const [, top = "", next = ""] = key.split("/")
  return top === "registry" ? "objects" : top === "ledger" ? next : top
}

const bad = (error: unknown): VerifyReply => {
  return { kind: "bad", cause: error instanceof Error ? error.message : String(error) }
}

// Not awaited here: this file is also a part of the executable, whose parts are plain scripts.
void verify(String(workerData))
  .catch(bad)
  .then((reply) => parentPort?.postMessage(reply))
