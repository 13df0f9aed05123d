// What the engine knows of one object's target. One per object UID, outside the API's key space,
// written in the same commit as the receipt. Secrets and values above 4 KiB appear hashed.

import type { JsonObject } from "../base/json.ts"
import type { Verb } from "./action.ts"

export interface PendingIntent {
  readonly id: string
  readonly verb: Verb
  readonly digest: string
  /** True when the provider may have begun: its result has to be observed before the next act. */
  readonly begun: boolean
  /** What is being made, so that it is known as ours after a crash and a moved declaration. */
  readonly applied?: JsonObject
}

export interface TargetRecord {
  readonly format: 1
  readonly uid: string
  readonly object: string
  readonly loop: string
  readonly kind: string
  readonly target: string
  /** In the inventory: we made or adopted the target. False = matched, not ours. */
  readonly owned: boolean
  /** Protected when it was last looked at; stays until its removal was approved. */
  readonly protected?: boolean
  readonly incarnation: number
  readonly externalId?: string
  readonly generation: number
  /** The spec last applied. */
  readonly applied?: JsonObject
  /** The facts last seen right after acting; dates and attributes drift. */
  readonly observed?: JsonObject
  readonly token?: string
  readonly pending?: PendingIntent
  /** Recent corrections per field path (wall ms), for flap detection. */
  readonly corrections?: Readonly<Record<string, readonly number[]>>
  /** Ledger time at which the target became ours. */
  readonly ownedAt?: number
  /** Ledger time of the last act. */
  readonly actedAt?: number
  /** Ledger time at which a delete was accepted; the record stays until absence is observed. */
  readonly deletedAt?: number
}
