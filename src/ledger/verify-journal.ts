// Verifies a loop's journal: entries, anchors and head, byte by byte, as one moment of the store.
// It names the first record that is not what was written. Where old entries were dropped it
// verifies from what is left, against the anchor that closed them, and says from where.

import { parseJson } from "../base/json-text.ts"
import { protects } from "../base/protections.ts"
import type { JournalAnchor, JournalEntry } from "../contract/journal.ts"
import type { Entry, Store } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"
import { hashAnchor, hashEntry, type JournalHead } from "./journal-chain.ts"
import { encodeDocument, ledgerKeys } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

export interface BadRecord {
  readonly record: "entry" | "anchor" | "head"
  /** Of the entry, of the last entry that an anchor covers, or of what the head names. */
  readonly sequence: number
  readonly what: string
}

export interface JournalCheck {
  readonly loop: string
  /** The first and the last entry that was verified; from > to when there is none. */
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly anchors: number
  readonly hash: string
  readonly bad?: BadRecord
}

/** A head that somebody kept elsewhere: the journal has to contain exactly that. */
export interface KeptHead {
  readonly loop: string
  readonly sequence: number
  readonly hash: string
  readonly anchor?: { readonly to: number; readonly hash: string }
}

const attempts = 3

/** Throws naming the first bad record, else says how many entries were verified. */
export async function verifyJournal(store: Store, loop: string): Promise<number> {
  const { bad, entries } = await checkJournal(store, loop)
  if (bad === undefined) return entries
  throw ledgerFault("SPT-LEDGER-003", { loop, record: recordText(bad), what: bad.what })
}

export function recordText({ record, sequence }: BadRecord): string {
  return record === "head" ? "the head" : `${record} ${sequence}`
}

/** `breathe` is awaited between entries, where others want to work meanwhile. */
export async function checkJournal(
  store: Store,
  loop: string,
  kept: readonly KeptHead[] = [],
  breathe: () => Promise<void> | undefined = () => undefined,
): Promise<JournalCheck> {
  for (let attempt = 1; ; attempt++) {
    const check = new Check(store, loop, kept, breathe)
    try {
      return check.result(await check.run())
    } catch (error) {
      if (error instanceof Found) return check.result(error.bad)
      if (attempt === attempts) throw error // Compacted while reading: read again from the start.
    }
  }
}

class Found extends Error {
  readonly bad: BadRecord

  constructor(bad: BadRecord) {
    super(bad.what)
    this.bad = bad
  }
}

class Check {
  readonly #store: Store
  readonly #loop: string
  readonly #kept: readonly KeptHead[]
  readonly #breathe: () => Promise<void> | undefined
  #head: JournalHead | undefined
  #from = 1
  #sequence = 0
  /** Undefined when what came before was dropped in the middle of a segment. */
  #hash: string | undefined = ""
  #entries = 0
  #anchor: JournalAnchor | undefined
  #anchors = 0

  constructor(
    store: Store,
    loop: string,
    kept: readonly KeptHead[],
    breathe: () => Promise<void> | undefined,
  ) {
    this.#store = store
    this.#loop = loop
    this.#breathe = breathe
    this.#kept = kept.filter((one) => one.loop === loop)
  }

  result(bad: BadRecord | undefined): JournalCheck {
    return {
      ...{ loop: this.#loop, from: this.#from, to: this.#sequence, entries: this.#entries },
      ...{ anchors: this.#anchors, hash: this.#hash ?? "" },
      ...(bad === undefined ? {} : { bad }),
    }
  }

  async run(): Promise<undefined> {
    const at = await this.#readHead()
    const anchors = scanPrefix(this.#store, ledgerKeys.journalAnchors(this.#loop), { at })
    let next = await this.#nextAnchor(anchors)
    for (; next !== undefined && next.to < this.#from; next = await this.#nextAnchor(anchors)) {
      this.#takeAnchor(next)
      this.#hash = next.to === this.#from - 1 ? next.lastHash : undefined
    }
    for await (const stored of scanPrefix(this.#store, ledgerKeys.journal(this.#loop), { at })) {
      const entry = this.#takeEntry(stored)
      await this.#breathe()
      if (next?.to !== entry.sequence) continue
      if (next.lastHash !== entry.hash) {
        throw bad("anchor", next.to, "does not carry the hash of the entry that it closes")
      }
      this.#takeAnchor(next)
      next = await this.#nextAnchor(anchors)
    }
    this.#end(next)
    return undefined
  }

  /** The revision that everything else is read at. */
  async #readHead(): Promise<number> {
    const prefix = ledgerKeys.journalHead(this.#loop)
    const page = await this.#store.range({ prefix })
    if (page.kind === "compacted") throw ledgerFault("SPT-LEDGER-002", { key: prefix })
    const stored = page.entries.find((one) => one.key === prefix)
    if (stored === undefined) return page.revision
    const head = readExactly<JournalHead>(stored.value, headMembers, headExtras)
    if (head === undefined || !isHead(head)) throw bad("head", 0, "was changed")
    this.#head = head
    this.#from = head.keptFrom ?? 1
    this.#sequence = this.#from - 1
    if (this.#from > 1) this.#hash = undefined
    return page.revision
  }

  #takeEntry(stored: Entry): JournalEntry {
    const expected = this.#sequence + 1
    const shown = stored.key.slice(ledgerKeys.journal(this.#loop).length)
    const entry = readExactly<JournalEntry>(stored.value, entryMembers, entryExtras)
    const sequence = /^\d{12}$/.test(shown) ? Number(shown) : expected
    if (sequence < this.#from) throw bad("entry", sequence, "was dropped and is there again")
    if (sequence !== expected) throw bad("entry", sequence, `does not follow ${this.#sequence}`)
    if (entry === undefined || entry.hash !== hashEntry(entry)) {
      throw bad("entry", sequence, "was changed")
    }
    if (stored.key !== ledgerKeys.journalEntry(this.#loop, expected)) {
      throw bad("entry", sequence, `lies at ${shown}, where no entry lies`)
    }
    if (entry.sequence !== sequence || entry.loop !== this.#loop) {
      const other = `${entry.sequence} of ${entry.loop}`
      throw bad("entry", sequence, `is entry ${other} in its place`)
    }
    if (this.#hash !== undefined && entry.previous !== this.#hash) {
      throw bad("entry", sequence, "does not carry the hash of the one before it")
    }
    this.#sequence = sequence
    this.#hash = entry.hash
    this.#entries++
    this.#compareKept(entry)
    return entry
  }

  #compareKept(entry: JournalEntry): void {
    const kept = this.#kept.find((one) => one.sequence === entry.sequence)
    if (kept === undefined || kept.hash === entry.hash) return
    throw bad("entry", entry.sequence, "is another one than the head that was kept elsewhere")
  }

  async #nextAnchor(anchors: AsyncGenerator<Entry>): Promise<JournalAnchor | undefined> {
    const { value: stored, done } = await anchors.next()
    if (done === true) return undefined
    const shown = stored.key.slice(ledgerKeys.journalAnchors(this.#loop).length)
    const anchor = readExactly<JournalAnchor>(stored.value, anchorMembers)
    const to = /^\d{12}$/.test(shown) ? Number(shown) : (this.#anchor?.to ?? 0) + 1
    if (anchor === undefined || hashAnchor(anchor) !== anchor.hash) {
      throw bad("anchor", to, "was changed")
    }
    if (stored.key !== ledgerKeys.journalAnchor(this.#loop, anchor.to)) {
      throw bad("anchor", to, `lies at ${shown}, where it does not belong`)
    }
    return anchor
  }

  #takeAnchor(anchor: JournalAnchor): void {
    const before = this.#anchor
    if (anchor.loop !== this.#loop) throw bad("anchor", anchor.to, `belongs to ${anchor.loop}`)
    if (anchor.from !== (before?.to ?? 0) + 1 || anchor.to < anchor.from) {
      throw bad("anchor", anchor.to, `does not follow the anchor of ${before?.to ?? 0}`)
    }
    if (anchor.previousAnchorHash !== (before?.hash ?? "")) {
      throw bad("anchor", anchor.to, "does not carry the hash of the anchor before it")
    }
    this.#anchor = anchor
    this.#anchors++
    const kept = this.#kept.find((one) => one.anchor?.to === anchor.to)?.anchor
    if (kept === undefined || kept.hash === anchor.hash) return
    throw bad("anchor", anchor.to, "is another one than the one that was kept elsewhere")
  }

  /** Nothing may be missing at the end, and nothing left over. */
  #end(next: JournalAnchor | undefined): void {
    const head = this.#head
    if (!protects("journal-head-verified")) return
    if (head === undefined) {
      if (this.#entries > 0 || next !== undefined) throw bad("head", 0, "is missing")
    } else this.#compareHead(head, next)
    this.#keptAtEnd()
  }

  #compareHead(head: JournalHead, next: JournalAnchor | undefined): void {
    if (this.#sequence < head.sequence) {
      const what = `is missing: the head names ${head.sequence} as the last entry`
      throw bad("entry", this.#sequence + 1, what)
    }
    if (next !== undefined) throw bad("anchor", next.to, "closes entries that are not there")
    if (head.anchor !== undefined && (this.#anchor?.to ?? 0) < head.anchor.to) {
      throw bad("anchor", head.anchor.to, "is missing: the head names it as the last anchor")
    }
    if (head.anchor?.to !== this.#anchor?.to || head.anchor?.hash !== this.#anchor?.hash) {
      throw bad("head", head.sequence, "does not name the last anchor")
    }
    if (this.#from - 1 > (this.#anchor?.to ?? 0)) {
      throw bad("head", head.sequence, "says that entries were dropped that no anchor covers")
    }
    if (this.#hash !== head.hash || this.#sequence !== head.sequence) {
      throw bad("head", head.sequence, `is not that of entry ${this.#sequence}, the last one`)
    }
  }

  /** Heads that were kept elsewhere and are not among what was read. */
  #keptAtEnd(): void {
    for (const { sequence, anchor } of this.#kept) {
      if (sequence > this.#sequence) {
        throw bad("entry", sequence, "is missing: it was the head that was kept elsewhere")
      }
      if (sequence >= this.#from || sequence === 0) continue
      if (anchor !== undefined && anchor.to <= (this.#anchor?.to ?? 0)) continue
      const what = "was dropped, so that the head kept elsewhere can't be compared any more"
      throw bad("entry", sequence, what)
    }
  }
}

const bad = (record: BadRecord["record"], sequence: number, what: string) =>
  new Found({ record, sequence, what })

const entryMembers = "format loop sequence time principal event previous hash".split(" ")
const anchorMembers = "format loop from to lastHash time previousAnchorHash hash".split(" ")
const headMembers = ["sequence", "hash"]
const entryExtras = ["revision"]
const headExtras = ["anchor", "keptFrom"]

function isHead({ sequence, hash, anchor, keptFrom = 2 }: JournalHead): boolean {
  const counts = [sequence, keptFrom, anchor?.to ?? 0]
  if (!counts.every((one) => Number.isSafeInteger(one) && one >= 0) || keptFrom < 2) return false
  const members = anchor === undefined ? 0 : Object.keys(anchor).length - 2
  return typeof hash === "string" && members === 0
}

/** The document, when its bytes are exactly how it would be written. */
function readExactly<T extends object>(
  value: Uint8Array,
  members: readonly string[],
  extras: readonly string[] = [],
): T | undefined {
  let document: unknown
  try {
    document = parseJson(new TextDecoder().decode(value))
  } catch {
    return undefined
  }
  if (typeof document !== "object" || document === null || Array.isArray(document)) return undefined
  const names = Object.keys(document)
  if (!members.every((name) => names.includes(name))) return undefined
  if (!names.every((name) => members.includes(name) || extras.includes(name))) return undefined
  return Buffer.compare(encodeDocument(document), value) === 0 ? (document as T) : undefined
}
