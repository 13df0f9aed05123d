// A store that seals what is secret: Secret objects, and the pins of checkpoints, which hold
// whatever a source declared. Everything above it sees plain values, everything below it (files,
// history, backups) sealed ones. A value that can't be opened is a fault for whoever asks for that
// value, never something else in its place, and it is never written over.

import { protects } from "../base/protections.ts"
import type { Sealer } from "../contract/sealer.ts"
import type {
  Change,
  Compacted,
  Entry,
  RangeQuery,
  RangeResult,
  Revision,
  Store,
  WatchEvent,
  WatchOptions,
  Write,
} from "../contract/store.ts"
import { resourcePrefix } from "./storage-keys.ts"

export const secretsPrefix = resourcePrefix("", "secrets")
export const sealedPrefixes = [secretsPrefix, "/ledger/blobs/", "/ledger/checkpoint-pages/"]

export const isSealedPlace = (key: string): boolean =>
  sealedPrefixes.some((prefix) => key.startsWith(prefix))

export function sealedStore(store: Store, sealer: Sealer): Store {
  const opener = new Opener(sealer)
  return {
    get identity() {
      return store.identity
    },
    get revision() {
      return store.revision
    },
    get: async (key, at) => {
      const entry = await store.get(key, at)
      if (entry === undefined || "kind" in entry) return entry
      return opener.entry(entry, true)
    },
    range: async (query) => opener.range(query, await store.range(query)),
    commit: (checks, writes) =>
      store.commit(
        checks,
        writes.map((write) => seal(sealer, write)),
      ),
    watch: (options) => opener.watch(store, options),
    compact: (before: Revision) => store.compact(before),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => store.close(),
  }
}

function seal(sealer: Sealer, write: Write): Write {
  if (write.kind !== "put" || !isSealedPlace(write.key)) return write
  if (!protects("secrets-are-stored-sealed")) return write
  return { ...write, value: sealer.seal(write.key, write.value) }
}

class Opener {
  readonly #sealer: Sealer
  /** Watchers of the same kind get the same bytes: opened once for all of them. */
  readonly #opened = new WeakMap<Uint8Array, Uint8Array>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  entry(entry: Entry, asked: boolean): Entry {
    if (!isSealedPlace(entry.key)) return entry
    return { ...entry, value: this.#value(entry.key, entry.value, asked) }
  }

  range(query: RangeQuery, result: RangeResult | Compacted): RangeResult | Compacted {
    if (result.kind === "compacted" || !touches(query.prefix)) return result
    const asked = isSealedPlace(query.prefix)
    return { ...result, entries: result.entries.map((entry) => this.entry(entry, asked)) }
  }

  watch(store: Store, options: WatchOptions): AsyncIterable<WatchEvent> {
    const events = store.watch(options)
    return touches(options.prefix) ? this.#follow(events, isSealedPlace(options.prefix)) : events
  }

  async *#follow(events: AsyncIterable<WatchEvent>, asked: boolean): AsyncGenerator<WatchEvent> {
    for await (const event of events) {
      if (event.kind !== "changes" || !event.changes.some(({ key }) => isSealedPlace(key))) {
        yield event
      } else yield { ...event, changes: event.changes.map((one) => this.#change(one, asked)) }
    }
  }

  #change(change: Change, asked: boolean): Change {
    if (change.value === undefined || !isSealedPlace(change.key)) return change
    return { ...change, value: this.#value(change.key, change.value, asked) }
  }

  /** Who looks at everything must not fail for one value: it stays sealed for them. */
  #value(key: string, value: Uint8Array, asked: boolean): Uint8Array {
    const known = this.#opened.get(value)
    if (known !== undefined) return known
    try {
      const opened = this.#sealer.open(key, value)
      this.#opened.set(value, opened)
      return opened
    } catch (error) {
      if (asked) throw error
      return value
    }
  }
}

/** Values of a range or watch with this prefix may be sealed. */
function touches(prefix: string): boolean {
  return sealedPrefixes.some((one) => one.startsWith(prefix) || prefix.startsWith(one))
}
