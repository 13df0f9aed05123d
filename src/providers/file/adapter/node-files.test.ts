import { execFileSync } from "node:child_process"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { afterEach, beforeEach, expect, test } from "vitest"
import { errnoOf } from "../faults.ts"
import { AccountNames, parseAccounts } from "./account-names.ts"
import { nodeFiles } from "./node-files.ts"
import { makeTempDir, noTempDir } from "./testing/temp-dir.ts"
import { heldFiles } from "./unfollowed.ts"

let temp = noTempDir
let dir = temp.path
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
})
afterEach(() => temp.remove())

const files = nodeFiles()

const errnoFrom = async (call: Promise<unknown>) =>
  errnoOf(
    await call.then(
      () => undefined,
      (error: unknown) => error,
    ),
  )

test("only ENOENT is an absence; every other error is thrown with its errno", async () => {
  writeFileSync(`${dir}/f`, "")
  symlinkSync(`${dir}/loop`, `${dir}/loop`)
  expect(await files.lstat(`${dir}/none`)).toBeUndefined()
  expect(await errnoFrom(files.lstat(`${dir}/f/below`))).toBe("ENOTDIR")
  expect(await errnoFrom(files.lstat(`${dir}/loop/below`))).toBe("ELOOP")
  expect(await errnoFrom(files.lstat(`${dir}/${"n".repeat(300)}`))).toBe("ENAMETOOLONG")
  const many = files.lstatMany([`${dir}/none`, `${dir}/f/below`, `${dir}/f`])
  expect(many[0]).toBeUndefined()
  expect(errnoOf(many[1])).toBe("ENOTDIR")
  expect(many[2]).toEqual(await files.lstat(`${dir}/f`))
})

test("a stat tells the four types apart and keeps times to the nanosecond", async () => {
  writeFileSync(`${dir}/f`, "abc")
  symlinkSync("f", `${dir}/l`)
  mkdirSync(`${dir}/d`)
  execFileSync("mkfifo", [`${dir}/p`])
  const types = ["f", "l", "d", "p"].map(
    async (name) => (await files.lstat(`${dir}/${name}`))?.type,
  )
  expect(await Promise.all(types)).toEqual(["file", "symlink", "directory", "other"])
  const stat = await files.lstat(`${dir}/f`)
  const real = lstatSync(`${dir}/f`, { bigint: true })
  expect(stat).toMatchObject({ size: 3, mtimeNs: String(real.mtimeNs), inode: String(real.ino) })
})

test("reading is bounded, follows no symlink and does not wait for a FIFO", async () => {
  writeFileSync(`${dir}/f`, "abc")
  symlinkSync("f", `${dir}/l`)
  execFileSync("mkfifo", [`${dir}/p`])
  expect(Buffer.from(await files.read(`${dir}/f`, 3)).toString()).toBe("abc")
  await expect(files.read(`${dir}/f`, 2)).rejects.toThrow("larger than 2 bytes")
  expect(await errnoFrom(files.read(`${dir}/l`, 9))).toBe("ELOOP")
  await expect(files.read(`${dir}/p`, 9)).rejects.toThrow("not a regular file")
  await expect(files.read(dir, 9)).rejects.toThrow("not a regular file")
  await expect(files.read("/dev/zero", 9)).rejects.toThrow("not a regular file")
})

test("a temporary file has content, mode whatever the umask, and a name of its own", async () => {
  const bytes = Buffer.alloc(300_000, "z")
  const first = await files.writeTemporary(dir, bytes, 0o666, "label")
  const second = await files.writeTemporary(dir, bytes, 0o600)
  expect(first).toMatch(/\/\.setpoint-label-[0-9a-f]{24}$/)
  expect(second).toMatch(/\/\.setpoint-[0-9a-f]{24}$/)
  expect(lstatSync(first).mode & 0o7777).toBe(0o666)
  expect(readFileSync(first)).toEqual(bytes)
  expect(await errnoFrom(files.writeTemporary(`${dir}/none`, bytes, 0o600))).toBe("ENOENT")
})

test("link and mkdir refuse what exists; rename replaces it", async () => {
  writeFileSync(`${dir}/a`, "a")
  writeFileSync(`${dir}/b`, "b")
  expect(await errnoFrom(files.link(`${dir}/a`, `${dir}/b`))).toBe("EEXIST")
  expect(await errnoFrom(files.symlink("x", `${dir}/b`))).toBe("EEXIST")
  expect(await errnoFrom(files.mkdir(`${dir}/b`, 0o700))).toBe("EEXIST")
  expect(await errnoFrom(files.mkdir(`${dir}/no/no`, 0o700))).toBe("ENOENT")
  await files.rename(`${dir}/a`, `${dir}/b`)
  expect(readFileSync(`${dir}/b`, "utf8")).toBe("a")
  await files.syncDirectory(dir)
})

test("chmod changes also an unreadable file, and never through a symlink", async () => {
  writeFileSync(`${dir}/f`, "", { mode: 0o600 })
  symlinkSync("f", `${dir}/l`)
  expect(await errnoFrom(files.chmod(`${dir}/l`, 0o777))).toBe("ELOOP")
  expect(lstatSync(`${dir}/f`).mode & 0o777).toBe(0o600)
  chmodSync(`${dir}/f`, 0o000)
  await files.chmod(`${dir}/f`, 0o4711)
  expect(lstatSync(`${dir}/f`).mode & 0o7777).toBe(0o4711)
})

test.skipIf(process.getuid?.() !== 0)(
  "chown changes the link and not what it points to",
  async () => {
    writeFileSync(`${dir}/f`, "")
    symlinkSync("f", `${dir}/l`)
    await files.chown(`${dir}/l`, 12345, 12345)
    expect([lstatSync(`${dir}/l`).uid, lstatSync(`${dir}/f`).uid]).toEqual([12345, 0])
  },
)

test.each([heldFiles, "/nowhere"])(
  "what changes something goes through no symlink, what reads does (%s)",
  async (held) => {
    const strict = nodeFiles(held)
    mkdirSync(`${dir}/real/d`, { recursive: true })
    writeFileSync(`${dir}/real/f`, "x")
    symlinkSync("real", `${dir}/way`)
    const [linked, real] = [`${dir}/way`, `${dir}/real`]
    const opened = () => readdirSync(heldFiles).length
    const before = [readdirSync(real), opened()]
    for (const refused of [
      () => strict.writeTemporary(linked, Buffer.from("x"), 0o600),
      () => strict.chmod(`${linked}/f`, 0o777),
      () => strict.chown(`${linked}/f`, 0, 0),
      () => strict.rename(`${linked}/f`, `${real}/g`),
      () => strict.rename(`${real}/f`, `${linked}/g`),
      () => strict.link(`${linked}/f`, `${real}/g`),
      () => strict.link(`${real}/f`, `${linked}/g`),
      () => strict.symlink("x", `${linked}/g`),
      () => strict.mkdir(`${linked}/g`, 0o755),
      () => strict.unlink(`${linked}/f`),
      () => strict.rmdir(`${linked}/d`),
      () => strict.mkdir(`${linked}/d/g`, 0o755),
    ]) {
      expect([String(refused), await errnoFrom(refused())]).toEqual([String(refused), "ENOTDIR"])
    }
    expect([readdirSync(real), opened()]).toEqual(before)
    expect((await strict.lstat(`${linked}/f`))?.size).toBe(1)
    await strict.chmod(`${real}/f`, 0o640)
    await strict.mkdir(`${real}/d/g`, 0o755)
    expect(lstatSync(`${real}/f`).mode & 0o777).toBe(0o640)
    expect(opened()).toBe(before[1])
    await expect(strict.mkdir(`${linked}/g`, 0o755)).rejects.toThrow(`mkdir ${linked}/g: ENOTDIR`)
  },
)

test("a change has happened when the call returns, before anything else can run", () => {
  writeFileSync(`${dir}/f`, "")
  const settled = [
    files.symlink("x", `${dir}/l`),
    files.rename(`${dir}/f`, `${dir}/g`),
    files.mkdir(`${dir}/d`, 0o700),
    files.link(`${dir}/g`, `${dir}/h`),
    files.chmod(`${dir}/h`, 0o640),
  ]
  expect(readdirSync(dir).sort()).toEqual(["d", "g", "h", "l"])
  expect(lstatSync(`${dir}/h`).mode & 0o777).toBe(0o640)
  const removed = [files.unlink(`${dir}/l`), files.rmdir(`${dir}/d`)]
  expect(readdirSync(dir).sort()).toEqual(["g", "h"])
  return Promise.all([...settled, ...removed])
})

test("accounts: the first line of a name wins, broken lines are passed over", () => {
  const text = "root:x:0:0::/:/bin/sh\n#no:x:5:\nbroken\nbad:x:no:\n\ntoor:x:0:0\nroot:x:7:\n"
  const { idByName, nameById } = parseAccounts(text)
  expect([...idByName]).toEqual([
    ["root", 0],
    ["toor", 0],
  ])
  expect([...nameById]).toEqual([
    [0, "root"],
    [7, "root"],
  ])
})

test("accounts are read again when their file changes, and a missing file has none", () => {
  const names = new AccountNames(`${dir}/passwd`)
  expect(names.id("a")).toBeUndefined()
  writeFileSync(`${dir}/passwd`, "a:x:1:1\n")
  expect([names.id("a"), names.name(1)]).toEqual([1, "a"])
  writeFileSync(`${dir}/passwd`, "a:x:2:1\n")
  utimesSync(`${dir}/passwd`, 5, 5)
  expect([names.id("a"), names.name(1)]).toEqual([2, undefined])
})

test("the host's own accounts are known", () => {
  expect([files.userId("root"), files.userName(0), files.groupName(0)]).toEqual([0, "root", "root"])
  expect(files.userId("no such user")).toBeUndefined()
})
