// A process that writes to a data directory as fast as it can and says each acknowledgement on
// standard output, for the rigs that kill and trace it. Arguments: DIRECTORY MODE [AFTER].
// Modes: "load" until killed; "early" the same but acknowledging before the commit has answered, as
// a control; "count" a fixed number of commits, then an orderly end; "idle" a few commits, then it
// waits for a line on standard input; "full" until there is no space, and again after such a line.

import { writeSync } from "node:fs"
import { systemClock, systemRandom } from "../../../src/base/system.ts"
import type { Store } from "../../../src/contract/store.ts"
import { openDataDirectory } from "../../../src/store/engines/data-directory.ts"

const [directory = "", mode = "", after = "0"] = process.argv.slice(2)
const writers = 16

const never = new Int32Array(new SharedArrayBuffer(4))

/** Written before it returns, so that what a killed process said is exactly what it wrote. */
function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      // The reader is slow and the pipe is full: wait for it.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
      Atomics.wait(never, 0, 0, 1)
    }
  }
}

const opened = await openDataDirectory({
  directory,
  clock: systemClock,
  random: systemRandom,
  retention: { maxRows: 20_000 },
  onFatal: (fault) => {
    say(`fatal ${fault.code}`)
    process.exit(3)
  },
})
const { store } = opened
say(`open ${store.revision} ${store.identity.epoch}`)

async function countAt(key: string): Promise<number> {
  const found = await store.get(key)
  if (found === undefined || "kind" in found) return 0
  return Number(Buffer.from(found.value).toString().split(" ")[0])
}

/**
 * Each key counts up by one with each commit, over all lives of the process; under load with a
 * twin, at a revision of its own.
 */
async function write(key: string, count: number, early: boolean): Promise<void> {
  const value = Buffer.from(`${count} marker-${key}-${count}- ${"x".repeat(900)}`)
  const twin = mode === "load" || mode === "early" ? [`${key}/twin`] : []
  const keys = [...twin, key]
  const done = store.commit(
    [],
    keys.map((one) => ({ kind: "put", key: one, value, apart: true })),
  )
  if (early) say(`ack 0 ${key} ${count}`)
  const answer = await done
  if (answer.kind !== "committed") throw new Error("refused")
  if (!early) say(`ack ${answer.revision} ${key} ${count}`)
}

async function writeForEver(key: string): Promise<void> {
  for (let count = (await countAt(key)) + 1; ; count++) await write(key, count, mode === "early")
}

async function watchFrom(source: Store, revision: number): Promise<void> {
  const signal = new AbortController().signal
  for await (const event of source.watch({ prefix: "w/", after: revision, signal })) {
    if (event.kind !== "changes") throw new Error(event.kind)
    const changes = event.changes.map((change) => {
      const [count] = Buffer.from(change.value ?? [])
        .toString()
        .split(" ")
      return `${change.key}=${count}`
    })
    say(`saw ${event.revision} ${changes.join(" ")}`)
  }
}

async function fill(): Promise<void> {
  const value = Buffer.alloc(64 * 1024, 1)
  for (let index = 0; ; index++) {
    const key = `w/${index}`
    try {
      await store.commit([], [{ kind: "put", key, value }])
      say(`ack ${store.revision} ${key} 1`)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
      say(`refused ${code} ${key} ${(await store.get(key)) === undefined ? "absent" : "present"}`)
      return
    }
  }
}

if (mode === "load" || mode === "early") {
  const keys = Array.from({ length: writers }, (_, index) => `w/${index}`)
  await Promise.all([watchFrom(store, Number(after)), ...keys.map(writeForEver)])
} else if (mode === "count") {
  for (let count = 1; count <= 60; count++) await write("w/alone", count, false)
  const keys = Array.from({ length: 40 }, (_, index) => `w/${index}`)
  await Promise.all(keys.map((key) => write(key, 1, false)))
  await opened.close()
} else if (mode === "idle") {
  for (const [key, count] of [
    ["t/a", 1],
    ["t/a", 2],
    ["t/b", 3],
  ] as const)
    await store.commit([], [{ kind: "put", key, value: Buffer.from(`${count}`) }])
  say("idle")
  await new Promise((resolve) => process.stdin.once("data", resolve))
  await opened.close()
  process.exit(0)
} else {
  await fill()
  await new Promise((resolve) => process.stdin.once("data", resolve))
  await write("w/after", 1, false)
  await opened.close()
  process.exit(0)
}
