// Budgets per loop, durable over restarts: which deletes were allowed in the window, how many
// changes were made in it, and the baseline, the loop's smallest inventory of the last 24 hours
// since it first converged. Every delete has its own debit under its UID, so that the commit that
// marks an object can carry it.

import { protects } from "../base/protections.ts"
import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument, putDocumentLater } from "./keys.ts"
import type { LedgerTime } from "./ledger-time.ts"
import { scanPrefix } from "./scan.ts"

/** Permission to delete one target: from the window's budget, or from a person. */
export interface DeleteGrant {
  readonly uid: string
  readonly loop: string
  readonly at: number
  /** Name of the approved plan; missing when the window paid. */
  readonly plan?: string
  readonly principal: string
  readonly cause: string
  readonly sourceRevision?: string
  /** Approved for exactly this state of the target. */
  readonly token?: string
  /** How many things it destroys; one when missing, none when others took its place. */
  readonly count?: number
  /** The break-glass that let it be marked and counted it. */
  readonly breakGlass?: string
  /** Marked, and not known to be over: it counts however old it is, since it may still happen. */
  readonly open?: true
}

interface Window {
  readonly format: 1
  /** Changes per second of ledger time, oldest first; old ones at the end of their minute. */
  readonly changes: readonly { readonly second: number; readonly count: number }[]
  /** When the converged inventory took which size, oldest first; the last one still holds. */
  readonly sizes: readonly { readonly at: number; readonly size: number }[]
}

const baselineMs = 24 * 3_600_000
const sizesKept = 1000
/** Enough seconds for the longest window that a loop may declare (a day). */
const secondsKept = 86_400
/** What is older is counted by the minute: after a busy day it is still a small document. */
const secondsExact = 900

/** Two oldest become one with the smaller size: many changes must not hide how small it was. */
function bounded(sizes: Window["sizes"]): Window["sizes"] {
  const [first, second, ...rest] = sizes
  if (sizes.length <= sizesKept || first === undefined || second === undefined) return sizes
  return [{ at: first.at, size: Math.min(first.size, second.size) }, ...rest]
}

/** A minute counts as its end, so that nothing leaves a window too soon. */
function thinned(changes: Window["changes"], now: number): Window["changes"] {
  const kept: { second: number; count: number }[] = []
  for (const { second, count } of changes) {
    if (second <= now - secondsKept) continue
    const minute = Math.ceil(second / 60) * 60
    const at = minute <= now - secondsExact ? minute : second
    const last = kept.at(-1)
    if (last?.second === at) last.count += count
    else kept.push({ second: at, count })
  }
  return kept
}

const isOpen = ({ open }: DeleteGrant): boolean =>
  open === true && protects("permission-counts-until-used")

export class Budgets {
  readonly #time: LedgerTime
  readonly #grants = new Map<string, DeleteGrant>()
  readonly #windows = new Map<string, Window>()
  readonly #reserved = new Map<string, Map<string, number>>()

  constructor(time: LedgerTime) {
    this.#time = time
  }

  async open(store: Store): Promise<void> {
    for await (const entry of scanPrefix(store, ledgerKeys.debits)) {
      const grant = decodeDocument<DeleteGrant>(entry.value)
      if (protects("budget-survives-restart")) this.#grants.set(grant.uid, grant)
    }
    for await (const entry of scanPrefix(store, ledgerKeys.windows)) {
      const loop = entry.key.slice(ledgerKeys.windows.length)
      this.#windows.set(loop, decodeDocument<Window>(entry.value))
    }
  }

  /** The time that windows are counted by. */
  now(): number {
    return this.#time.now()
  }

  /** Admitted acts that wait for their turn, with what they destroy: all windows count. */
  reservedOf(loop: string): Map<string, number> {
    const known = this.#reserved.get(loop)
    if (known !== undefined) return known
    const reserved = new Map<string, number>()
    this.#reserved.set(loop, reserved)
    return reserved
  }

  /** It begins now: what it destroys counts from here, whenever it was permitted. */
  begin(uid: string): Write[] {
    const grant = this.#grants.get(uid)
    if (grant?.open !== true) return []
    return [this.grant({ ...grant, at: this.#time.now() })]
  }

  /** It is over, done or not needed: from now on it leaves the window with time. */
  settle(uid: string): Write[] {
    const grant = this.#grants.get(uid)
    if (grant?.open !== true) return []
    const { open: _, ...used } = grant
    return [this.grant(used)]
  }

  /** Counts from now on; the write must go into the commit that marks the object. */
  grant(grant: DeleteGrant): Write {
    this.#grants.set(grant.uid, grant)
    return putDocument(ledgerKeys.debit(grant.loop, grant.uid), grant)
  }

  grantOf(uid: string): DeleteGrant | undefined {
    return this.#grants.get(uid)
  }

  /** Given back: nothing was deleted, and that is proven. */
  revoke(uid: string): Write | undefined {
    const grant = this.#grants.get(uid)
    if (grant === undefined) return undefined
    this.#grants.delete(uid)
    return { kind: "delete", key: ledgerKeys.debit(grant.loop, uid) }
  }

  /** Deletes that the window paid for; approved ones draw on no window. */
  deletesInWindow(loop: string, windowMs: number): number {
    return this.#destroyed(windowMs, (of) => of === loop)
  }

  /** The same over all loops. */
  deletesEverywhere(windowMs: number): number {
    return this.#destroyed(windowMs, () => true)
  }

  /** Of every loop in its own window, in one walk; loops without any are left out. */
  deletesInWindows(windowOf: (loop: string) => number): Map<string, number> {
    const sums = new Map<string, number>()
    const now = this.#time.now()
    const add = (loop: string, count: number) => sums.set(loop, (sums.get(loop) ?? 0) + count)
    for (const grant of this.#grants.values()) {
      if (grant.plan !== undefined) continue
      const inside = grant.at > now - windowOf(grant.loop) || isOpen(grant)
      if (inside) add(grant.loop, grant.count ?? 1)
    }
    for (const [loop, reserved] of this.#reserved) {
      for (const count of reserved.values()) add(loop, count)
    }
    return sums
  }

  #destroyed(windowMs: number, counts: (loop: string) => boolean): number {
    if (!protects("window-counts-all")) return 0
    const since = this.#time.now() - windowMs
    let sum = 0
    for (const grant of this.#grants.values()) {
      const inside = grant.at > since || isOpen(grant)
      if (grant.plan === undefined && inside && counts(grant.loop)) sum += grant.count ?? 1
    }
    for (const [loop, reserved] of this.#reserved) {
      if (counts(loop)) for (const count of reserved.values()) sum += count
    }
    return sum
  }

  changesInWindow(loop: string, windowMs: number): number {
    const since = (this.#time.now() - windowMs) / 1000
    const recent = this.#window(loop).changes.filter((change) => change.second > since)
    return recent.reduce((sum, change) => sum + change.count, 0)
  }

  /** When the oldest change leaves the window, so that waiting ones know when to look again. */
  nextChangeSlotMs(loop: string, windowMs: number): number {
    const since = (this.#time.now() - windowMs) / 1000
    const oldest = this.#window(loop).changes.find((change) => change.second > since)
    return oldest === undefined ? 0 : Math.ceil((oldest.second - since) * 1000)
  }

  debitChange(loop: string): Write {
    const window = this.#window(loop)
    const second = Math.ceil(this.#time.now() / 1000)
    const last = window.changes.at(-1)
    const changes =
      last?.second === second
        ? window.changes.with(-1, { second, count: last.count + 1 })
        : [...thinned(window.changes, second), { second, count: 1 }]
    return this.#put(loop, { ...window, changes })
  }

  /** A change that provably did not happen gives its place back. */
  refundChange(loop: string): Write {
    const window = this.#window(loop)
    const last = window.changes.at(-1)
    const kept = window.changes.slice(0, -1)
    const less = last === undefined || last.count <= 1 ? [] : [{ ...last, count: last.count - 1 }]
    return this.#put(loop, { ...window, changes: [...kept, ...less] })
  }

  /** The smaller of now and the smallest inventory of the last 24 hours. */
  baseline(loop: string, now: number): number {
    const since = this.#time.now() - baselineMs
    const { sizes } = this.#window(loop)
    const inside = sizes.filter((_, index) => (sizes[index + 1]?.at ?? Infinity) > since)
    return Math.min(now, ...inside.map((one) => one.size))
  }

  /** Notes the inventory of a converged loop; a write only when it moved. */
  noteInventory(loop: string, size: number): Write | undefined {
    const window = this.#window(loop)
    if ((window.sizes.at(-1)?.size ?? 0) === size) return undefined // Nothing yet says nothing.
    const since = this.#time.now() - baselineMs
    const { sizes } = window
    const kept = sizes.filter((_, index) => (sizes[index + 1]?.at ?? Infinity) > since)
    const noted = [...kept, { at: this.#time.now(), size }]
    return this.#put(loop, { ...window, sizes: bounded(noted) })
  }

  /** Debits older than any window and already used; the retention controller deletes them. */
  expired(loop: string, olderThanMs: number, isLive: (uid: string) => boolean): Write[] {
    const before = this.#time.now() - olderThanMs
    const writes: Write[] = []
    for (const grant of [...this.#grants.values()]) {
      if (grant.loop !== loop || grant.at > before || isLive(grant.uid)) continue
      const write = this.revoke(grant.uid)
      if (write !== undefined) writes.push(write)
    }
    return writes
  }

  #window(loop: string): Window {
    return this.#windows.get(loop) ?? { format: 1, changes: [], sizes: [] }
  }

  #put(loop: string, window: Window): Write {
    this.#windows.set(loop, window)
    return putDocumentLater(ledgerKeys.window(loop), window)
  }
}
