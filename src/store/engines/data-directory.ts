// Opens the data directory of a plane: makes it when it is new, and refuses everything doubtful.
// A directory that lost its store, holds another plane's, or is not ours is never started on; a
// fresh empty plane in its place would take everything real for unwanted.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { type Clock, toTimestamp } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import { protects } from "../../base/protections.ts"
import { newUid, type Random } from "../../base/random.ts"
import { storeFault } from "../faults.ts"
import type { KvStore } from "../kv-store.ts"
import { type OpenStoreOptions, openStoreOn } from "../open-memory-store.ts"
import { lockDirectory } from "./directory-lock.ts"
import { type IdentityFile, readIdentity, writeIdentity } from "./identity-file.ts"
import {
  createPrivateDirectory,
  createPrivateFile,
  isCode,
  storePath,
  syncPath,
  writePrivateFile,
} from "./private-files.ts"
import { SqliteEngine } from "./sqlite-engine.ts"
import { createSchema, readMeta, type StoreMeta, storeFormat } from "./sqlite-schema.ts"

export interface OpenDirectoryOptions extends Omit<OpenStoreOptions, "planeId"> {
  readonly directory: string
}

export interface DataDirectory {
  readonly store: KvStore
  /** Absolute. */
  readonly directory: string
  readonly planeId: string
  readonly createdAt: string
  /** Made by this open. */
  readonly created: boolean
  /** A full observation has happened since the restore; clears `identity.restored`. */
  clearRestored(): Promise<void>
  /** Closes the store and gives the directory free. */
  close(): Promise<void>
}

/** Names that a new directory may hold: what creation itself makes, and a stop that came first. */
const mayBeThere = /^(lock\.db(-journal)?|lock\.pid|store\.db(-wal|-shm|-journal)?|stop)$/
/** There while a plane is open, and after one that did not end in order. */
const openMark = "open"
const partialIdentity = "identity.json.partial"

export async function openDataDirectory(options: OpenDirectoryOptions): Promise<DataDirectory> {
  const directory = resolve(options.directory)
  prepare(directory)
  const lock = lockDirectory(directory)
  let engine: SqliteEngine | undefined
  try {
    const found = readIdentity(directory)
    const identity = found ?? create(directory, options.clock, options.random)
    engine = await openEngine(directory, identity)
    const { directory: _, ...rest } = options
    const store = await openStoreOn(engine, { ...rest, planeId: identity.planeId })
    // From here on a missing write-ahead log means lost commits.
    writePrivateFile(join(directory, openMark), "")
    return {
      store,
      directory,
      planeId: identity.planeId,
      createdAt: identity.createdAt,
      created: found === undefined,
      clearRestored: () => store.clearRestored(),
      async close() {
        try {
          // First the mark, then the log that SQLite removes: a crash between leaves both right.
          rmSync(join(directory, openMark), { force: true })
          syncPath(directory)
        } finally {
          // Also when the directory was taken away: a store left open would keep the process alive.
          await store.close().finally(() => lock.release())
        }
      },
    }
  } catch (error) {
    await engine?.close().catch(() => {}) // The first failure is the one to tell.
    lock.release()
    throw inDirectory(directory, error)
  }
}

/** Before the lock: the directory exists, and is ours or free to take. */
function prepare(directory: string): void {
  try {
    createPrivateDirectory(directory)
    const names = readdirSync(directory)
    if (names.includes("identity.json")) return
    const foreign = names.filter((name) => !mayBeThere.test(name) && name !== partialIdentity)
    if (foreign.length === 0) return
    const shown = foreign.slice(0, 3).join(", ")
    throw storeFault("SPT-STORE-021", { directory, found: shown })
  } catch (error) {
    throw inDirectory(directory, error)
  }
}

function create(directory: string, clock: Clock, random: Random): IdentityFile {
  const path = storePath(directory)
  // A store without identity.json is either an unfinished creation, which holds no rows and may
  // go, or a store whose identity was lost, which must stay.
  if (existsSync(path) && !isUnfinished(path)) {
    const cause = "store.db has content and identity.json is missing"
    throw storeFault("SPT-STORE-022", { directory, cause })
  }
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true })
  const planeId = newUid(random)
  createPrivateFile(path)
  const db = new DatabaseSync(path)
  createSchema(db, planeId)
  db.close()
  syncPath(path)
  syncPath(directory)
  const createdAt = toTimestamp(clock.now())
  const identity = { format: storeFormat, planeId, createdAt }
  writeIdentity(directory, identity)
  return identity
}

function isUnfinished(path: string): boolean {
  if (statSync(path).size === 0) return true
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    readMeta(db)
    return db.prepare("SELECT place FROM rows LIMIT 1").get() === undefined
  } catch {
    // Half a schema means that creation did not finish; a damaged store has other content too.
    return db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.tables === 0
  } finally {
    db.close()
  }
}

async function openEngine(directory: string, identity: IdentityFile): Promise<SqliteEngine> {
  const path = storePath(directory)
  const lost = (cause: string) => storeFault("SPT-STORE-022", { directory, cause })
  let size: number
  try {
    size = statSync(path).size
  } catch (error) {
    if (isCode(error, "ENOENT")) throw lost("store.db is missing")
    throw error
  }
  if (size === 0) throw lost("store.db is empty")
  const cut = existsSync(join(directory, openMark)) && !existsSync(`${path}-wal`)
  if (cut && protects("missing-log-refused"))
    throw lost("store.db-wal is missing, and the last plane did not end in order")
  const engine = await SqliteEngine.open(pathToFileURL(path).href)
  try {
    requireMeta(directory, identity, engine.meta)
    return engine
  } catch (error) {
    await engine.close().catch(() => {}) // The first failure is the one to tell.
    throw error
  }
}

export function requireMeta(directory: string, identity: IdentityFile, meta: StoreMeta): void {
  if (meta.format > storeFormat)
    throw storeFault("SPT-STORE-024", { directory, found: meta.format, known: storeFormat })
  if (meta.planeId !== identity.planeId) {
    const details = { directory, found: meta.planeId, expected: identity.planeId }
    throw storeFault("SPT-STORE-023", details)
  }
}

/** A damaged or unreadable file is told with the directory and the way back. */
export function inDirectory(directory: string, error: unknown): unknown {
  const cause = error instanceof Error ? error.message : String(error)
  if (!isFault(error)) return storeFault("SPT-STORE-025", { directory, cause }, error)
  if (error.code !== "SPT-STORE-011") return error
  const inner = cause.replace("cannot trust the store: ", "")
  return storeFault("SPT-STORE-022", { directory, cause: inner }, error)
}
