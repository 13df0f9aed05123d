import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { compactValue } from "../../base/hash.ts"
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
  file = new KindDriver("File", { backupDirectory: `${dir}/backups` })
})
afterEach(() => temp.remove())

const names = () => readdirSync(dir).sort()

async function seen(spec: JsonObject): Promise<Present> {
  const observation = await file.observe(spec)
  if (observation.kind !== "present") throw new Error(JSON.stringify(observation))
  return observation
}

async function converge(spec: JsonObject): Promise<JsonObject> {
  const before = await file.observe(spec)
  expect(await file.actOnSeen(before.kind === "absent" ? "create" : "update", spec)).toMatchObject({
    kind: "done",
  })
  return (await seen(spec)).value
}

describe("making and changing", () => {
  test("makes a file with content and mode and leaves nothing else behind", async () => {
    const spec = { path: `${dir}/a`, content: "hello\n", mode: "0640" }
    expect(await file.observe(spec)).toMatchObject({ kind: "absent" })
    expect(await converge(spec)).toMatchObject({ ...spec, type: "file" })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("hello\n")
    expect(lstatSync(`${dir}/a`).mode & 0o7777).toBe(0o640)
    expect(names()).toEqual(["a"])
  })

  test("replaces content by a new file and keeps an owner that nobody manages", async () => {
    const spec = { path: `${dir}/a`, content: "new" }
    writeFileSync(`${dir}/a`, "old")
    if (process.getuid?.() === 0) execFileSync("chown", ["12345:23456", `${dir}/a`])
    const before = lstatSync(`${dir}/a`)
    expect(await converge(spec)).toMatchObject({ content: "new" })
    const after = lstatSync(`${dir}/a`)
    expect(after.ino).not.toBe(before.ino)
    expect([after.uid, after.gid]).toEqual([before.uid, before.gid])
    expect(names()).toEqual(["a"])
  })

  test("changes only the mode in place", async () => {
    await converge({ path: `${dir}/a`, content: "x" })
    const { ino } = lstatSync(`${dir}/a`)
    chmodSync(`${dir}/a`, 0o777)
    expect((await seen({ path: `${dir}/a`, content: "x" })).value).toMatchObject({ mode: "0777" })
    expect(await converge({ path: `${dir}/a`, content: "x" })).toMatchObject({ mode: "0644" })
    expect(lstatSync(`${dir}/a`).ino).toBe(ino)
  })

  test.skipIf(process.getuid?.() !== 0)("sets owner and group by name or number", async () => {
    const spec = { path: `${dir}/a`, content: "x", owner: "12345", group: "daemon", mode: "4755" }
    expect(await converge(spec)).toMatchObject(spec)
    expect(lstatSync(`${dir}/a`).uid).toBe(12345)
    expect(await converge({ ...spec, owner: "root" })).toMatchObject({
      owner: "root",
      mode: "4755",
    })
    expect(await file.actOnSeen("update", { ...spec, owner: "nobody-here" })).toMatchObject({
      kind: "failed",
      cause: "there is no user nobody-here on this host",
    })
  })

  test("makes a symlink, repoints it, and turns a file into one", async () => {
    const spec = { path: `${dir}/l`, symlink: "nowhere/at all" }
    expect(await converge(spec)).toMatchObject({ ...spec, type: "symlink" })
    expect(await converge({ ...spec, symlink: "/etc" })).toMatchObject({ symlink: "/etc" })
    expect(readlinkSync(`${dir}/l`)).toBe("/etc")
    expect(await converge({ path: `${dir}/l`, content: "c" })).toMatchObject({ content: "c" })
    expect(await converge(spec)).toMatchObject(spec)
    expect(names()).toEqual(["l"])
  })

  test("an update of what is as desired changes nothing", async () => {
    const spec = { path: `${dir}/a`, content: "x" }
    await converge(spec)
    const before = await seen(spec)
    expect(await file.actOnSeen("update", spec)).toEqual({ kind: "done" })
    expect((await seen(spec)).token).toBe(before.token)
  })

  test("takes away what a record knows by its hash only, and makes nothing of a hash", async () => {
    const long = "x".repeat(5000)
    const secret = { $hash: `hmac:k1:${"0".repeat(64)}`, $length: 5000 }
    const bytes = Buffer.from(long).toString("base64")
    for (const [real, recorded] of [
      [{ content: long }, { content: compactValue(long) ?? null }],
      [{ content: long }, { content: secret }],
      [{ contentBase64: bytes }, { contentBase64: compactValue(bytes) ?? null }],
    ]) {
      await converge({ path: `${dir}/a`, ...real })
      const spec = { path: `${dir}/a`, ...recorded }
      const { value } = await seen(spec)
      expect(JSON.stringify(value)).not.toContain("xxx")
      const refused = { kind: "failed", stuck: true }
      expect(await file.actOnSeen("update", spec)).toMatchObject(refused)
      expect(await file.actOnSeen("delete", spec)).toEqual({ kind: "done" })
      expect(await file.actOnSeen("create", spec)).toMatchObject(refused)
      expect(names()).toEqual([])
    }
  })

  test("deletes, and a second delete is done as well", async () => {
    const spec = { path: `${dir}/a`, content: "x" }
    await converge(spec)
    expect(await file.actOnSeen("delete", spec)).toEqual({ kind: "done" })
    expect(await file.act("delete", spec, { token: "any" })).toEqual({ kind: "done" })
    expect(names()).toEqual([])
  })
})

describe("what is not ours", () => {
  test("a create never replaces a file that appeared meanwhile", async () => {
    writeFileSync(`${dir}/a`, "foreign")
    const result = await file.act("create", { path: `${dir}/a`, content: "x" })
    expect(result).toMatchObject({ kind: "failed" })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("foreign")
    expect(names()).toEqual(["a"])
  })

  test("adoption keeps the old content and says where", async () => {
    writeFileSync(`${dir}/a`, "precious")
    const spec = { path: `${dir}/a`, content: "new" }
    const result = await file.actOnSeen("adopt", spec)
    const [backup = ""] = readdirSync(`${dir}/backups`)
    expect(readFileSync(`${dir}/backups/${backup}`, "utf8")).toBe("precious")
    expect(lstatSync(`${dir}/backups/${backup}`).mode & 0o777).toBe(0o600)
    expect(result).toMatchObject({ kind: "done", note: expect.stringContaining(backup) })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("new")
  })

  test("adopting the same content twice keeps one backup and does not fail", async () => {
    const spec = { path: `${dir}/a`, content: "new" }
    for (let round = 0; round < 2; round++) {
      writeFileSync(`${dir}/a`, "precious")
      expect(await file.actOnSeen("adopt", spec)).toMatchObject({ kind: "done" })
    }
    expect(readdirSync(`${dir}/backups`)).toHaveLength(1)
  })

  test("adoption of a symlink keeps the link, of a large file the whole file", async () => {
    symlinkSync("/old/place", `${dir}/l`)
    await file.actOnSeen("adopt", { path: `${dir}/l`, content: "new" })
    writeFileSync(`${dir}/big`, Buffer.alloc(2_097_152, "b"))
    await file.actOnSeen("adopt", { path: `${dir}/big`, content: "new" })
    const kept = readdirSync(`${dir}/backups`).map((name) => lstatSync(`${dir}/backups/${name}`))
    expect(kept.map((stat) => stat.isSymbolicLink()).sort()).toEqual([false, true])
    expect(kept.map((stat) => stat.size).sort()).toEqual([10, 2_097_152])
  })

  test("without a place for backups nothing is adopted", async () => {
    file = new KindDriver("File")
    writeFileSync(`${dir}/a`, "precious")
    expect(await file.actOnSeen("adopt", { path: `${dir}/a`, content: "n" })).toMatchObject({
      kind: "failed",
      stuck: true,
    })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("precious")
  })

  test("a change after the observation fails the update and the delete", async () => {
    const spec = { path: `${dir}/a`, content: "x" }
    await converge(spec)
    const { token } = await seen(spec)
    writeFileSync(`${dir}/a`, "y")
    for (const verb of ["update", "delete"] as const) {
      expect(await file.act(verb, spec, { token })).toMatchObject({ kind: "failed" })
    }
    expect(await file.act("update", spec)).toMatchObject({ kind: "failed" })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("y")
  })

  test("a hard link elsewhere keeps its content when ours is replaced", async () => {
    writeFileSync(`${dir}/other`, "shared")
    linkSync(`${dir}/other`, `${dir}/a`)
    await converge({ path: `${dir}/a`, content: "mine" })
    expect(readFileSync(`${dir}/other`, "utf8")).toBe("shared")
  })
})

describe("bounds", () => {
  test("a symlink anywhere below the root is refused and not followed", async () => {
    mkdirSync(`${dir}/real/sub`, { recursive: true })
    symlinkSync(`${dir}/real`, `${dir}/link`)
    const spec = { path: `${dir}/link/sub/a`, content: "x" }
    const cause = `a symlink is in the way at ${dir}/link; use the real path`
    const known = { cause, stuck: true, failure: { class: "Conflict" } }
    expect(await file.observe(spec)).toEqual({ kind: "unknown", ...known })
    expect(await file.act("create", spec)).toEqual({ kind: "failed", ...known })
    expect(readdirSync(`${dir}/real/sub`)).toEqual([])
  })

  test("a symlink above the declared root is allowed, but not into forbidden places", async () => {
    mkdirSync(`${dir}/real/plane/x`, { recursive: true })
    symlinkSync("real", `${dir}/link`)
    const spec = { path: `${dir}/link/a`, root: `${dir}/link`, content: "x" }
    expect(await converge(spec)).toMatchObject(spec)
    file = new KindDriver("File", { forbidden: [`${dir}/real/plane`] })
    const hidden = { path: `${dir}/link/plane/x/a`, root: `${dir}/link/plane`, content: "x" }
    expect(await file.observe(hidden)).toMatchObject({ kind: "unknown", stuck: true })
    expect(await file.act("create", hidden)).toMatchObject({ kind: "failed", stuck: true })
    expect(readdirSync(`${dir}/real/plane/x`)).toEqual([])
  })

  test("a symlink put in place of a file is replaced, its target untouched", async () => {
    writeFileSync(`${dir}/victim`, "victim")
    chmodSync(`${dir}/victim`, 0o600)
    symlinkSync(`${dir}/victim`, `${dir}/a`)
    const spec = { path: `${dir}/a`, content: "victim" }
    expect((await seen(spec)).value).toMatchObject({ type: "symlink", symlink: `${dir}/victim` })
    await converge(spec)
    expect(lstatSync(`${dir}/a`).isSymbolicLink()).toBe(false)
    expect(lstatSync(`${dir}/victim`).mode & 0o777).toBe(0o600)
  })

  test.each([
    ["outside of the root", { path: "/other/a", root: "/srv" }],
    ["the root itself", { path: "/srv", root: "/srv" }],
    ["with dots", { path: "/srv/../etc/passwd" }],
    ["relative", { path: "etc/passwd" }],
    ["with NUL", { path: "/srv/a\0b" }],
    ["too long", { path: `/${"a/".repeat(3000)}a` }],
  ])("a path %s is refused", async (_, place) => {
    const spec = { ...place, content: "x" }
    expect(await file.observe(spec)).toMatchObject({ kind: "unknown", stuck: true })
    expect(await file.act("create", spec)).toMatchObject({ kind: "failed", stuck: true })
  })

  test("nothing outside of the allowed roots and nothing of the plane is touched", async () => {
    mkdirSync(`${dir}/in/plane`, { recursive: true })
    file = new KindDriver("File", { roots: [`${dir}/in`], forbidden: [`${dir}/in/plane`] })
    for (const path of [`${dir}/a`, `${dir}/in/plane/a`, `${dir}/inside`]) {
      expect(await file.observe({ path, content: "x" })).toMatchObject({ stuck: true })
    }
    expect(await converge({ path: `${dir}/in/a`, content: "x" })).toMatchObject({ content: "x" })
  })
})

describe("things that can be in a file's place", () => {
  const spec = () => ({ path: `${dir}/a`, content: "x" })

  test("a directory is seen, and never replaced or removed", async () => {
    mkdirSync(`${dir}/a`)
    expect((await seen(spec())).value).toEqual({ path: `${dir}/a`, type: "directory" })
    for (const verb of ["update", "adopt", "delete"] as const) {
      expect(await file.actOnSeen(verb, spec())).toMatchObject({ kind: "failed", stuck: true })
    }
    expect(lstatSync(`${dir}/a`).isDirectory()).toBe(true)
  })

  test("a FIFO is seen without opening it", async () => {
    execFileSync("mkfifo", [`${dir}/a`])
    expect((await seen(spec())).value).toEqual({ path: `${dir}/a`, type: "other" })
    expect(await file.actOnSeen("update", spec())).toMatchObject({ kind: "failed", stuck: true })
  })

  test("a socket is seen and left alone", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(`${dir}/a`, resolve))
    expect((await seen(spec())).value).toEqual({ path: `${dir}/a`, type: "other" })
    expect(await file.actOnSeen("delete", spec())).toMatchObject({ kind: "failed", stuck: true })
    await new Promise((resolve) => server.close(resolve))
  })

  test("a device is seen and left alone", async () => {
    expect(await file.observe({ path: "/dev/null", content: "" })).toMatchObject({
      kind: "present",
      value: { type: "other" },
    })
  })

  test("a file in the place of a parent directory is named", async () => {
    writeFileSync(`${dir}/f`, "")
    expect(await file.observe({ path: `${dir}/f/a`, content: "x" })).toEqual({
      kind: "unknown",
      cause: `a file is in the way at ${dir}/f; a directory has to be there`,
      stuck: true,
      failure: { class: "Conflict" },
    })
  })

  test("a missing parent is not an absence: declare it, or wonder where it went", async () => {
    const orphan = { path: `${dir}/no/a`, content: "x" }
    expect(await file.observe(orphan)).toEqual({
      kind: "unknown",
      cause: `the directory ${dir}/no does not exist; declare a Directory`,
      stuck: true,
      failure: { class: "Dependency" },
    })
    expect(await file.observe(orphan, true)).toMatchObject({
      kind: "unknown",
      cause: expect.stringContaining("is gone"),
    })
    expect(await file.act("delete", orphan, { applied: true })).toMatchObject({ kind: "failed" })
  })

  test("a file of 2 MiB differs without being read, and is replaced", async () => {
    writeFileSync(`${dir}/a`, Buffer.alloc(2_097_152))
    const { value } = await seen(spec())
    expect(value).toEqual({ path: `${dir}/a`, type: "file", size: 2_097_152, mode: "0644" })
    expect(await converge(spec())).toMatchObject({ content: "x" })
  })

  test("exactly 1 MiB is fine and one byte more is refused", async () => {
    const most = "m".repeat(1_048_576)
    expect(await converge({ path: `${dir}/m`, content: most })).toMatchObject({ content: most })
    const more = { path: `${dir}/m`, content: `${"m".repeat(1_048_574)}é€` }
    expect(await file.observe(more)).toMatchObject({ kind: "unknown", stuck: true })
  })

  test("bytes that are not UTF-8 come as base64 and differ", async () => {
    writeFileSync(`${dir}/a`, Buffer.from([0xff, 0xfe, 0x00]))
    expect((await seen(spec())).value).toMatchObject({ contentBase64: "//4A" })
    const bytes = { path: `${dir}/a`, contentBase64: "//79" }
    expect((await seen(bytes)).value).toMatchObject({ contentBase64: "//4A" })
    expect(await converge(bytes)).toMatchObject({ contentBase64: "//79" })
    expect([...readFileSync(`${dir}/a`)]).toEqual([0xff, 0xfe, 0xfd])
  })

  test("a byte order mark is content, and an empty file is a file", async () => {
    expect(await converge({ path: `${dir}/a`, content: "\uFEFFx" })).toMatchObject({
      content: "\uFEFFx",
    })
    expect((await seen(spec())).value.content).toBe("\uFEFFx")
    expect(await converge({ path: `${dir}/e`, content: "" })).toMatchObject({ content: "" })
  })

  test.each(["new\nline", "späße 🚀", " blank ", "-rf", "a'b\"c$(x)", "..."])(
    "the name %j works",
    async (name) => {
      const named = { path: `${dir}/${name}`, content: name }
      expect(await converge(named)).toMatchObject(named)
      expect(names()).toEqual([name])
      expect(await file.actOnSeen("delete", named)).toEqual({ kind: "done" })
      expect(existsSync(`${dir}/${name}`)).toBe(false)
    },
  )

  test("a spec with two bodies or none is refused", async () => {
    for (const body of [{}, { content: "a", symlink: "b" }]) {
      const observed = await file.observe({ path: `${dir}/a`, ...body })
      expect(observed).toMatchObject({ kind: "unknown", stuck: true })
    }
  })
})
