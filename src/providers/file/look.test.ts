import { execFileSync } from "node:child_process"
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { Present } from "../../contract/observation.ts"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let temp = noTempDir
let dir = temp.path
let file = new KindDriver("File")
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
  file = new KindDriver("File")
})
afterEach(() => temp.remove())

async function seen(spec: JsonObject): Promise<Present> {
  const observation = await file.observe(spec)
  if (observation.kind !== "present") throw new Error(JSON.stringify(observation))
  return observation
}

describe("reading no more than needed", () => {
  test("unchanged content is read once; a change of one byte is seen", async () => {
    const clock = { now: () => Date.now() + 60_000, monotonic: () => 0, after: () => never }
    const reads = countReads()
    file = new KindDriver("File", { clock }, reads.files)
    const spec = { path: `${dir}/a`, content: "x" }
    writeFileSync(`${dir}/a`, "x", { mode: 0o644 })
    for (let round = 0; round < 5; round++) await seen(spec)
    expect(reads.count()).toBe(1)
    writeFileSync(`${dir}/a`, "y")
    expect((await seen(spec)).value).toMatchObject({ content: "y" })
  })

  test("content younger than a clock tick is read again", async () => {
    writeFileSync(`${dir}/a`, "x")
    const { ctimeMs } = lstatSync(`${dir}/a`)
    const clock = { now: () => ctimeMs + 500, monotonic: () => 0, after: () => never }
    const reads = countReads()
    file = new KindDriver("File", { clock }, reads.files)
    for (let round = 0; round < 3; round++) await seen({ path: `${dir}/a`, content: "x" })
    expect(reads.count()).toBe(3)
  })

  test("a file moved over the path is seen although its size and mtime are the same", async () => {
    const spec = { path: `${dir}/a`, content: "x" }
    expect(await file.act("create", spec)).toEqual({ kind: "done" })
    const before = await seen(spec)
    execFileSync("cp", ["-p", `${dir}/a`, `${dir}/b`])
    renameSync(`${dir}/b`, `${dir}/a`)
    expect((await seen(spec)).token).not.toBe(before.token)
    rmSync(`${dir}/a`)
    expect(await file.observe(spec)).toMatchObject({ kind: "absent" })
  })
})

const never = { cancel: () => {} }
function countReads() {
  const real = new KindDriver("File").world.files
  let count = 0
  const files = {
    ...real,
    read: (path: string, bytesMax: number) => {
      count++
      return real.read(path, bytesMax)
    },
  }
  return { files, count: () => count }
}
