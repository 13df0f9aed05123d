// The ledger: intents, receipts, budgets, approvals, records and stop, on the Store port. What must
// be true together is one commit: intent + budget + approval use + journal; receipt + record +
// journal. Everything it keeps in memory is rebuilt from the store at open.

import type { Clock } from "../base/clock.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import type { JournalEvent, ReceiptResult } from "../contract/journal.ts"
import type { Principal } from "../contract/principal.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { PendingIntent, TargetRecord } from "../contract/record.ts"
import type { Store, Write } from "../contract/store.ts"
import { BreakGlassLedger } from "./break-glass.ts"
import { Budgets } from "./budgets.ts"
import { Checkpoints } from "./checkpoints.ts"
import { Inventory } from "./inventory.ts"
import { intentId, type JournalHead } from "./journal-chain.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { createLedgerTime, type LedgerTime } from "./ledger-time.ts"
import { LedgerWriter, type LedgerWriterOptions } from "./ledger-writer.ts"
import { Orphans, type Parting } from "./orphans.ts"
import { PlanLedger } from "./plan-ledger.ts"
import { Proofs } from "./proofs.ts"
import { Quarantines } from "./quarantines.ts"
import { scanPrefix } from "./scan.ts"
import { WindowTime } from "./window-time.ts"
import { WouldBook } from "./would-book.ts"

export interface Intent {
  readonly format: 1
  readonly id: string
  readonly loop: string
  readonly epoch: number
  readonly startedAt: number
  readonly actions: readonly Action[]
}

export interface Receipt {
  readonly action: Action
  readonly result: ReceiptResult
  readonly error?: string
  readonly durationMs: number
  /** The record as it is after this. */
  readonly record: TargetRecord
  readonly writes: readonly Write[]
}

export interface IntentItem {
  readonly action: Action
  readonly record: TargetRecord
  /** What will have been applied, in normal form, secrets hidden. */
  readonly applied: JsonObject
}

export function pendingIntent(id: string, { action, applied }: IntentItem): PendingIntent {
  const { verb, digest } = action
  const makes = verb === "create" || verb === "update" || verb === "adopt"
  return { id, verb, digest, begun: true, ...(makes ? { applied } : {}) }
}

function putClaim({ uid, object, target }: TargetRecord): Write {
  return putDocument(ledgerKeys.claim(target), { uid, object, target })
}

export class Ledger {
  readonly store: Store
  readonly time: LedgerTime
  readonly budgets: Budgets
  readonly inventory = new Inventory()
  readonly orphans = new Orphans()
  readonly plans = new PlanLedger()
  readonly breakGlass: BreakGlassLedger
  readonly would = new WouldBook()
  readonly quarantines = new Quarantines()
  readonly proofs = new Proofs()
  readonly checkpoints: Checkpoints
  readonly #writer: LedgerWriter
  readonly #windowTime: WindowTime
  readonly #unfinished = new Map<string, Intent>()
  #intents = 0

  constructor(store: Store, clock: Clock, options: LedgerWriterOptions = {}) {
    this.store = store
    this.time = createLedgerTime(clock)
    this.#windowTime = new WindowTime(clock)
    this.budgets = new Budgets(this.#windowTime)
    this.breakGlass = new BreakGlassLedger(this.time)
    const stamp = () => this.#windowTime.stamp()
    this.#writer = new LedgerWriter(store, clock, { ...options, stamp })
    this.checkpoints = new Checkpoints(store, (...step) => this.note(...step))
  }

  async open(): Promise<void> {
    await this.#writer.open()
    await this.#windowTime.open(this.store)
    await this.budgets.open(this.store)
    await this.orphans.open(this.store)
    await this.plans.open(this.store)
    await this.breakGlass.open(this.store)
    await this.would.open(this.store)
    await this.quarantines.open(this.store)
    await this.proofs.open(this.store)
    await this.checkpoints.open()
    for await (const entry of scanPrefix(this.store, ledgerKeys.records)) {
      const record = decodeDocument<TargetRecord>(entry.value)
      this.inventory.note(record)
      this.inventory.noteStored(record)
    }
    for await (const entry of scanPrefix(this.store, ledgerKeys.intents)) {
      const intent = decodeDocument<Intent>(entry.value)
      this.#unfinished.set(intent.id, intent)
    }
  }

  /** Intents without a receipt: under way now, or left by a crash. */
  unfinished(): Intent[] {
    return [...this.#unfinished.values()]
  }

  journalLoops(): string[] {
    return this.#writer.loops()
  }

  journalHead(loop: string): JournalHead {
    return this.#writer.head(loop)
  }

  async record(uid: string): Promise<TargetRecord | undefined> {
    const entry = await this.store.get(ledgerKeys.record(uid))
    if (entry === undefined || "kind" in entry) return undefined
    return decodeDocument<TargetRecord>(entry.value)
  }

  /** Durable before the world is touched. `writes` are debits and approval use. */
  async begin(
    loop: string,
    principal: Principal,
    items: readonly IntentItem[],
    writes: readonly Write[],
  ): Promise<Intent> {
    const actions = items.map((item) => item.action)
    const digests = actions.map((action) => action.digest)
    const { epoch } = this.store.identity
    const id = intentId(`${loop}/${epoch}`, ++this.#intents, digests)
    const intent: Intent = { format: 1, id, loop, epoch, startedAt: this.time.now(), actions }
    const records = items.map((item): TargetRecord => {
      return { ...item.record, pending: pendingIntent(id, item) }
    })
    this.#unfinished.set(id, intent)
    const event: JournalEvent = { type: "intent", intent: id, actions }
    const puts = records.flatMap((record) => this.recordWrites(record))
    const put = putDocument(ledgerKeys.intent(id), intent)
    try {
      await this.#writer.append(loop, principal, [event], [put, ...puts, ...writes])
      for (const record of records) this.inventory.noteStored(record)
    } catch (error) {
      this.#unfinished.delete(id)
      if (protects("intent-before-act")) throw error
    }
    return intent
  }

  /** Durable right after the world was touched. */
  async finish(intent: Intent, receipts: readonly Receipt[]): Promise<void> {
    const events = receipts.map(
      (receipt): JournalEvent => ({
        type: "receipt",
        intent: intent.id,
        action: receipt.action,
        result: receipt.result,
        ...(receipt.error === undefined ? {} : { error: receipt.error }),
        durationMs: Math.round(receipt.durationMs),
      }),
    )
    const writes = receipts.flatMap((receipt) => [
      ...this.recordWrites(receipt.record),
      ...(receipt.action.verb === "replace" && receipt.result === "done"
        ? this.#releaseClaim(receipt.action)
        : []),
      ...receipt.writes,
    ])
    const drop: Write = { kind: "delete", key: ledgerKeys.intent(intent.id) }
    await this.#writer.append(intent.loop, enginePrincipal, events, [drop, ...writes])
    this.#unfinished.delete(intent.id)
  }

  /** A replaced target is gone; what is made next may be another one. */
  #releaseClaim({ uid, target }: Action): Write[] {
    this.inventory.forget(uid, target)
    return [{ kind: "delete", key: ledgerKeys.claim(target) }]
  }

  /** Anything else that belongs in the journal, with what must be durable together with it. */
  note(
    loop: string,
    principal: Principal,
    events: readonly JournalEvent[],
    writes: readonly Write[] = [],
  ): Promise<void> {
    return this.#writer.append(loop, principal, events, writes)
  }

  /** For the journal only, with the loop's next commit; alone when none comes within a second. */
  ride(loop: string, principal: Principal, events: readonly JournalEvent[]): void {
    this.#writer.ride(loop, principal, events)
  }

  /** What was written as done in mode Enforce does not stand any more. */
  async forgetWould(loop: string, uids: readonly string[]): Promise<void> {
    for (let start = 0; start < uids.length; start += 1000) {
      const writes = this.would.forget(loop, uids.slice(start, start + 1000))
      await this.note(loop, enginePrincipal, [], writes)
    }
  }

  /** What rides is written now: the plane ends. */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** Forgets entries of closed segments; their anchors stay. */
  dropEntries(loop: string, keptFrom: number, events: readonly JournalEvent[]): Promise<void> {
    return this.#writer.drop(loop, keptFrom, events)
  }

  /** The writes that store a record and its claim, if that is new; memory follows at once. */
  recordWrites(record: TargetRecord): Write[] {
    this.inventory.note(record)
    return [
      ...(record.owned ? this.orphans.drop(record.target) : []),
      putDocument(ledgerKeys.record(record.uid), record),
      ...(this.inventory.isClaimStored(record) ? [] : [putClaim(record)]),
    ]
  }

  /** The record goes; what it stood for, if it is or may be ours, is remembered as an orphan. */
  orphanWrites(record: TargetRecord, parting: Parting): Write[] {
    const drops = this.dropRecordWrites(record.uid, record.target)
    const ours = record.owned || record.pending?.verb === "create"
    return ours ? [...drops, this.orphans.add(record, parting)] : drops
  }

  dropRecordWrites(uid: string, target: string): Write[] {
    this.inventory.forget(uid, target)
    return [
      ...this.budgets.settle(uid),
      { kind: "delete", key: ledgerKeys.record(uid) },
      { kind: "delete", key: ledgerKeys.claim(target) },
    ]
  }
}
