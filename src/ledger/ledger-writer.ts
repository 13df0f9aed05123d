// Writes ledger steps. A step is a set of journal events and writes that must become durable
// together. Steps of one loop are chained, and those that wait while a commit is under way share
// the next one: that is what makes thousands of intents cheap without weakening any of them.

import { type Clock, toTimestamp } from "../base/clock.ts"
import type { JournalEvent } from "../contract/journal.ts"
import type { Principal } from "../contract/principal.ts"
import type { Store, Write } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"
import { chainEntry, emptyHead, type JournalHead } from "./journal.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

interface Step {
  readonly principal: Principal
  readonly events: readonly JournalEvent[]
  readonly writes: readonly Write[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Chain {
  head: JournalHead
  waiting: Step[]
  running: boolean
}

const stepsPerCommit = 256

export class LedgerWriter {
  readonly #store: Store
  readonly #clock: Clock
  readonly #chains = new Map<string, Chain>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async open(): Promise<void> {
    for await (const entry of scanPrefix(this.#store, ledgerKeys.journalHeads)) {
      const loop = entry.key.slice(ledgerKeys.journalHeads.length)
      const head = decodeDocument<JournalHead>(entry.value)
      this.#chains.set(loop, { head, waiting: [], running: false })
    }
  }

  /** Loops that have a journal. */
  loops(): string[] {
    return [...this.#chains.keys()]
  }

  /** Answers when the step is durable. */
  append(
    loop: string,
    principal: Principal,
    events: readonly JournalEvent[],
    writes: readonly Write[],
  ): Promise<void> {
    const chain = this.#chain(loop)
    return new Promise((resolve, reject) => {
      chain.waiting.push({ principal, events, writes, resolve, reject })
      if (!chain.running) void this.#drain(loop, chain)
    })
  }

  #chain(loop: string): Chain {
    const known = this.#chains.get(loop)
    if (known !== undefined) return known
    const chain: Chain = { head: emptyHead, waiting: [], running: false }
    this.#chains.set(loop, chain)
    return chain
  }

  async #drain(loop: string, chain: Chain): Promise<void> {
    chain.running = true
    await Promise.resolve() // Steps that are asked for in the same turn share the first commit.
    while (chain.waiting.length > 0) {
      const steps = chain.waiting.splice(0, stepsPerCommit)
      try {
        await this.#commit(loop, chain, steps)
        for (const step of steps) step.resolve()
      } catch (error) {
        // The head has not moved: the next step chains onto what is durable.
        for (const step of steps) step.reject(error)
      }
    }
    chain.running = false
  }

  async #commit(loop: string, chain: Chain, steps: readonly Step[]): Promise<void> {
    const time = toTimestamp(this.#clock.now())
    const writes = new Map<string, Write>() // Of two writes to one key the later counts.
    let head = chain.head
    for (const step of steps) {
      for (const event of step.events) {
        const entry = chainEntry(head, { loop, time, principal: step.principal.name, event })
        head = { sequence: entry.sequence, hash: entry.hash }
        const write = putDocument(ledgerKeys.journalEntry(loop, entry.sequence), entry)
        writes.set(write.key, write)
      }
      for (const write of step.writes) writes.set(write.key, write)
    }
    if (head !== chain.head) {
      const write = putDocument(ledgerKeys.journalHead(loop), head)
      writes.set(write.key, write)
    }
    const { epochCheck, epoch } = this.#store.identity
    const answer = await this.#store.commit([epochCheck], [...writes.values()])
    if (answer.kind === "refused") throw ledgerFault("SPT-LEDGER-001", { epoch })
    chain.head = head
  }
}
