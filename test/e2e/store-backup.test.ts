// Reading a directory without touching it, copying it while it runs, and coming back from a copy.

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import type { Store } from "../../src/contract/store.ts"
import { backupStore } from "../../src/store/engines/backup.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { openReadOnlyStore } from "../../src/store/engines/open-read-only-store.ts"
import { restoreBackup } from "../../src/store/engines/restore.ts"

let base = ""
let directory = ""
let backup = ""
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "setpoint-backup-"))
  directory = join(base, "data")
  backup = join(base, "backup.db")
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const open = (path = directory) => openDataDirectory({ directory: path, clock, random })

async function put(store: Store, key: string, text: string): Promise<number> {
  const answer = await store.commit([], [{ kind: "put", key, value: Buffer.from(text) }])
  if (answer.kind !== "committed") throw new Error("refused")
  return answer.revision
}

async function texts(store: Store): Promise<Record<string, string>> {
  const range = await store.range({ prefix: "t/" })
  if (range.kind !== "range") throw new Error("compacted")
  return Object.fromEntries(
    range.entries.map((entry) => [entry.key, Buffer.from(entry.value).toString()]),
  )
}

/** Content, size and time of everything in a directory that this process has not open itself. */
function fingerprint(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path).map((name) => {
      const facts = statSync(join(path, name))
      const hash = createHash("sha256")
        .update(readFileSync(join(path, name)))
        .digest("hex")
      return [name, `${facts.size} ${facts.mode} ${facts.mtimeMs} ${hash}`]
    }),
  )
}

/** A plane in another process, with the content that `fill` makes. */
async function runElsewhere(): Promise<{ end(): Promise<void> }> {
  const writer = fileURLToPath(new URL("./store/writer.ts", import.meta.url))
  const args = [writer, directory, "idle"]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("close", resolve))
  for await (const line of createInterface({ input: child.stdout })) if (line === "idle") break
  return {
    async end() {
      child.stdin.end("end\n")
      await ended
    },
  }
}

describe("a read-only store", () => {
  async function lookAt(path: string): Promise<void> {
    const before = fingerprint(path)
    const store = await openReadOnlyStore(path)
    expect(await texts(store)).toEqual({ "t/a": "2", "t/b": "3" })
    await expect(store.commit([], [])).rejects.toMatchObject({ code: "SPT-STORE-010" })
    await expect(store.grantLease(1000)).rejects.toMatchObject({ code: "SPT-STORE-010" })
    await store.close()
    expect(fingerprint(path)).toEqual(before)
  }

  async function fill(store: Store): Promise<void> {
    await put(store, "t/a", "1")
    await put(store, "t/a", "2")
    await put(store, "t/b", "3")
  }

  it("reads a running plane and changes no byte of its directory", async () => {
    const plane = await runElsewhere()
    await lookAt(directory)
    await plane.end()
  })

  it("keeps its snapshot while the plane writes on", async () => {
    const opened = await open()
    await fill(opened.store)
    const store = await openReadOnlyStore(directory)
    await put(opened.store, "t/a", "later")
    await opened.store.compact(opened.store.revision)
    expect(await texts(store)).toEqual({ "t/a": "2", "t/b": "3" })
    await store.close()
    await opened.close()
  })

  it("reads a plane that has ended", async () => {
    const opened = await open()
    await fill(opened.store)
    await opened.close()
    expect(existsSync(join(directory, "store.db-wal"))).toBe(false)
    await lookAt(directory)
  })

  it.each([
    ["with", true],
    ["without", false],
  ])("reads a plane that has crashed, %s its -shm file", async (_, withShm) => {
    const opened = await open()
    await fill(opened.store)
    const copy = join(base, "crashed")
    mkdirSync(copy)
    for (const name of readdirSync(directory)) {
      if (name === "store.db-shm" && !withShm) continue
      copyFileSync(join(directory, name), join(copy, name))
    }
    await opened.close()
    await lookAt(copy)
  })

  it("refuses what is no data directory, and makes none", async () => {
    const code = "SPT-STORE-026"
    await expect(openReadOnlyStore(join(base, "none"))).rejects.toMatchObject({ code })
    expect(existsSync(join(base, "none"))).toBe(false)
  })

  it("refuses a directory that lost its store", async () => {
    await (await open()).close()
    truncateSync(join(directory, "store.db"), 0)
    await expect(openReadOnlyStore(directory)).rejects.toMatchObject({ code: "SPT-STORE-022" })
  })
})

describe("backup and restore", () => {
  it("copies one consistent state while the plane is writing", async () => {
    const opened = await open()
    let writing = true
    const writer = (async () => {
      for (let count = 1; writing; count++) {
        const value = Buffer.from(`${count}`)
        await opened.store.commit(
          [],
          [
            { kind: "put", key: "t/a", value },
            { kind: "put", key: "t/b", value },
          ],
        )
      }
    })()
    await put(opened.store, "t/first", "1")
    const result = await backupStore(opened, backup)
    const after = opened.store.revision
    writing = false
    await writer
    await opened.close()
    expect(result).toMatchObject({ file: backup, planeId: opened.planeId })
    expect(result.revision).toBeLessThanOrEqual(after)
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    const target = join(base, "restored")
    restoreBackup(backup, target, { clock })
    const restored = await open(target)
    const found = await texts(restored.store)
    expect(found["t/first"]).toBe("1")
    expect(found["t/a"]).toBe(found["t/b"])
    await restored.close()
  })

  it("comes back as the same plane, far ahead, and marked until it has observed anew", async () => {
    const first = await open()
    await put(first.store, "t/a", "1")
    await backupStore(first, backup)
    // What happens after the backup is lost with the directory; its revisions are not used again.
    const lost = await put(first.store, "t/a", "lost")
    const { epoch } = first.store.identity
    await first.close()

    const target = join(base, "restored")
    const result = restoreBackup(backup, target, { clock })
    expect(result).toMatchObject({ planeId: first.planeId })
    let opened = await open(target)
    expect(opened.planeId).toBe(first.planeId)
    expect(opened.store.revision).toBeGreaterThan(lost + 1_000_000)
    expect(opened.store.identity.epoch).toBeGreaterThan(epoch + 1)
    expect(opened.store.identity.restored).toBe(true)
    expect(await texts(opened.store)).toEqual({ "t/a": "1" })

    const signal = AbortSignal.timeout(10_000)
    const watch = opened.store.watch({ prefix: "", after: lost, signal })[Symbol.asyncIterator]()
    expect((await watch.next()).value).toMatchObject({ kind: "compacted" })

    await opened.close()
    opened = await open(target)
    expect(opened.store.identity.restored).toBe(true)
    await opened.clearRestored()
    expect(opened.store.identity.restored).toBe(false)
    await opened.close()
    opened = await open(target)
    expect(opened.store.identity.restored).toBe(false)
    await opened.close()
  })

  it("copies a plane that has ended without touching it", async () => {
    const opened = await open()
    await put(opened.store, "t/a", "1")
    await opened.close()
    const before = fingerprint(directory)
    await backupStore(directory, backup)
    expect(fingerprint(directory)).toEqual(before)
  })

  it("never overwrites a file or a directory", async () => {
    const opened = await open()
    await backupStore(opened, backup)
    const again = backupStore(opened, backup)
    await expect(again).rejects.toMatchObject({ code: "SPT-STORE-030" })
    await opened.close()
    const restore = () => restoreBackup(backup, directory, { clock })
    expect(restore).toThrow(expect.objectContaining({ code: "SPT-STORE-032" }))
  })

  const edit = (sql: string) => () => {
    const db = new DatabaseSync(backup)
    db.exec(sql)
    db.close()
  }
  it.each<[string, () => void]>([
    ["is empty", () => truncateSync(backup, 0)],
    ["is cut", () => truncateSync(backup, 8192)],
    ["is no database", () => writeFileSync(backup, "x".repeat(5000))],
    ["has a trigger", edit("CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END")],
    ["has a view", edit("CREATE VIEW v AS SELECT * FROM rows")],
    ["has another table", edit("CREATE TABLE more (a)")],
    ["has a changed row", edit("UPDATE rows SET value = x'00' WHERE key = 't/a'")],
    ["has a changed version", edit("UPDATE rows SET version = 7 WHERE key = 't/a'")],
    ["names no plane", edit("UPDATE meta SET value = '../..' WHERE name = 'planeId'")],
    ["is of a newer format", edit("UPDATE meta SET value = '2' WHERE name = 'format'")],
    ["is missing", () => rmSync(backup)],
  ])("refuses a backup that %s, and leaves nothing behind", async (_, damage) => {
    const opened = await open()
    await put(opened.store, "t/a", "1")
    await backupStore(opened, backup)
    await opened.close()
    damage()
    const target = join(base, "restored")
    const restore = () => restoreBackup(backup, target, { clock })
    expect(restore).toThrow(expect.objectContaining({ code: "SPT-STORE-031" }))
    expect(existsSync(target)).toBe(false)
  })

  it("refuses a backup that is too large", async () => {
    const opened = await open()
    await backupStore(opened, backup)
    await opened.close()
    const restore = () => restoreBackup(backup, join(base, "restored"), { clock, maxBytes: 4096 })
    expect(restore).toThrow(expect.objectContaining({ code: "SPT-STORE-031" }))
  })
})
