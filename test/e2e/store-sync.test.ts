// What a kill can't show: that nothing is acknowledged before the disk was told to keep it. Traced
// at the system calls, with a control that the same judgement must flag; and the real store on a
// disk that fails its syncs or has no space left.

import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openReadOnlyStore } from "../../src/store/engines/open-read-only-store.ts"
import { mountsPrivately, requireTool } from "../tools.ts"
import { judgeAcknowledgements, judgeCreation } from "./store/sync-trace.ts"

const script = (name: string) => fileURLToPath(new URL(`./store/${name}`, import.meta.url))
const strace = requireTool("strace")
const unshare = mountsPrivately()
const traced =
  "openat,mkdir,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,ftruncate,unlink"

let base = ""
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "setpoint-sync-"))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function runTraced(options: readonly string[], program: readonly string[]) {
  const file = join(base, "trace")
  const args = ["-f", "-y", "-qq", "-o", file, ...options, process.execPath, ...program]
  const result = spawnSync("strace", args, { encoding: "utf8", timeout: 60_000 })
  return { ...result, trace: readFileSync(file, "utf8") }
}

describe.skipIf(strace.missing)("what the store syncs (strace)", () => {
  it("acknowledges nothing before a completed sync of the log that holds it", () => {
    const directory = join(base, "plane", "data")
    mkdirSync(join(base, "plane"))
    const options = ["-s", "6000", "-e", `trace=${traced}`]
    const run = runTraced(options, [script("writer.ts"), directory, "count"])
    expect(run.status).toBe(0)
    const judged = judgeAcknowledgements(run.trace)
    const { acknowledgements, logWrites, logSyncs } = judged
    console.log(`${acknowledgements} acknowledgements, ${logWrites} writes, ${logSyncs} syncs`)
    expect(judged.unsynced).toEqual([])
    expect(acknowledgements).toBe(100)
    expect(judgeCreation(run.trace, directory)).toEqual([])
  })

  it("is a check that flags a store which does not sync", () => {
    const options = ["-s", "6000", "-e", `trace=${traced}`]
    const run = runTraced(options, [script("unsynced-writer.ts"), base])
    expect(run.status).toBe(0)
    const judged = judgeAcknowledgements(run.trace)
    console.log(`control: ${judged.unsynced.length} of ${judged.acknowledgements} flagged`)
    expect(judged.acknowledgements).toBe(20)
    expect(judged.unsynced).toHaveLength(20)
    expect(judgeCreation(run.trace, base)).not.toEqual([])
  })

  it("stops for good when a sync fails, and keeps what was acknowledged before", async () => {
    const directory = join(base, "data")
    const options = ["-e", "trace=fsync,fdatasync"]
    const fail = ["-e", "inject=fsync,fdatasync:error=EIO:when=40+"]
    const run = runTraced([...options, ...fail], [script("writer.ts"), directory, "count"])
    expect(run.status).toBe(3)
    const lines = run.stdout.trim().split("\n")
    expect(lines.at(-1)).toBe("fatal SPT-STORE-007")
    // Not one more sync of the log was tried.
    const failures = run.trace.split("\n").filter((line) => /-wal>\).*EIO/.test(line))
    expect(failures).toHaveLength(1)
    const last = Number(lines.findLast((line) => line.startsWith("ack"))?.split(" ")[3])
    expect(last).toBeGreaterThan(5)
    const store = await openReadOnlyStore(directory)
    const found = await store.get("w/alone")
    const stored =
      found !== undefined && "value" in found ? Buffer.from(found.value).toString() : ""
    expect(Number(stored.split(" ")[0])).toBeGreaterThanOrEqual(last)
    await store.close()
  })
})

describe.skipIf(unshare.missing)("the store on a full disk", () => {
  it("refuses clearly, changes nothing, and writes again when there is space", async () => {
    const disk = join(base, "disk")
    mkdirSync(disk)
    // The small disk exists only inside the child's own mount namespace.
    const shell = `mount -t tmpfs -o size=6m tmpfs "$1" && exec "$2" "$3" "$1/data" full`
    const args = ["-m", "sh", "-c", shell, "sh", disk, process.execPath, script("writer.ts")]
    const child = spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] })
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (!line.startsWith("refused")) continue
      const grow = ["-t", String(child.pid), "-m", "mount", "-o", "remount,size=20m", disk]
      expect(spawnSync("nsenter", grow, { timeout: 10_000 }).status).toBe(0)
      child.stdin.write("go on\n")
    }
    const refused = lines.find((line) => line.startsWith("refused"))
    console.log(`full after ${lines.length} lines: ${refused}`)
    expect(refused).toMatch(/^refused SPT-STORE-006 w\/\d+ absent$/)
    expect(lines.at(-1)).toMatch(/^ack \d+ w\/after 1$/)
  })
})
