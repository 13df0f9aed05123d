// Gate: after convergence a pass writes nothing, neither to the targets nor to the store; seen at
// the revision, at the disk and at the system calls.

import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { scanPrefix } from "../../src/ledger/scan.ts"
import { openReadOnlyStore } from "../../src/store/engines/open-read-only-store.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { mutationsOf, straceCommand, writesTo } from "./plane/mutation-trace.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const count = full ? 10_000 : 500
const strace = requireTool("strace")

let rig: PlaneRig
beforeEach(() => {
  rig = new PlaneRig()
})
afterEach(() => rig.close())

/** Everything that lstat can tell of every file in the folder. */
function picture(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(join(folder, name), { bigint: true })
    return `${name} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`
  })
}

/** What was written after a revision: the keys that a failure has to name. */
async function writtenAfter(revision: number): Promise<string[]> {
  const store = await openReadOnlyStore(rig.data)
  const keys: string[] = []
  try {
    for await (const { key, modRevision } of scanPrefix(store, "/")) {
      if (modRevision > revision) keys.push(key)
    }
  } finally {
    await store.close()
  }
  return keys
}

/**
 * What it converged to is kept as a checkpoint a while later, on a busy machine seconds later, and
 * the first look at a converged loop notes its size, once: quiet is when the checkpoint is there
 * and three looks wrote nothing.
 */
async function settled(): Promise<void> {
  await waitFor("the checkpoint is kept", async () => (await rig.loopStatus()).lastGood !== null)
  await waitFor("three looks write nothing", async () => {
    const before = (await rig.status()).revision
    for (let pass = 0; pass < 3; pass++) await rig.call("POST", "look")
    await pause(300)
    const after = (await rig.status()).revision
    return before === after || `${before} and ${after}: ${await writtenAfter(before)}`
  })
}

describe("a converged plane", () => {
  it(`changes nothing in 10 resyncs of ${count} files`, async () => {
    const names = rig.declareMany(count)
    const started = performance.now()
    await rig.start()
    await rig.converged(count, 300_000)
    console.log(`${count} files converged in ${Math.round(performance.now() - started)} ms`)
    await settled()
    const { revision } = await rig.status()
    const before = picture(rig.targets)
    const looks = performance.now()
    for (let pass = 0; pass < 10; pass++) await rig.call("POST", "look")
    console.log(`10 resyncs took ${Math.round(performance.now() - looks)} ms`)
    await pause(500)
    expect(await writtenAfter(revision)).toEqual([])
    expect((await rig.status()).revision).toBe(revision)
    expect(picture(rig.targets)).toEqual(before)
    expect(before).toHaveLength(names.length)
  }, 400_000)

  it.skipIf(strace.missing || !full)(
    "writes nothing to the store in a resync (strace)",
    async () => {
      rig.declareMany(50)
      const file = join(rig.base, "trace")
      await rig.start({ prefix: straceCommand(file) })
      await rig.converged(50)
      await settled()
      const before = readFileSync(file, "utf8")
      for (let pass = 0; pass < 10; pass++) await rig.call("POST", "look")
      await pause(500)
      const during = readFileSync(file, "utf8").slice(before.length)
      expect(writesTo(before, "store.db-wal").length).toBeGreaterThan(0)
      expect(writesTo(during, "store.db-wal")).toEqual([])
      expect(writesTo(during, "store.db")).toEqual([])
      expect(mutationsOf(during, rig.pid, rig.targets, join(rig.data, "stop"))).toEqual([])
      expect(during).toContain("write(")
    },
  )

  it("starts again and goes quiet without touching a file", async () => {
    rig.declareMany(100)
    await rig.start()
    await rig.converged(100)
    const before = picture(rig.targets)
    await rig.end("SIGTERM")
    await rig.start()
    await rig.converged(100)
    await settled()
    expect(picture(rig.targets)).toEqual(before)
  })
})
