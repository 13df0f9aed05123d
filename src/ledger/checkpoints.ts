// Checkpoints in the store: headers, pages and bytes. Headers are mirrored in memory; the rest is
// read when asked for. What no checkpoint of a loop names any more is removed with the change that
// let it go, and what a crash left behind is found by a mark. Changes of one loop are made one
// after another, inside `exclusive`.

import { KeyedLock, mapBounded } from "../base/async.ts"
import { sha256 } from "../base/hash.ts"
import type { JsonObject } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import type { JournalEvent } from "../contract/journal.ts"
import type { Principal } from "../contract/principal.ts"
import type { Store, Write } from "../contract/store.ts"
import {
  type Bytes,
  type CheckpointHeader,
  type Content,
  contentOf,
  entryOf,
  hashesOf,
  type Pin,
  type PinEntry,
  pageOf,
  pageText,
  shiftFor,
} from "./checkpoint-pages.ts"
import { ledgerFault } from "./faults.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

/** What is to be pinned; missing pins are gone. */
export interface PinSet {
  /** All there is; else only what differs from the base. */
  readonly complete: boolean
  readonly pins: ReadonlyMap<string, Pin | undefined>
}

/** Content that is not stored yet. */
export interface Built {
  readonly content: Content
  readonly writes: readonly Write[]
  readonly pages: ReadonlyMap<string, readonly PinEntry[]>
}

export interface CheckpointChange {
  readonly puts: readonly CheckpointHeader[]
  readonly drops: readonly string[]
  readonly built?: Built
  readonly events: readonly JournalEvent[]
  /** What must be durable together with the headers. */
  readonly writes?: readonly Write[]
}

export type NoteLedger = (
  loop: string,
  principal: Principal,
  events: readonly JournalEvent[],
  writes: readonly Write[],
) => Promise<void>

const writesPerCommit = 1000
const bytesPerCommit = 4 * 1024 * 1024
const readsAtOnce = 16
const pinsPerTurn = 200

export class Checkpoints {
  readonly #store: Store
  readonly #note: NoteLedger
  readonly #lock = new KeyedLock()
  readonly #headers = new Map<string, Map<string, CheckpointHeader>>()
  readonly #marked = new Set<string>()
  /** Lets other work have a turn during long ones. */
  breathe: () => Promise<void> = async () => {}

  constructor(store: Store, note: NoteLedger) {
    this.#store = store
    this.#note = note
  }

  async open(): Promise<void> {
    for await (const { value } of scanPrefix(this.#store, ledgerKeys.checkpoints)) {
      this.#keep(decodeDocument<CheckpointHeader>(value))
    }
    for await (const { key } of scanPrefix(this.#store, ledgerKeys.checkpointMarks)) {
      this.#marked.add(key.slice(ledgerKeys.checkpointMarks.length))
    }
  }

  get(loop: string, name: string): CheckpointHeader | undefined {
    return this.#headers.get(loop)?.get(name)
  }

  /** Of one loop or of all, oldest first. */
  list(loop?: string): CheckpointHeader[] {
    const loops = loop === undefined ? [...this.#headers.values()] : [this.#headers.get(loop)]
    const all = loops.flatMap((one) => [...(one?.values() ?? [])])
    return all.sort((left, right) => (left.created < right.created ? -1 : 1))
  }

  /** Nobody else changes checkpoints of this loop meanwhile. */
  exclusive<T>(loop: string, task: () => Promise<T>): Promise<T> {
    return this.#lock.run(loop, async () => {
      if (this.#marked.has(loop)) await this.#sweep(loop)
      return task()
    })
  }

  /** Works out pages and bytes; only those that the base does not have are to be written. */
  async pin(loop: string, set: PinSet, base?: CheckpointHeader): Promise<Built> {
    const fresh = new Map<string, { entry: PinEntry; bytes: readonly Bytes[] }>()
    let done = 0
    for (const [key, pin] of set.pins) {
      if (++done % pinsPerTurn === 0) await this.breathe()
      if (pin !== undefined) fresh.set(key, entryOf(pin))
    }
    const { shift, pages, count } = await this.#grouped(loop, set, fresh, base)
    const same = base !== undefined && base.shift === shift ? base : undefined
    const hashes = [...(same?.pages ?? new Array<string>(2 ** shift).fill(""))]
    const writes = new Map<string, Write>()
    const made = new Map<string, readonly PinEntry[]>()
    for (const [index, entries] of pages) {
      await this.breathe()
      const text = pageText(entries)
      const hash = entries.length === 0 ? "" : sha256(text)
      const before = same?.pages[index] ?? ""
      if (hash === before) continue
      hashes[index] = hash
      const known = new Set((await this.#page(loop, before)).flatMap(hashesOf))
      if (hash !== "") {
        made.set(hash, entries)
        putText(writes, ledgerKeys.checkpointPage(loop, hash), text)
      }
      for (const { key } of entries) {
        for (const bytes of fresh.get(key)?.bytes ?? []) {
          if (known.has(bytes.hash)) continue
          putText(writes, ledgerKeys.blob(loop, bytes.hash), bytes.text)
        }
      }
    }
    const content = contentOf(shift, hashes, count)
    return { content, writes: [...writes.values()], pages: made }
  }

  /** Stores what was built, then the headers, then removes what nothing names any more. */
  async commit(loop: string, principal: Principal, change: CheckpointChange): Promise<void> {
    const { puts, drops, built, events } = change
    const before = this.list(loop)
    const after = new Map(before.map((header) => [header.name, header]))
    for (const name of drops) after.delete(name)
    for (const header of puts) after.set(header.name, header)
    const remaining = [...after.values()]
    const lost = before.filter((header) => !remaining.some(({ root }) => root === header.root))
    const garbage = await this.#garbage(loop, lost, remaining, built?.pages ?? new Map())
    const heads: Write[] = [
      ...drops.map((name): Write => ({ kind: "delete", key: ledgerKeys.checkpoint(loop, name) })),
      ...puts.map((header) => putDocument(ledgerKeys.checkpoint(loop, header.name), header)),
      ...(change.writes ?? []),
    ]
    const note = (writes: readonly Write[]) => this.#note(loop, principal, [], writes)
    const batches = batched(built?.writes ?? [])
    const removals = batched(garbage)
    if (batches.length <= 1 && removals.length <= 1) {
      const all = [...(batches[0] ?? []), ...heads, ...(removals[0] ?? [])]
      await this.#note(loop, principal, events, all)
    } else {
      const mark = ledgerKeys.checkpointMark(loop)
      await note([putDocument(mark, { format: 1 })])
      this.#marked.add(loop)
      for (const batch of batches) await note(batch)
      await this.#note(loop, principal, events, heads)
      for (const batch of removals) await note(batch)
      await note([{ kind: "delete", key: mark }])
      this.#marked.delete(loop)
    }
    for (const name of drops) this.#headers.get(loop)?.delete(name)
    for (const header of puts) this.#keep(header)
  }

  async *entries({ loop, pages }: CheckpointHeader): AsyncGenerator<PinEntry> {
    for (const hash of pages) yield* await this.#page(loop, hash)
  }

  /** The entry of one object. */
  async entry(header: CheckpointHeader, key: string): Promise<PinEntry | undefined> {
    const page = await this.#page(header.loop, header.pages[pageOf(key, header.shift)] ?? "")
    return page.find((entry) => entry.key === key)
  }

  /** An entry with its bytes. */
  async load(loop: string, entry: PinEntry): Promise<Pin> {
    const { key, apiVersion, kind, spec, metadata, metadataAt } = entry
    const body = await this.#bytes(loop, key, spec)
    const beside =
      metadataAt === undefined ? (metadata ?? {}) : await this.#bytes(loop, key, metadataAt)
    return { key, apiVersion, kind, metadata: beside, body }
  }

  /** Everything that is pinned, whole. */
  async pins(header: CheckpointHeader): Promise<Pin[]> {
    const entries: PinEntry[] = []
    for await (const entry of this.entries(header)) entries.push(entry)
    return mapBounded(entries, readsAtOnce, (entry) => this.load(header.loop, entry))
  }

  async #grouped(
    loop: string,
    { complete, pins }: PinSet,
    fresh: ReadonlyMap<string, { entry: PinEntry }>,
    base: CheckpointHeader | undefined,
  ): Promise<{ shift: number; count: number; pages: Map<number, PinEntry[]> }> {
    if (base !== undefined && !complete) {
      const touched = new Set([...pins.keys()].map((key) => pageOf(key, base.shift)))
      const pages = new Map<number, PinEntry[]>()
      let { count } = base
      for (const index of touched) {
        const before = await this.#page(loop, base.pages[index] ?? "")
        pages.set(
          index,
          before.filter(({ key }) => !pins.has(key)),
        )
        count -= before.length
      }
      for (const [key, { entry }] of fresh) pages.get(pageOf(key, base.shift))?.push(entry)
      for (const entries of pages.values()) count += entries.length
      if (shiftFor(count, base.shift) === base.shift) return { shift: base.shift, count, pages }
    }
    const all = new Map<string, PinEntry>()
    if (base !== undefined && !complete) {
      for await (const entry of this.entries(base))
        if (!pins.has(entry.key)) all.set(entry.key, entry)
    }
    for (const [key, { entry }] of fresh) all.set(key, entry)
    const shift = shiftFor(all.size, base?.shift)
    const pages = new Map(
      Array.from({ length: 2 ** shift }, (_, index): [number, PinEntry[]] => [index, []]),
    )
    for (const [key, entry] of all) pages.get(pageOf(key, shift))?.push(entry)
    return { shift, count: all.size, pages }
  }

  /** Pages and bytes that only these checkpoints named. */
  async #garbage(
    loop: string,
    lost: readonly CheckpointHeader[],
    remaining: readonly CheckpointHeader[],
    made: ReadonlyMap<string, readonly PinEntry[]>,
  ): Promise<Write[]> {
    const named = new Set(remaining.flatMap(({ pages }) => pages))
    const deletes = new Set<string>()
    for (const header of lost) {
      for (const [index, hash] of header.pages.entries()) {
        if (hash === "" || named.has(hash)) continue
        deletes.add(ledgerKeys.checkpointPage(loop, hash))
        const gone = (await this.#page(loop, hash)).flatMap(hashesOf)
        const kept = new Set<string>()
        for (const other of remaining) {
          const near = other.shift === header.shift ? [other.pages[index] ?? ""] : other.pages
          for (const page of near) {
            const entries = made.get(page) ?? (await this.#page(loop, page))
            for (const one of entries.flatMap(hashesOf)) kept.add(one)
          }
        }
        for (const one of gone) if (!kept.has(one)) deletes.add(ledgerKeys.blob(loop, one))
      }
    }
    return [...deletes].map((key): Write => ({ kind: "delete", key }))
  }

  /** After a crash: whatever no header leads to. */
  async #sweep(loop: string): Promise<void> {
    const live = new Set<string>()
    for (const header of this.list(loop)) {
      for (const hash of header.pages) live.add(ledgerKeys.checkpointPage(loop, hash))
      for await (const entry of this.entries(header)) {
        for (const hash of hashesOf(entry)) live.add(ledgerKeys.blob(loop, hash))
      }
    }
    const dead: Write[] = []
    for (const prefix of [ledgerKeys.checkpointPage(loop, ""), ledgerKeys.blob(loop, "")]) {
      for await (const { key } of scanPrefix(this.#store, prefix)) {
        if (!live.has(key)) dead.push({ kind: "delete", key })
      }
    }
    dead.push({ kind: "delete", key: ledgerKeys.checkpointMark(loop) })
    const engine = { name: "setpoint:engine", kind: "service" } as const
    for (const batch of batched(dead)) await this.#note(loop, engine, [], batch)
    this.#marked.delete(loop)
  }

  async #page(loop: string, hash: string): Promise<readonly PinEntry[]> {
    if (hash === "") return []
    const text = await this.#text(ledgerKeys.checkpointPage(loop, hash), loop)
    return JSON.parse(text) as PinEntry[]
  }

  async #bytes(loop: string, key: string, hash: string): Promise<JsonObject> {
    const text = await this.#text(ledgerKeys.blob(loop, hash), loop)
    if (sha256(`${key}\n${text}`) !== hash) {
      throw ledgerFault("SPT-LEDGER-020", { loop, what: `the pinned spec of ${key} was changed` })
    }
    return parseJson(text) as JsonObject
  }

  async #text(key: string, loop: string): Promise<string> {
    const stored = await this.#store.get(key)
    if (stored === undefined || "kind" in stored) {
      throw ledgerFault("SPT-LEDGER-020", { loop, what: `${key} is missing` })
    }
    return new TextDecoder().decode(stored.value)
  }

  #keep(header: CheckpointHeader): void {
    const known = this.#headers.get(header.loop)
    if (known === undefined) this.#headers.set(header.loop, new Map([[header.name, header]]))
    else known.set(header.name, header)
  }
}

function putText(writes: Map<string, Write>, key: string, text: string): void {
  writes.set(key, { kind: "put", key, value: new TextEncoder().encode(text) })
}

function batched(writes: readonly Write[]): Write[][] {
  const batches: Write[][] = []
  let bytes = 0
  for (const write of writes) {
    const size = write.key.length + (write.kind === "put" ? write.value.length : 0)
    const last = batches.at(-1)
    bytes += size
    if (last === undefined || last.length >= writesPerCommit || bytes > bytesPerCommit) {
      batches.push([write])
      bytes = size
    } else last.push(write)
  }
  return batches
}
