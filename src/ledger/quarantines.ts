// Quarantined source revisions, one per loop at most: what a person rolled back from, and to what.
// It stands over restarts until the source shows another revision or a person lifts it.

import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

export interface Quarantine {
  readonly format: 1
  readonly loop: string
  /** The source revision that is not used. */
  readonly revision: string
  /** The checkpoint as it was called when it was asked for. */
  readonly checkpoint: string
  /** The revision that the checkpoint was made of. */
  readonly pinnedRevision?: string
  /** Root of what is pinned: tells one rollback from another. */
  readonly root: string
  readonly by: string
  readonly at: string
  readonly reason?: string
}

export class Quarantines {
  readonly #byLoop = new Map<string, Quarantine>()

  async open(store: Store): Promise<void> {
    for await (const entry of scanPrefix(store, ledgerKeys.quarantines)) {
      const quarantine = decodeDocument<Quarantine>(entry.value)
      this.#byLoop.set(quarantine.loop, quarantine)
    }
  }

  get(loop: string): Quarantine | undefined {
    return this.#byLoop.get(loop)
  }

  /** Memory follows with `keep` when the write is durable. */
  write(quarantine: Quarantine): Write {
    return putDocument(ledgerKeys.quarantine(quarantine.loop), quarantine)
  }

  keep(quarantine: Quarantine): void {
    this.#byLoop.set(quarantine.loop, quarantine)
  }

  end(loop: string): Write {
    return { kind: "delete", key: ledgerKeys.quarantine(loop) }
  }

  forget(loop: string): void {
    this.#byLoop.delete(loop)
  }
}

/** "rolled back to last-good-1 by ann: the wrong branch" */
export function quarantineText({ checkpoint, by, reason }: Quarantine): string {
  return `rolled back to ${checkpoint} by ${by}${reason === undefined ? "" : `: ${reason}`}`
}

const rollbackPrefix = "rollback-"

/** What the loop calls the revision in force while pinned specs stand in for the source's. */
export function rollbackRevision({ root }: Pick<Quarantine, "root">): string {
  return `${rollbackPrefix}${root.slice(0, 16)}`
}

export function isRollbackRevision(revision: string | undefined): boolean {
  return revision?.startsWith(rollbackPrefix) === true
}
