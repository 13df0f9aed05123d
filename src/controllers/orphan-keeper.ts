// Notices owned targets whose object is gone from the store although nothing of ours let it go: a
// finalizer taken off by hand, a store edited from outside. The record becomes an orphan, which
// people see; the target is never touched. On doubt nothing is concluded.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Ledger } from "../ledger/ledger.ts"

export interface OrphanKeeperPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  /** The UID under which an object with this key is stored now; undefined when there is none. */
  storedUid(key: string): Promise<string | undefined>
  /** What the informers know of it; cheap, and never proof of absence. */
  knownUid(key: string): string | undefined
  noticed(record: TargetRecord): void
}

export class OrphanKeeper {
  readonly #ports: OrphanKeeperPorts

  constructor(ports: OrphanKeeperPorts) {
    this.#ports = ports
  }

  /** At start: what vanished while no plane was running. */
  async noticeAll(): Promise<void> {
    for (const key of this.#ports.ledger.inventory.objects()) await this.notice(key)
  }

  /** The object with this key went, or may have. */
  async notice(key: string): Promise<void> {
    if (!protects("orphan-is-noticed")) return
    const { inventory } = this.#ports.ledger
    const known = this.#ports.knownUid(key)
    const uids = inventory.uidsOf(key).filter((uid) => uid !== known)
    if (uids.length === 0) return
    const stored = await this.#ports.storedUid(key)
    for (const uid of uids) if (uid !== stored) await this.#orphan(uid)
  }

  async #orphan(uid: string): Promise<void> {
    const { ledger, clock } = this.#ports
    const record = await ledger.record(uid)
    if (record === undefined) return
    const { object, target, externalId, loop } = record
    const why = "its object is gone from the store, and nothing of ours let it go"
    const parting = { at: toTimestamp(clock.now()), by: enginePrincipal.name, why }
    const cause = record.owned ? "ObjectGone" : "CreateUncertain"
    const found = externalId === undefined ? {} : { externalId }
    const event = { type: "orphaned", object, target, note: why, ...found } as const
    const writes = ledger.orphanWrites(record, { cause, ...parting })
    await ledger.note(loop, enginePrincipal, [event], writes)
    this.#ports.noticed(record)
  }
}
