// A store to look at and not to touch: one snapshot of a data directory, for a cold `plan` and for
// reports. It writes nothing, anywhere, and works while a plane is running.

import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import type { Store } from "../../contract/store.ts"
import type { Engine, Marks, Page, Place, Row, RowHeader } from "../engine.ts"
import { storeFault } from "../faults.ts"
import { KvStore } from "../kv-store.ts"
import { defaultRetention } from "../retention.ts"
import { defaultWatchLimits } from "../watch-hub.ts"
import { inDirectory, requireMeta } from "./data-directory.ts"
import { readIdentity } from "./identity-file.ts"
import { inspectBackup } from "./restore.ts"
import { openSnapshot } from "./snapshot.ts"
import { nextTurn, SqliteReader } from "./sqlite-reader.ts"

const attempts = 5

/** Nothing changes in a snapshot, so no time passes either. */
const stillClock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after: () => ({ cancel() {} }),
}

/** Only grants of leases need randomness, and a snapshot refuses them. */
const noRandom: Random = { bytes: (count) => new Uint8Array(count), next: () => 0 }

export async function openReadOnlyStore(directory: string): Promise<Store> {
  const path = resolve(directory)
  const identity = readIdentity(path)
  if (identity === undefined) throw storeFault("SPT-STORE-026", { directory: path })
  for (let attempt = 1; ; attempt++) {
    const snapshot = openSnapshot(path, { untouched: true })
    try {
      // Everything that is read later comes from the state that this begins with.
      snapshot.db.exec("BEGIN")
      const engine = new SnapshotEngine(new SqliteReader(snapshot.db))
      requireMeta(path, identity, engine.meta)
      const store = await KvStore.open({
        engine,
        clock: stillClock,
        random: noRandom,
        planeId: identity.planeId,
        retention: defaultRetention,
        watchLimits: defaultWatchLimits,
        readOnly: true,
      })
      if (snapshot.stillValid()) return store
      await store.close()
    } catch (error) {
      const mixed = !snapshot.stillValid()
      if (snapshot.db.isOpen) snapshot.db.close()
      if (!mixed || attempt === attempts) throw inDirectory(path, error)
    }
    if (attempt === attempts) {
      const cause = "planes start and end on it faster than it can be read"
      throw storeFault("SPT-STORE-025", { directory: path, cause })
    }
  }
}

/** The store in one backup file; nothing of the file is changed. */
export async function openBackupStore(file: string): Promise<Store> {
  const url = pathToFileURL(resolve(file)).href
  const db = new DatabaseSync(`${url}?immutable=1&mode=ro`, { readOnly: true })
  try {
    const { planeId } = inspectBackup(db)
    return await KvStore.open({
      ...{ engine: new SnapshotEngine(new SqliteReader(db)), clock: stillClock, random: noRandom },
      ...{ planeId, retention: defaultRetention, watchLimits: defaultWatchLimits, readOnly: true },
    })
  } catch (error) {
    if (db.isOpen) db.close()
    throw error
  }
}

class SnapshotEngine implements Engine {
  readonly meta
  readonly #reader: SqliteReader

  constructor(reader: SqliteReader) {
    this.#reader = reader
    this.meta = reader.meta()
  }

  async load(each: (header: RowHeader) => void): Promise<Marks> {
    this.#reader.load(each)
    return this.meta
  }

  async append(): Promise<void> {
    throw storeFault("SPT-STORE-010", { what: "commit" })
  }

  async sweep(): Promise<void> {
    throw storeFault("SPT-STORE-010", { what: "compact" })
  }

  read(places: readonly Place[]): Promise<readonly (Row | undefined)[]> {
    return this.#reader.read(places)
  }

  scan(after: Place, to: Place, limit: number): Promise<Page> {
    return this.#reader.scan(after, to, limit)
  }

  pause(): Promise<void> {
    return nextTurn()
  }

  async close(): Promise<void> {
    this.#reader.close()
  }
}
