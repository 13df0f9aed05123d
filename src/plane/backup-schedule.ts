// Backups on a schedule. A copy gets its name only when it was verified, and older ones go only
// after a newer good one is there: a failure is told and never costs a backup. A store that has not
// changed since the last good backup is not copied again.

import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"

export interface BackupFile {
  readonly file: string
  /** RFC 3339. */
  readonly at: string
  readonly revision: number
  readonly bytes: number
}

export interface BackupFiles {
  readonly directory: string
  /** Good ones, oldest first. */
  list(): Promise<readonly BackupFile[]>
  /** Copies, verifies and names; throws, leaving nothing that looks good, when any of it fails. */
  make(at: string): Promise<BackupFile>
  remove(backup: BackupFile): Promise<void>
}

export interface BackupOptions {
  readonly everyMs: number
  readonly keep: number
}

export interface BackupPorts {
  readonly clock: Clock
  readonly files: BackupFiles
  /** The newest revision of the store. */
  revision(): number
  /** For events and logs; a good one after a failure is told too. */
  told(message: string, good: boolean): void
}

export interface BackupStatus {
  readonly directory: string
  readonly everyMs: number
  readonly keep: number
  readonly last: BackupFile | null
  readonly failure: { readonly at: string; readonly message: string } | null
}

const firstMs = 3000
const againMs = 15 * 60_000

export class BackupSchedule {
  readonly #ports: BackupPorts
  readonly #options: BackupOptions
  #last: BackupFile | undefined
  /** Wall time at which all that was stored was known to be backed up. */
  goodAt: number | undefined
  #failure: { readonly at: string; readonly message: string } | undefined
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #closed = false

  constructor(ports: BackupPorts, options: BackupOptions) {
    this.#ports = ports
    this.#options = options
  }

  status(): BackupStatus {
    const { everyMs, keep } = this.#options
    const { directory } = this.#ports.files
    return { directory, everyMs, keep, last: this.#last ?? null, failure: this.#failure ?? null }
  }

  /** Looks what is there, so that a restart neither forgets nor hurries. */
  async start(): Promise<void> {
    try {
      this.#last = (await this.#ports.files.list()).at(-1)
      if (this.#last !== undefined) this.goodAt = Date.parse(this.#last.at)
    } catch (error) {
      this.#failed(error)
    }
    const age = this.#last === undefined ? undefined : this.#ageOf(this.#last)
    const due = age === undefined ? firstMs : this.#options.everyMs - age
    this.#soon(Math.max(firstMs, Math.min(due, this.#options.everyMs)))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    await this.#running
  }

  #ageOf({ at }: BackupFile): number {
    return Math.max(0, this.#ports.clock.now() - Date.parse(at))
  }

  #soon(delayMs: number): void {
    if (this.#closed) return
    this.#timer = this.#ports.clock.after(delayMs, () => {
      this.#running = this.#run()
    })
  }

  async #run(): Promise<void> {
    const { everyMs } = this.#options
    try {
      if (this.#last?.revision !== this.#ports.revision()) await this.#make()
      else if (this.#failure !== undefined) await this.#good(this.#last)
      this.goodAt = this.#ports.clock.now()
      this.#soon(everyMs)
    } catch (error) {
      this.#failed(error)
      this.#soon(Math.min(everyMs, againMs))
    }
  }

  async #make(): Promise<void> {
    const made = await this.#ports.files.make(toTimestamp(this.#ports.clock.now()))
    await this.#good(made)
  }

  /** Only now may older ones go, and one that can't be removed is a nuisance, not a failure. */
  async #good(made: BackupFile): Promise<void> {
    const { files, told } = this.#ports
    const failedBefore = this.#failure !== undefined
    this.#last = made
    this.#failure = undefined
    if (failedBefore) told(`backups are good again: ${made.file}`, true)
    const all = await files.list()
    const old = all.slice(0, Math.max(0, all.length - this.#options.keep))
    for (const backup of old) if (backup.file !== made.file) await files.remove(backup)
  }

  #failed(error: unknown): void {
    const { message } = toFault(error)
    const again = this.#failure?.message === message
    this.#failure = { at: toTimestamp(this.#ports.clock.now()), message }
    if (!again) this.#ports.told(message, false)
  }
}
