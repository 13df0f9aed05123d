// Writes ledger steps. A step is a set of journal events and writes that must become durable
// together. Steps of one loop are chained, and those that wait while a commit is under way share
// the next one: that is what makes thousands of intents cheap without weakening any of them. A
// rider is written with whatever comes next, since on its own it would not be worth a commit.

import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import type { JournalEvent } from "../contract/journal.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Store, Write } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"
import {
  chainEntry,
  closeSegment,
  emptyHead,
  endsSegment,
  type JournalHead,
  segmentSize,
} from "./journal-chain.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

interface Step {
  readonly principal: Principal
  readonly events: readonly JournalEvent[]
  readonly writes: readonly Write[]
  /** Entries before this one are deleted by this step. */
  readonly keptFrom?: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Chain {
  head: JournalHead
  waiting: Step[]
  running: boolean
  riders: Step[]
  timer: Timer | undefined
}

export interface LedgerWriterOptions {
  /** Entries of a segment. */
  readonly segmentSize?: number
  /** Goes with every commit. */
  readonly stamp?: () => readonly Write[]
  /** Revision of the loop's source that is in force. */
  readonly revisionOf?: (loop: string) => string | undefined
}

const stepsPerCommit = 256
/** So long a rider waits for something to ride with. */
const riderMs = 1000

export class LedgerWriter {
  readonly #store: Store
  readonly #clock: Clock
  readonly #segmentSize: number
  readonly #stamp: () => readonly Write[]
  readonly #revisionOf: (loop: string) => string | undefined
  readonly #chains = new Map<string, Chain>()

  constructor(store: Store, clock: Clock, options: LedgerWriterOptions = {}) {
    this.#store = store
    this.#clock = clock
    this.#segmentSize = options.segmentSize ?? segmentSize
    this.#stamp = options.stamp ?? (() => [])
    this.#revisionOf = options.revisionOf ?? (() => undefined)
  }

  async open(): Promise<void> {
    for await (const entry of scanPrefix(this.#store, ledgerKeys.journalHeads)) {
      const loop = entry.key.slice(ledgerKeys.journalHeads.length)
      const head = decodeDocument<JournalHead>(entry.value)
      this.#chains.set(loop, newChain(head))
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
    return this.#wait(loop, { principal, events, writes })
  }

  /** Written with the next step of the loop, before it; alone when none comes within a second. */
  ride(loop: string, principal: Principal, events: readonly JournalEvent[]): void {
    const chain = this.#chain(loop)
    chain.riders.push({ principal, events, writes: [], resolve: () => {}, reject: () => {} })
    chain.timer ??= this.#clock.after(riderMs, () => void this.#flush(loop, chain))
  }

  /** Riders that found nothing to ride with are written now. */
  async flush(): Promise<void> {
    for (const [loop, chain] of this.#chains) await this.#flush(loop, chain)
  }

  /** Deletes the entries before `keptFrom`; their segments have to be closed. */
  async drop(loop: string, keptFrom: number, events: readonly JournalEvent[]): Promise<void> {
    const { head } = this.#chain(loop)
    const from = head.keptFrom ?? 1
    if (keptFrom <= from || keptFrom - 1 > (head.anchor?.to ?? 0)) return
    const writes: Write[] = []
    for (let sequence = from; sequence < keptFrom; sequence++) {
      writes.push({ kind: "delete", key: ledgerKeys.journalEntry(loop, sequence) })
    }
    await this.#wait(loop, { principal: enginePrincipal, events, writes, keptFrom })
  }

  head(loop: string): JournalHead {
    return this.#chains.get(loop)?.head ?? emptyHead
  }

  #wait(loop: string, step: Omit<Step, "resolve" | "reject">): Promise<void> {
    const chain = this.#chain(loop)
    return new Promise((resolve, reject) => {
      chain.waiting.push({ ...step, resolve, reject })
      if (!chain.running) void this.#drain(loop, chain)
    })
  }

  async #flush(loop: string, chain: Chain): Promise<void> {
    if (chain.riders.length === 0) return
    await this.#wait(loop, { principal: enginePrincipal, events: [], writes: [] }).catch(() => {})
  }

  #chain(loop: string): Chain {
    const known = this.#chains.get(loop)
    if (known !== undefined) return known
    const chain = newChain(emptyHead)
    this.#chains.set(loop, chain)
    return chain
  }

  async #drain(loop: string, chain: Chain): Promise<void> {
    chain.running = true
    await Promise.resolve() // Steps that are asked for in the same turn share the first commit.
    while (chain.waiting.length > 0) {
      chain.timer?.cancel()
      chain.timer = undefined
      const steps = [...chain.riders.splice(0), ...chain.waiting.splice(0, stepsPerCommit)]
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
    const put = (key: string, document: object) => writes.set(key, putDocument(key, document))
    const revision = this.#revisionOf(loop)
    const common = { loop, time, ...(revision === undefined ? {} : { revision }) }
    let head = chain.head
    for (const step of steps) {
      for (const event of step.events) {
        const entry = chainEntry(head, { ...common, principal: step.principal.name, event })
        head = { ...head, sequence: entry.sequence, hash: entry.hash }
        put(ledgerKeys.journalEntry(loop, entry.sequence), entry)
        if (!endsSegment(head, this.#segmentSize)) continue
        const anchor = closeSegment(loop, head, time)
        head = { ...head, anchor: { to: anchor.to, hash: anchor.hash } }
        put(ledgerKeys.journalAnchor(loop, anchor.to), anchor)
      }
      for (const write of step.writes) writes.set(write.key, write)
      if (step.keptFrom !== undefined) head = { ...head, keptFrom: step.keptFrom }
    }
    if (head !== chain.head) put(ledgerKeys.journalHead(loop), head)
    if (writes.size === 0) return
    for (const write of this.#stamp()) writes.set(write.key, write)
    const { epochCheck, epoch } = this.#store.identity
    const checks = protects("epoch-fence") ? [epochCheck] : []
    const answer = await this.#store.commit(checks, [...writes.values()])
    if (answer.kind === "refused") throw ledgerFault("SPT-LEDGER-001", { epoch })
    chain.head = head
  }
}

function newChain(head: JournalHead): Chain {
  return { head, waiting: [], running: false, riders: [], timer: undefined }
}
