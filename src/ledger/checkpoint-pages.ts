// What a checkpoint is made of: a header that names pages, pages of entries, and the bytes of each
// object's spec, all found by the hash of their content, so that two checkpoints share what is
// equal in both. An object lies in the page that the hash of its key says: one changed object
// changes one page. Pure.

import { hashJson, sha256 } from "../base/hash.ts"
import { canonicalJson, type Json, type JsonObject } from "../base/json.ts"

/** What is pinned of one object: what was declared of it, and nothing that the server added. */
export interface Pin {
  /** Text form of the object's key. */
  readonly key: string
  readonly apiVersion: string
  readonly kind: string
  /** Labels, annotations and what else was declared; without name and namespace. */
  readonly metadata: JsonObject
  /** Every other member, in most cases `spec` alone. */
  readonly body: JsonObject
}

export interface PinEntry {
  readonly key: string
  readonly apiVersion: string
  readonly kind: string
  /** Hash of key and body: where the bytes lie. */
  readonly spec: string
  readonly metadata?: JsonObject
  /** Metadata too long for a page lies with the bytes. */
  readonly metadataAt?: string
}

export interface CheckpointHeader {
  readonly format: 1
  readonly loop: string
  readonly name: string
  /** Of the source; missing where objects come by API. */
  readonly revision?: string
  readonly created: string
  readonly by: string
  readonly reason?: string
  /** Kept by the engine, not asked for by anyone. */
  readonly automatic: boolean
  readonly count: number
  /** 2^shift pages. */
  readonly shift: number
  /** Hash of each page; "" where a page is empty. */
  readonly pages: readonly string[]
  readonly root: string
}

export type Content = Pick<CheckpointHeader, "count" | "shift" | "pages" | "root">

const entriesPerPage = 128
const entriesPerPageMin = 16
const entriesPerPageMax = 256
const inlineBytesMax = 2048

/** How many pages, as a power of two; the known number stays while it fits. */
export function shiftFor(count: number, known?: number): number {
  if (known !== undefined) {
    const most = entriesPerPageMax * 2 ** known
    const least = known === 0 ? 0 : entriesPerPageMin * 2 ** known
    if (count <= most && count >= least) return known
  }
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, count) / entriesPerPage)))
}

export function pageOf(key: string, shift: number): number {
  if (shift === 0) return 0
  return Number.parseInt(sha256(key).slice(0, 8), 16) % 2 ** shift
}

export interface Bytes {
  readonly hash: string
  readonly text: string
}

/** The entry of a pin, and what has to lie beside the pages for it. */
export function entryOf(pin: Pin): { readonly entry: PinEntry; readonly bytes: readonly Bytes[] } {
  const { key, apiVersion, kind, metadata, body } = pin
  const spec = bytesOf(key, body)
  const known = { key, apiVersion, kind, spec: spec.hash }
  if (canonicalJson(metadata).length <= inlineBytesMax) {
    return { entry: { ...known, metadata }, bytes: [spec] }
  }
  const beside = bytesOf(key, metadata)
  return { entry: { ...known, metadataAt: beside.hash }, bytes: [spec, beside] }
}

/** The key is part of the hash: bytes are shared only between checkpoints of the same object. */
function bytesOf(key: string, value: JsonObject): Bytes {
  const text = canonicalJson(value)
  return { hash: sha256(`${key}\n${text}`), text }
}

/** Where the bytes of an entry lie. */
export function hashesOf({ spec, metadataAt }: PinEntry): string[] {
  return metadataAt === undefined ? [spec] : [spec, metadataAt]
}

export function pageText(entries: readonly PinEntry[]): string {
  const sorted = [...entries].sort((left, right) => (left.key < right.key ? -1 : 1))
  return canonicalJson(sorted as readonly object[] as readonly Json[])
}

export function contentOf(shift: number, pages: readonly string[], count: number): Content {
  return { count, shift, pages, root: hashJson([shift, ...pages]) }
}
