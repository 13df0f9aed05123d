import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Closeable } from "../../../contract/world.ts"
import { DirectoryWatches } from "./directory-watches.ts"
import { makeTempDir, noTempDir } from "./testing/temp-dir.ts"

let temp = noTempDir
let dir = temp.path
let watches = new DirectoryWatches()
let open: Closeable[] = []
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
  watches = new DirectoryWatches()
  open = []
})
afterEach(() => {
  for (const watch of open) watch.close()
  temp.remove()
})

function watched(path: string): (string | undefined)[] {
  const hints: (string | undefined)[] = []
  open.push(watches.watch(path, (name) => hints.push(name)))
  return hints
}

/** Changes until the hint comes; a watch may need a moment to be armed again. */
const until = (hints: readonly unknown[], wanted: unknown, change: () => void) =>
  vi.waitFor(
    () => {
      change()
      expect(hints).toContain(wanted)
    },
    { timeout: 20_000, interval: 50 },
  )

test("a change in the directory is hinted with its name, to everyone who asked", async () => {
  const first = watched(dir)
  const second = watched(dir)
  await until(first, "a", () => writeFileSync(`${dir}/a`, "x"))
  await until(second, "a", () => {})
})

test("one watch serves all targets of a directory and ends with the last of them", () => {
  for (let index = 0; index < 100; index++) watched(dir)
  expect(watches.size).toBe(1)
  const last = open.pop()
  for (const watch of open) watch.close()
  for (const watch of open) watch.close()
  expect(watches.size).toBe(1)
  last?.close()
  expect(watches.size).toBe(0)
})

test("a closed watch hints no more, the others go on", async () => {
  const closed = watched(dir)
  open[0]?.close()
  const kept = watched(dir)
  await until(kept, "a", () => writeFileSync(`${dir}/a`, "x"))
  expect(closed).toEqual([])
})

test("a directory that does not exist yet is waited for, however deep", async () => {
  const hints = watched(`${dir}/a/b/c`)
  mkdirSync(`${dir}/a/b/c`, { recursive: true })
  await until(hints, undefined, () => {})
  await until(hints, "f", () => writeFileSync(`${dir}/a/b/c/f`, "x"))
})

test("a directory that vanishes and comes back is watched again", async () => {
  mkdirSync(`${dir}/d`)
  const hints = watched(`${dir}/d`)
  rmSync(`${dir}/d`, { recursive: true })
  await until(hints, undefined, () => {})
  mkdirSync(`${dir}/d`)
  await until(hints, "f", () => writeFileSync(`${dir}/d/f`, "x"))
})

test("a directory that is replaced by another is watched in its new shape", async () => {
  mkdirSync(`${dir}/d`)
  mkdirSync(`${dir}/e`)
  const hints = watched(`${dir}/d`)
  renameSync(`${dir}/d`, `${dir}/old`)
  renameSync(`${dir}/e`, `${dir}/d`)
  await until(hints, "f", () => writeFileSync(`${dir}/d/f`, "x"))
})

test("a path that can't be watched is no error", () => {
  writeFileSync(`${dir}/file`, "")
  expect(() => watched(`${dir}/file/below`)).not.toThrow()
  expect(() => watched(`/proc/1/nonsense\u0000`)).not.toThrow()
})
