// A data directory that is new, in use, foreign, damaged, newer or has lost something: it opens
// rightly or is refused clearly, and never starts empty.

import {
  copyFileSync,
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
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"

let base = ""
let directory = ""
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "setpoint-directory-"))
  directory = join(base, "data")
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const open = (path = directory) => openDataDirectory({ directory: path, clock, random })
const value = Buffer.from("a value that is long enough to be found in the file again")

/** A closed directory with some content. */
async function filled(path = directory): Promise<string> {
  const opened = await open(path)
  for (let index = 0; index < 50; index++)
    await opened.store.commit([], [{ kind: "put", key: `t/${index}`, value }])
  await opened.close()
  return opened.planeId
}

async function refusal(): Promise<{ code: string; message: string; hint: string }> {
  try {
    await (await open()).close()
  } catch (error) {
    return error as { code: string; message: string; hint: string }
  }
  throw new Error("it opened")
}

function editMeta(name: string, text: string): void {
  const db = new DatabaseSync(join(directory, "store.db"))
  db.prepare("UPDATE meta SET value = ? WHERE name = ?").run(text, name)
  db.close()
}

describe("a data directory", () => {
  it("is made private: the directory 0700, every file 0600", async () => {
    const opened = await open()
    await opened.store.commit([], [{ kind: "put", key: "t/a", value }])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(directory))
      expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600])
    expect(opened.created).toBe(true)
    const identity = JSON.parse(readFileSync(join(directory, "identity.json"), "utf8"))
    expect(identity).toMatchObject({ format: 1, planeId: opened.planeId })
    await opened.close()
  })

  it("opens again with the same plane, the same content and a higher epoch", async () => {
    const planeId = await filled()
    const opened = await open()
    expect(opened).toMatchObject({ planeId, created: false })
    expect(opened.store.identity).toMatchObject({ planeId, epoch: 2, restored: false })
    expect(await opened.store.range({ prefix: "t/" })).toMatchObject({ more: false })
    expect(await opened.store.get("t/49")).toMatchObject({ version: 1 })
    await opened.close()
  })

  it("has one plane at a time, and names the process that has it", async () => {
    const first = await open()
    const fault = await refusal()
    expect(fault.code).toBe("SPT-STORE-020")
    expect(fault.message).toContain(`process ${process.pid}`)
    await first.close()
    await (await open()).close()
  })

  it("is refused when it holds something that is not ours", async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, "thesis.txt"), "precious")
    expect(await refusal()).toMatchObject({ code: "SPT-STORE-021" })
    expect(readdirSync(directory)).toEqual(["thesis.txt"])
  })

  it("takes a directory in which only a stop was written before", async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, "stop"), "")
    await (await open()).close()
    expect(readdirSync(directory)).toContain("stop")
  })

  it("is made anew when making it was cut short", async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, "store.db"), "")
    writeFileSync(join(directory, "identity.json.partial"), "{")
    const opened = await open()
    expect(opened.created).toBe(true)
    await opened.close()
  })

  const losses: readonly [string, () => void, string][] = [
    ["store.db is gone", () => rmSync(join(directory, "store.db")), "SPT-STORE-022"],
    ["store.db is empty", () => truncateSync(join(directory, "store.db"), 0), "SPT-STORE-022"],
    ["store.db is cut", () => truncateSync(join(directory, "store.db"), 8192), "SPT-STORE-022"],
    [
      "store.db is no database",
      () => writeFileSync(join(directory, "store.db"), "x".repeat(9000)),
      "SPT-STORE-022",
    ],
    [
      "store.db has no tables",
      () => {
        rmSync(join(directory, "store.db"))
        new DatabaseSync(join(directory, "store.db")).exec("VACUUM; PRAGMA user_version=1")
      },
      "SPT-STORE-022",
    ],
    ["store.db is another plane's", () => editMeta("planeId", "another"), "SPT-STORE-023"],
    ["store.db has a newer format", () => editMeta("format", "2"), "SPT-STORE-024"],
    [
      "identity.json has a newer format",
      () => {
        const path = join(directory, "identity.json")
        const text = readFileSync(path, "utf8").replace('"format": 1', '"format": 99')
        writeFileSync(path, text)
      },
      "SPT-STORE-024",
    ],
    [
      "identity.json is half",
      () => truncateSync(join(directory, "identity.json"), 20),
      "SPT-STORE-022",
    ],
    ["identity.json is gone", () => rmSync(join(directory, "identity.json")), "SPT-STORE-022"],
  ]
  it.each(losses)("is refused when %s, and left as it is", async (_, damage, code) => {
    await filled()
    damage()
    const before = readdirSync(directory).sort()
    const fault = await refusal()
    expect(fault.code).toBe(code)
    expect(fault.hint).not.toBe("")
    expect(readdirSync(directory).sort()).toEqual(expect.arrayContaining(before))
    expect((await refusal()).code).toBe(code)
  })

  it("is refused when the log of a plane that did not end in order is gone", async () => {
    const opened = await open()
    await opened.store.commit([], [{ kind: "put", key: "t/a", value }])
    const copy = join(base, "copy")
    mkdirSync(copy)
    for (const name of readdirSync(directory)) copyFileSync(join(directory, name), join(copy, name))
    await opened.close()
    // With its log the copy is a plane that crashed, and opens.
    rmSync(directory, { recursive: true })
    mkdirSync(directory)
    for (const name of readdirSync(copy)) copyFileSync(join(copy, name), join(directory, name))
    const again = await open()
    expect(await again.store.get("t/a")).toMatchObject({ version: 1 })
    await again.close()
    for (const name of readdirSync(copy)) copyFileSync(join(copy, name), join(directory, name))
    for (const name of ["store.db-wal", "store.db-shm"]) rmSync(join(directory, name))
    const fault = await refusal()
    expect(fault).toMatchObject({ code: "SPT-STORE-022" })
    expect(fault.message).toContain("store.db-wal is missing")
  })

  it("notices a flipped bit in a stored value and hands nothing of it out", async () => {
    await filled()
    const path = join(directory, "store.db")
    const bytes = readFileSync(path)
    // Pages keep stale copies of rows: every one is changed, the live one among them.
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) bytes[at] = 66
    writeFileSync(path, bytes)
    const opened = await open()
    const range = opened.store.range({ prefix: "t/" })
    await expect(range).rejects.toMatchObject({ code: "SPT-STORE-011" })
    await opened.close()
  })

  it("is refused with the cause when the directory can't be made", async () => {
    writeFileSync(join(base, "file"), "")
    directory = join(base, "file", "data")
    expect(await refusal()).toMatchObject({ code: "SPT-STORE-025" })
  })
})
