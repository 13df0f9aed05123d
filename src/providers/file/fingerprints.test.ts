import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { afterEach, beforeEach, expect, test } from "vitest"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let temp = noTempDir
let dir = temp.path
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
  mkdirSync(`${dir}/d`)
  writeFileSync(`${dir}/d/a`, "x")
})
afterEach(() => temp.remove())

function sweep(kind: string, path: string, driver = new KindDriver(kind)): string | undefined {
  const prints = driver.kind.fingerprints?.([path, path], driver.world) ?? []
  expect(prints).toHaveLength(2)
  expect(prints[0]).toBe(prints[1])
  return prints[0]
}

test.each([
  ["content of the same length", () => writeFileSync(`${dir}/d/a`, "y")],
  ["mode", () => chmodSync(`${dir}/d/a`, 0o600)],
  ["times put back", () => utimesSync(`${dir}/d/a`, 1, 1)],
  [
    "another file under the name",
    () => {
      writeFileSync(`${dir}/d/b`, "x")
      renameSync(`${dir}/d/b`, `${dir}/d/a`)
    },
  ],
  [
    "a symlink to the same directory in the way",
    () => {
      renameSync(`${dir}/d`, `${dir}/real`)
      symlinkSync("real", `${dir}/d`)
    },
  ],
  ["the file gone", () => rmSync(`${dir}/d/a`)],
  ["the directory gone", () => rmSync(`${dir}/d`, { recursive: true })],
])("a file's fingerprint notices: %s", (_, change) => {
  const before = sweep("File", `${dir}/d/a`)
  expect(before).toBeDefined()
  const { ctimeMs } = lstatSync(`${dir}/d/a`)
  // Times come from the kernel's tick: a change within the same one is what `clock` is for.
  while (tickOf() === ctimeMs);
  change()
  expect(sweep("File", `${dir}/d/a`)).not.toBe(before)
})

function tickOf(): number {
  writeFileSync(`${dir}/tick`, "")
  return lstatSync(`${dir}/tick`).ctimeMs
}

test("what can't be read or is not there has no fingerprint", () => {
  expect(sweep("File", `${dir}/none`)).toBeUndefined()
  expect(sweep("File", `${dir}/d/a/below`)).toBeUndefined()
})

test("a file younger than a clock tick has no fingerprint yet", () => {
  const clock = (now: number) => ({
    now: () => now,
    monotonic: () => 0,
    after: () => ({ cancel: () => {} }),
  })
  const { ctimeMs } = lstatSync(`${dir}/d/a`)
  const young = new KindDriver("File", { clock: clock(ctimeMs + 500) })
  const settled = new KindDriver("File", { clock: clock(ctimeMs + 5000) })
  expect(sweep("File", `${dir}/d/a`, young)).toBeUndefined()
  expect(sweep("File", `${dir}/d/a`, settled)).toBeDefined()
})

test("a directory's fingerprint ignores its entries and notices its mode", () => {
  const before = sweep("Directory", `${dir}/d`)
  writeFileSync(`${dir}/d/new`, "")
  expect(sweep("Directory", `${dir}/d`)).toBe(before)
  chmodSync(`${dir}/d`, 0o700)
  expect(sweep("Directory", `${dir}/d`)).not.toBe(before)
})

test("a purging directory is always read in full", async () => {
  const driver = new KindDriver("Directory")
  await driver.observe({ path: `${dir}/d`, purge: true })
  expect(sweep("Directory", `${dir}/d`, driver)).toBeUndefined()
})
