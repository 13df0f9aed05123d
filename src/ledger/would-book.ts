// What loops in mode Observe would do, as the journal knows it: the digest by UID. Kept over
// restarts, so that the same set is journaled once.

import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

interface Would {
  readonly loop: string
  readonly uid: string
  readonly digest: string
}

const none: ReadonlyMap<string, string> = new Map()

export class WouldBook {
  readonly #loops = new Map<string, Map<string, string>>()

  async open(store: Store): Promise<void> {
    for await (const { value } of scanPrefix(store, ledgerKeys.woulds)) {
      const { loop, uid, digest } = decodeDocument<Would>(value)
      this.#of(loop).set(uid, digest)
    }
  }

  of(loop: string): ReadonlyMap<string, string> {
    return this.#loops.get(loop) ?? none
  }

  put(would: Would): Write {
    const { loop, uid, digest } = would
    this.#of(loop).set(uid, digest)
    return putDocument(ledgerKeys.would(loop, uid), { loop, uid, digest })
  }

  forget(loop: string, uids: readonly string[]): Write[] {
    const known = this.#loops.get(loop)
    const gone = uids.filter((uid) => known?.delete(uid) === true)
    return gone.map((uid) => ({ kind: "delete", key: ledgerKeys.would(loop, uid) }))
  }

  #of(loop: string): Map<string, string> {
    const known = this.#loops.get(loop)
    if (known !== undefined) return known
    const made = new Map<string, string>()
    this.#loops.set(loop, made)
    return made
  }
}
