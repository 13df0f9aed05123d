// Writes what a pass found into the object's status, when that changed anything, and keeps count of
// what is not converged and since when.

import { type Clock, toTimestamp } from "../base/clock.ts"
import type { ApiObject } from "../object/object.ts"
import { type Report, type ReportState, sameStatus, statusOf } from "./status.ts"

export interface Unconverged {
  readonly key: string
  readonly loop: string
  readonly state: ReportState
  readonly reason: string
  readonly message: string
  /** Wall time at which it stopped being converged. */
  readonly since: number
}

export type StatusWriter = (object: ApiObject, status: ApiObject["status"]) => Promise<void>

export class Reporter {
  readonly #clock: Clock
  readonly #write: StatusWriter
  readonly #unconverged = new Map<string, Unconverged>()

  constructor(clock: Clock, write: StatusWriter) {
    this.#clock = clock
    this.#write = write
  }

  async report(key: string, loop: string, object: ApiObject, report: Report): Promise<void> {
    this.#count(key, loop, report)
    const status = statusOf(object, report, toTimestamp(this.#clock.now()))
    if (!sameStatus(object.status, status)) await this.#write(object, status)
  }

  forget(key: string): void {
    this.#unconverged.delete(key)
  }

  /** Oldest first. */
  unconverged(loop?: string): Unconverged[] {
    const all = [...this.#unconverged.values()]
    const chosen = loop === undefined ? all : all.filter((one) => one.loop === loop)
    return chosen.sort((left, right) => left.since - right.since)
  }

  stateOf(key: string): Unconverged | undefined {
    return this.#unconverged.get(key)
  }

  #count(key: string, loop: string, { state, reason, message }: Report): void {
    if (state === "ready") {
      this.#unconverged.delete(key)
      return
    }
    const since = this.#unconverged.get(key)?.since ?? this.#clock.now()
    this.#unconverged.set(key, { key, loop, state, reason, message, since })
  }
}
