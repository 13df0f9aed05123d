// Single edits of a stored journal, as somebody with access to the store's file could make them,
// and journals to make them on. For tests only; every edit really changes a stored byte.

import type { Clock } from "../../base/clock.ts"
import type { Json, JsonObject } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import type { JournalEvent } from "../../contract/journal.ts"
import { enginePrincipal } from "../../contract/principal.ts"
import type { Store, Write } from "../../contract/store.ts"
import { hashAnchor, hashEntry } from "../journal-chain.ts"
import { decodeDocument, encodeDocument } from "../keys.ts"
import { LedgerWriter } from "../ledger-writer.ts"
import { scanPrefix } from "../scan.ts"

export interface JournalPlan {
  /** Sizes of the commits that wrote it, and of segments; old data has no segments at first. */
  readonly commits: readonly number[]
  readonly segment: number
  readonly oldCommits: number
  /** How much of what may be dropped is dropped, from 0 to 1. */
  readonly dropped: number
}

const never = Number.MAX_SAFE_INTEGER

export async function writeJournal(
  store: Store,
  clock: Clock,
  loop: string,
  plan: JournalPlan,
): Promise<void> {
  const write = async (segmentSize: number, commits: readonly number[]) => {
    const writer = new LedgerWriter(store, clock, { segmentSize })
    await writer.open()
    for (const [index, size] of commits.entries()) {
      const events = Array.from({ length: size }, (_, at) => eventOf(index, at))
      await writer.append(loop, enginePrincipal, events, [])
    }
    return writer
  }
  await write(never, plan.commits.slice(0, plan.oldCommits))
  const writer = await write(plan.segment, plan.commits.slice(plan.oldCommits))
  const closed = writer.head(loop).anchor?.to ?? 0
  await writer.drop(loop, 1 + Math.floor(closed * plan.dropped), [])
}

function eventOf(commit: number, at: number): JournalEvent {
  const note = `commit ${commit}: ${"é\u2028 \ufffd".slice(0, at % 5)}`
  if (at % 3 === 0) return { type: "release", object: `o${at}`, note }
  return { type: "source", state: "good", revision: `r${commit}`, note: `${at} objects` }
}

export interface StoredDocument {
  readonly key: string
  readonly value: Uint8Array
}

export async function journalDocuments(store: Store): Promise<StoredDocument[]> {
  const found: StoredDocument[] = []
  for (const prefix of ["/ledger/journal/", "/ledger/anchors/", "/ledger/heads/"]) {
    for await (const { key, value } of scanPrefix(store, prefix)) found.push({ key, value })
  }
  return found
}

/** Numbers from 0 to 1 that decide what is edited and how. */
export type Dice = readonly [number, number, number]

export interface Edit {
  readonly text: string
  readonly writes: readonly Write[]
  /** Brings everything back. */
  readonly undo: readonly Write[]
}

type Editor = (documents: readonly StoredDocument[], dice: Dice) => Edit | undefined

const pick = <T>(items: readonly T[], dice: number): T | undefined =>
  items[Math.min(items.length - 1, Math.floor(dice * items.length))]

const put = (key: string, value: Uint8Array): Write => ({ kind: "put", key, value })
const remove = (key: string): Write => ({ kind: "delete", key })

const flipByte: Editor = (documents, [which, where, how]) => {
  const document = pick(documents, which)
  if (document === undefined) return undefined
  const value = Uint8Array.from(document.value)
  const index = Math.floor(where * value.length)
  const mask = 1 + Math.floor(how * 254)
  value[index] = (value[index] ?? 0) ^ mask
  return changed(`byte ${index} of ${document.key} ^ ${mask}`, document, value)
}

const deleteOne: Editor = (documents, [which]) => {
  const document = pick(documents, which)
  if (document === undefined) return undefined
  const { key, value } = document
  return { text: `delete ${key}`, writes: [remove(key)], undo: [put(key, value)] }
}

/** The last entry, or the last anchor. */
const truncate: Editor = (documents, [which]) => {
  const prefix = which < 0.7 ? "/ledger/journal/" : "/ledger/anchors/"
  const last = documents.filter(({ key }) => key.startsWith(prefix)).at(-1)
  if (last === undefined) return undefined
  return { text: `cut ${last.key}`, writes: [remove(last.key)], undo: [put(last.key, last.value)] }
}

/** A copy in a place where nothing lies: at an end, between, elsewhere. */
const duplicate: Editor = (documents, [which, where, how]) => {
  const document = pick(documents, which)
  if (document === undefined) return undefined
  const folder = document.key.slice(0, document.key.lastIndexOf("/") + 1)
  const number = String(Math.floor(where * 2 * documents.length)).padStart(12, "0")
  const name = how < 0.7 ? number : how < 0.8 ? "x" : how < 0.9 ? `${number}0` : `${number}/0`
  const key = document.key.startsWith("/ledger/heads/") ? `${folder}other` : `${folder}${name}`
  if (documents.some((one) => one.key === key)) return undefined
  const writes = [put(key, document.value)]
  return { text: `copy ${document.key} to ${key}`, writes, undo: [remove(key)] }
}

const swap: Editor = (documents, [which, where]) => {
  const [left, right] = [pick(documents, which), pick(documents, where)]
  if (left === undefined || right === undefined || left.key === right.key) return undefined
  return {
    text: `swap ${left.key} and ${right.key}`,
    writes: [put(left.key, right.value), put(right.key, left.value)],
    undo: [put(left.key, left.value), put(right.key, right.value)],
  }
}

/** Still a well-formed document of its kind, with a hash that fits where it carries one. */
const forge: Editor = (documents, [which, where, how]) => {
  const document = pick(documents, which)
  if (document === undefined) return undefined
  const before = decodeDocument<JsonObject>(document.value)
  const names = Object.keys(before).filter((name) => name !== "hash" || how < 0.2)
  const name = pick(names, where) ?? ""
  const member = how > 0.9 ? undefined : forged(before[name], how)
  const after: JsonObject =
    how > 0.8 && how <= 0.9 ? { ...before, more: 1 } : { ...before, [name]: member }
  const hash = rehash(document.key, after)
  const whole = how < 0.5 && hash !== undefined ? { ...after, hash } : after
  return changed(`forge ${name} of ${document.key}`, document, encodeDocument(whole))
}

/** The head of an earlier moment, as an old copy of it would be. */
const rewind: Editor = (documents, [which, where]) => {
  const head = pick(
    documents.filter(({ key }) => key.startsWith("/ledger/heads/")),
    which,
  )
  if (head === undefined) return undefined
  const loop = head.key.slice("/ledger/heads/".length)
  const entries = documents.filter(({ key }) => key.startsWith(`/ledger/journal/${loop}/`))
  const chosen = pick(entries.slice(0, -1), where)
  if (chosen === undefined) return undefined
  const { sequence, hash } = decodeDocument<{ sequence: number; hash: string }>(chosen.value)
  const old = { ...decodeDocument<JsonObject>(head.value), sequence, hash }
  return changed(`rewind ${head.key} to ${sequence}`, head, encodeDocument(old))
}

function changed(text: string, { key, value }: StoredDocument, to: Uint8Array): Edit | undefined {
  if (Buffer.compare(value, to) === 0) return undefined
  return { text, writes: [put(key, to)], undo: [put(key, value)] }
}

function forged(value: Json | undefined, how: number): Json {
  if (typeof value === "number") return value + (how < 0.4 ? 1 : -1)
  if (typeof value === "string") return how < 0.4 ? `${value}x` : value.slice(1)
  if (isObject(value)) return { ...value, note: "forged", to: 1 }
  return "forged"
}

function rehash(key: string, document: JsonObject): string | undefined {
  const body = document as object
  if (key.startsWith("/ledger/journal/")) return hashEntry(body as Parameters<typeof hashEntry>[0])
  if (key.startsWith("/ledger/anchors/"))
    return hashAnchor(body as Parameters<typeof hashAnchor>[0])
  return undefined
}

export const editors: Readonly<Record<string, Editor>> = {
  flipByte,
  deleteOne,
  truncate,
  duplicate,
  swap,
  forge,
  rewind,
}
