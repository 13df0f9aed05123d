// The cases that root never meets: permissions, and disks that vanish, fill up or turn read-only.
// Each runs in a child process with fewer capabilities or with a tmpfs in its own mount namespace.

import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Step } from "../../../test/fixtures/file-steps.ts"
import { compiled } from "../../../test/program.ts"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"

let temp = noTempDir
let dir = temp.path
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
})
afterEach(() => temp.remove())

const script = fileURLToPath(new URL("../../../test/fixtures/file-steps.ts", import.meta.url))
const root = process.getuid?.() === 0
const weak = ["-dac_override,-dac_read_search"]
const setpriv = root ? ["setpriv", "--bounding-set", ...weak, "--inh-caps", ...weak] : []

const works = (command: readonly string[]) =>
  spawnSync(command[0] ?? "true", command.slice(1), { timeout: 10_000 }).status === 0
const canWeaken = !root || works([...setpriv, "true"])
const canMount =
  root && works(["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt && umount /mnt"])

const failure = { code: "SPT-FILE-001", errno: "EACCES" }

function run(before: readonly string[], steps: readonly Step[]): unknown[] {
  const [program = "", ...rest] = [...before, process.execPath, script]
  const input = JSON.stringify(steps)
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const output = execFileSync(program, rest, { encoding: "utf8", timeout: 55_000, input, env })
  return JSON.parse(output) as unknown[]
}

describe.skipIf(!canWeaken)("without power over permissions (needs setpriv under root)", () => {
  test("a file that can't be read is unknown, never absent or empty", () => {
    writeFileSync(`${dir}/a`, "secret")
    chmodSync(`${dir}/a`, 0o000)
    const spec = { path: `${dir}/a`, content: "x" }
    const [seen, deleted] = run(setpriv, [
      { spec, applied: true },
      { verb: "delete", spec },
    ])
    expect(seen).toEqual({ kind: "unknown", cause: `cannot open ${dir}/a: EACCES`, failure })
    expect(deleted).toMatchObject({ kind: "failed" })
    chmodSync(`${dir}/a`, 0o600)
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("secret")
  })

  test("a directory that can't be searched is unknown", () => {
    mkdirSync(`${dir}/d`)
    writeFileSync(`${dir}/d/a`, "x")
    chmodSync(`${dir}/d`, 0o000)
    const spec = { path: `${dir}/d/a`, content: "x" }
    const deep = { path: `${dir}/d/e/a`, content: "x" }
    const [seen, deeper, made] = run(setpriv, [{ spec }, { spec: deep }, { verb: "create", spec }])
    expect(seen).toEqual({ kind: "unknown", cause: `cannot lstat ${dir}/d/a: EACCES`, failure })
    expect(deeper).toMatchObject({ kind: "unknown", cause: `cannot lstat ${dir}/d/e: EACCES` })
    expect(made).toMatchObject({ kind: "failed" })
    chmodSync(`${dir}/d`, 0o700)
  })

  test("a directory that can't be written fails the create and keeps what is there", () => {
    mkdirSync(`${dir}/d`)
    writeFileSync(`${dir}/d/a`, "old")
    chmodSync(`${dir}/d`, 0o555)
    const results = run(setpriv, [
      { verb: "create", spec: { path: `${dir}/d/b`, content: "x" } },
      { verb: "update", spec: { path: `${dir}/d/a`, content: "x" } },
      { verb: "delete", spec: { path: `${dir}/d/a`, content: "x" } },
      { kind: "Directory", verb: "create", spec: { path: `${dir}/d/c` } },
    ])
    for (const result of results) {
      expect(result).toMatchObject({ kind: "failed", cause: expect.stringContaining("EACCES") })
    }
    chmodSync(`${dir}/d`, 0o755)
    expect(readFileSync(`${dir}/d/a`, "utf8")).toBe("old")
  })

  test("a directory that can be searched but not read is left alone", () => {
    mkdirSync(`${dir}/d`)
    chmodSync(`${dir}/d`, 0o333)
    const spec = { path: `${dir}/d/a`, content: "x" }
    const [made] = run(setpriv, [{ verb: "create", spec }])
    const refused = { failure: { errno: "EACCES" } }
    expect(made).toEqual({ kind: "failed", cause: `cannot list ${dir}/d: EACCES`, ...refused })
    chmodSync(`${dir}/d`, 0o755)
    expect(readdirSync(`${dir}/d`)).toEqual([])
  })

  test("the mode of a directory that can't be read is corrected by its owner", () => {
    mkdirSync(`${dir}/d`)
    chmodSync(`${dir}/d`, 0o000)
    const spec = { path: `${dir}/d`, mode: "0755" }
    const steps: Step[] = [
      { kind: "Directory", verb: "update", spec },
      { kind: "Directory", spec },
    ]
    const [updated, seen] = run(setpriv, steps)
    expect(updated).toEqual({ kind: "done" })
    expect(seen).toMatchObject({ value: { mode: "0755" } })
  })
})

describe.skipIf(!canMount)("on disks that misbehave (needs unshare and mount)", () => {
  const inNamespace = ["unshare", "-m", "--propagation", "private"]
  const mount = (options = "size=1m") => ({
    command: ["mount", "-t", "tmpfs", "-o", options, "tmpfs", `${dir}/disk`],
  })
  const spec = () => ({ path: `${dir}/disk/a`, content: "x".repeat(5000) })
  beforeEach(() => mkdirSync(`${dir}/disk`))

  test("an unmounted disk is unknown, not empty", () => {
    const deep = { path: `${dir}/disk/sub/b`, content: "b" }
    const results = run(inNamespace, [
      mount(),
      { verb: "create", spec: spec() },
      { kind: "Directory", verb: "create", spec: { path: `${dir}/disk/sub` } },
      { verb: "create", spec: deep },
      { spec: spec(), applied: true },
      { command: ["umount", `${dir}/disk`] },
      { spec: spec(), applied: true },
      { spec: deep, applied: true },
      { verb: "create", spec: spec(), applied: true },
    ])
    expect(results[4]).toMatchObject({ kind: "present" })
    expect(results[6]).toMatchObject({
      kind: "unknown",
      cause: expect.stringContaining("unmounted?"),
    })
    expect(results[7]).toMatchObject({ kind: "unknown", cause: expect.stringContaining("gone") })
    expect(results[8]).toMatchObject({ kind: "failed" })
  })

  test("a full disk fails the act, keeps the old content and leaves nothing behind", () => {
    const small = { path: `${dir}/disk/a`, content: "old" }
    const big = { path: `${dir}/disk/a`, content: "n".repeat(900_000) }
    const results = run(inNamespace, [
      mount("size=256k"),
      { verb: "create", spec: small },
      { verb: "update", spec: big },
      { spec: small },
      { verb: "create", spec: { ...big, path: `${dir}/disk/b` } },
      { command: ["ls", "-A", `${dir}/disk`] },
    ])
    const full = { kind: "failed", cause: expect.stringContaining("ENOSPC") }
    expect(results[2]).toMatchObject(full)
    expect(results[3]).toMatchObject({ kind: "present", value: { content: "old" } })
    expect(results[4]).toMatchObject(full)
    expect(results[5]).toBe("a\n")
  })

  test("a read-only disk fails every act and changes nothing", () => {
    const old = { path: `${dir}/disk/a`, content: "old" }
    const results = run(inNamespace, [
      mount(),
      { verb: "create", spec: old },
      { command: ["mount", "-o", "remount,ro", `${dir}/disk`] },
      { verb: "update", spec: { ...old, content: "new" } },
      { verb: "update", spec: { ...old, mode: "0600" } },
      { verb: "delete", spec: old },
      { kind: "Directory", verb: "create", spec: { path: `${dir}/disk/d` } },
      { spec: old },
    ])
    for (const result of results.slice(3, 7)) {
      expect(result).toMatchObject({ kind: "failed", cause: expect.stringContaining("EROFS") })
    }
    expect(results[7]).toMatchObject({ kind: "present", value: { content: "old", mode: "0644" } })
  })
})
