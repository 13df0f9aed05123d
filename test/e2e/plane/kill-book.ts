// What has to hold after every death of a plane, read from its directory while it is dead: the
// revision never went back, the journal's chain is whole, every intent has at most one receipt, and
// nothing was made twice. Everything found wrong is a line in `problems`.

import type { JournalEntry } from "../../../src/contract/journal.ts"
import { readJournal } from "../../../src/ledger/journal.ts"
import { verifyJournal } from "../../../src/ledger/verify-journal.ts"
import { openReadOnlyStore } from "../../../src/store/engines/open-read-only-store.ts"

export class KillBook {
  readonly problems: string[] = []
  #revision = 0
  entries = 0
  /** Lives after which the revision was higher; the others died before they wrote. */
  grown = 0

  async read(directory: string, loop: string, held: ReadonlySet<string>): Promise<void> {
    const store = await openReadOnlyStore(directory)
    try {
      if (store.revision < this.#revision)
        this.problems.push(`revision ${store.revision} came after ${this.#revision}`)
      if (store.revision > this.#revision) this.grown++
      this.#revision = store.revision
      const verified = await verifyJournal(store, loop)
      if (verified < this.entries)
        this.problems.push(`the journal shrank from ${this.entries} to ${verified}`)
      this.entries = verified
      const journal: JournalEntry[] = []
      for await (const entry of readJournal(store, loop)) journal.push(entry)
      this.#judge(journal, held)
    } catch (error) {
      this.problems.push(String(error))
    } finally {
      await store.close()
    }
  }

  #judge(journal: readonly JournalEntry[], held: ReadonlySet<string>): void {
    const receipts = new Set<string>()
    const made = new Set<string>()
    for (const { event, sequence } of journal) {
      if (event.type === "intent") {
        for (const { object, verb } of event.actions) {
          if (verb === "delete" && held.has(object))
            this.problems.push(`${sequence}: a held delete of ${object} was begun`)
        }
      }
      if (event.type !== "receipt") continue
      const { action, intent, result } = event
      const receipt = `${intent} ${action.uid}`
      if (receipts.has(receipt)) this.problems.push(`${sequence}: a second receipt of ${intent}`)
      receipts.add(receipt)
      if (action.verb !== "create" || result !== "done") continue
      const target = `${action.uid} ${action.incarnation}`
      if (made.has(target)) this.problems.push(`${sequence}: ${action.target} was made twice`)
      made.add(target)
    }
  }
}

/** Seeded, so that a failing run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
