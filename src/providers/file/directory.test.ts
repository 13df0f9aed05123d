import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Clock } from "../../base/clock.ts"
import { type PortCall, tapWorld } from "../../provider/conformance/world-tap.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "./adapter/node-files.ts"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"
import { labelOf } from "./temporaries.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let temp = noTempDir
let path = temp.path
let directory = new KindDriver("Directory")
beforeEach(() => {
  temp = makeTempDir()
  path = `${temp.path}/d`
  directory = new KindDriver("Directory")
})
afterEach(() => temp.remove())

const inAnHour: Clock = {
  now: () => Date.now() + 3_600_000,
  monotonic: () => 0,
  after: () => ({ cancel: () => {} }),
}

test("makes a directory with its mode whatever the umask, and takes it away again", async () => {
  expect(await directory.observe({ path })).toMatchObject({ kind: "absent" })
  expect(await directory.act("create", { path, mode: "2777" })).toEqual({ kind: "done" })
  expect(await directory.observe({ path, mode: "2777" })).toMatchObject({
    kind: "present",
    value: { path, mode: "2777", type: "directory" },
  })
  expect(await directory.actOnSeen("delete", { path })).toEqual({ kind: "done" })
  expect(existsSync(path)).toBe(false)
  expect(await directory.act("delete", { path, mode: "0755" }, { token: "x" })).toEqual({
    kind: "done",
  })
})

test("corrects mode and owner and touches no entry", async () => {
  mkdirSync(path, { mode: 0o700 })
  writeFileSync(`${path}/foreign`, "f")
  const root = process.getuid?.() === 0
  const spec = { path, mode: "0750", ...(root ? { owner: "daemon", group: "12345" } : {}) }
  expect(await directory.actOnSeen("update", spec)).toEqual({ kind: "done" })
  expect(await directory.observe(spec)).toMatchObject({ value: spec })
  expect(readdirSync(path)).toEqual(["foreign"])
})

test("entries that come and go do not change the token, the mode does", async () => {
  mkdirSync(path)
  const before = await directory.observe({ path })
  writeFileSync(`${path}/new`, "")
  expect(await directory.observe({ path })).toEqual(before)
  chmodSync(path, 0o700)
  expect(await directory.observe({ path })).not.toEqual(before)
  const token = before.kind === "present" ? before.token : ""
  for (const verb of ["update", "delete"] as const) {
    expect(await directory.act(verb, { path }, { token })).toMatchObject({ kind: "failed" })
  }
})

test("a directory that is not empty is kept, and what is in it is named", async () => {
  mkdirSync(path)
  for (let index = 0; index < 8; index++) writeFileSync(`${path}/f${index}`, "")
  expect(await directory.actOnSeen("delete", { path })).toEqual({
    kind: "failed",
    cause:
      `${path} is not empty: it holds "f0", "f1", "f2", "f3", "f4" and 3 more; ` +
      "remove them, or release the object",
    failure: { class: "Conflict" },
  })
  expect(readdirSync(path)).toHaveLength(8)
})

test.each([
  ["a file", () => writeFileSync(path, "x")],
  ["a symlink", () => symlinkSync("/", path)],
  ["a FIFO, socket or device", () => execFileSync("mkfifo", [path])],
])("%s in its place is seen and left alone", async (what, put) => {
  put()
  const before = lstatSync(path)
  const seen = await directory.observe({ path })
  expect(seen).toMatchObject({ kind: "present" })
  expect(seen.kind === "present" ? Object.keys(seen.value) : []).toEqual(["path", "type"])
  for (const verb of ["update", "adopt", "delete"] as const) {
    expect(await directory.actOnSeen(verb, { path })).toEqual({
      kind: "failed",
      cause: `${what} is in the way at ${path}; it is never replaced or removed`,
      stuck: true,
      failure: { class: "Conflict" },
    })
  }
  expect(await directory.act("create", { path })).toMatchObject({ kind: "failed" })
  expect(lstatSync(path).ino).toBe(before.ino)
})

test("purge removes old temporary files of ours and nothing else", async () => {
  mkdirSync(path)
  const ours = `.setpoint-${labelOf("some object")}-0123456789abcdef`
  const others = [".setpoint-notes", ".setpoint-0123-abc", "a.txt", ".hidden"]
  for (const name of [ours, ...others]) writeFileSync(`${path}/${name}`, "")
  mkdirSync(`${path}/.setpoint-${labelOf("a directory")}-0123`)
  const spec = { path, purge: true }
  expect(await directory.observe({ path })).not.toHaveProperty("value.purge")
  expect(await directory.observe(spec)).toMatchObject({ value: { purge: true } })
  expect(await directory.actOnSeen("update", spec)).toEqual({ kind: "done" })
  expect(readdirSync(path)).toContain(ours)

  directory = new KindDriver("Directory", { clock: inAnHour })
  expect(await directory.observe(spec)).toMatchObject({ value: { purge: false } })
  expect(await directory.actOnSeen("update", spec)).toEqual({ kind: "done" })
  expect(await directory.observe(spec)).toMatchObject({ value: { purge: true } })
  expect(readdirSync(path).sort()).toEqual(
    [...others, `.setpoint-${labelOf("a directory")}-0123`].sort(),
  )
})

test("a purging directory with only our leftovers can be removed", async () => {
  mkdirSync(path)
  writeFileSync(`${path}/.setpoint-${labelOf("some object")}-0123456789abcdef`, "")
  directory = new KindDriver("Directory", { clock: inAnHour })
  expect(await directory.actOnSeen("delete", { path, purge: true })).toEqual({ kind: "done" })
  expect(existsSync(path)).toBe(false)
})

describe("a directory whose create was cut off", () => {
  const root = process.getuid?.() === 0

  /** The create ends right after this call. */
  function dies(name: string): KindDriver {
    const after = (call: PortCall) => {
      if (call.name === name) throw new Error("crashed")
    }
    const { files } = tapWorld(worldWith({ files: nodeFiles() }), { after })
    return new KindDriver("Directory", {}, files)
  }

  test.each(root ? ["mkdir", "chown"] : ["mkdir"])(
    "after %s is known and completed",
    async (call) => {
      chmodSync(temp.path, 0o2777) // Below such a directory mkdir sets one bit more.
      const spec = { path, mode: "0751", ...(root ? { owner: "1234", group: "2345" } : {}) }
      await expect(dies(call).act("create", spec)).rejects.toThrow("crashed")
      expect(await directory.observe(spec)).toMatchObject({ kind: "present", unfinished: true })
      expect(await directory.actOnSeen("update", spec)).toEqual({ kind: "done" })
      const seen = await directory.observe(spec)
      expect(seen).toMatchObject({ kind: "present", value: spec })
      expect(seen).not.toHaveProperty("unfinished")
    },
  )

  test.each([
    ["a closed directory", () => mkdirSync(path, { mode: 0o700 })],
    ["a directory that nobody may enter", () => mkdirSync(path, { mode: 0o1000 })],
    ["a file with that mode", () => writeFileSync(path, "", { mode: 0o1400 })],
    [
      "a directory with that mode and something in it",
      () => {
        mkdirSync(`${path}/kept`, { recursive: true })
        chmodSync(path, 0o1400)
      },
    ],
  ])("is not %s", async (_, put) => {
    put()
    const seen = await directory.observe({ path })
    expect(seen.kind).toBe("present")
    expect(seen).not.toHaveProperty("unfinished")
  })
})

test("a directory whose parent is missing waits for it", async () => {
  const inner = { path: `${path}/inner` }
  expect(await directory.observe(inner)).toMatchObject({ kind: "unknown", stuck: true })
  expect(await directory.act("create", inner)).toMatchObject({ kind: "failed", stuck: true })
  mkdirSync(path)
  expect(await directory.act("create", inner)).toEqual({ kind: "done" })
  rmdirSync(inner.path)
})
