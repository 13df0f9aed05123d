// What the plane writes about itself and keeps in order: its starts and stops, between which
// nothing was observed; states of objects; the age of the journal.

import { enginePrincipal } from "../contract/principal.ts"
import { JournalRetention, journalKeepMs } from "../controllers/journal-retention.ts"
import type { Engine } from "./engine.ts"
import { planeJournal } from "./stop-keeper.ts"

export class JournalKeeper {
  readonly #engine: Engine
  readonly retention: JournalRetention
  #started = false

  constructor(engine: Engine) {
    this.#engine = engine
    const { clock, journalKeepMs: keepMs = journalKeepMs } = engine.ports
    const failed = (error: unknown) => engine.failed(error)
    this.retention = new JournalRetention({ clock, ledger: engine.ledger, failed }, { keepMs })
  }

  /** Before the first pass. */
  async start(): Promise<void> {
    await this.#engine.states.open()
    await this.#note("start")
    this.#started = true
    this.retention.start()
  }

  /** After the last pass: what is not written yet is, and then that nobody looks any more. */
  async close(): Promise<void> {
    await this.retention.close()
    if (!this.#started) return
    await this.#engine.states.close()
    await this.#engine.ledger.flush()
    await this.#note("stop").catch(() => {}) // A store that fails has said so already.
  }

  #note(state: "start" | "stop"): Promise<void> {
    const { ledger } = this.#engine
    const { epoch } = ledger.store.identity
    return ledger.note(planeJournal, enginePrincipal, [{ type: "plane", state, epoch }])
  }
}
