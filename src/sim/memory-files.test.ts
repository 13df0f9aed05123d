import { describe, expect, it } from "vitest"
import { isFault } from "../base/faults.ts"
import { memoryFiles, rootIdentity } from "./memory-files.ts"
import { SimClock } from "./sim-clock.ts"
import { SimRandom } from "./sim-random.ts"

const alice = { uid: 1000, gid: 1000 }
const bytes = (text: string) => Buffer.from(text)

async function setUp() {
  const clock = new SimClock()
  const users = { root: 0, alice: 1000 }
  const files = memoryFiles({ clock, random: new SimRandom(1), users, groups: { staff: 1000 } })
  await files.mkdir("/etc", 0o755)
  await files.mkdir("/home", 0o755)
  await files.mkdir("/home/alice", 0o700)
  await files.chown("/home/alice", 1000, 1000)
  return { clock, files, alice: files.as(alice, "alice") }
}

/** The errno that a call fails with, or "ok". */
async function errno(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return "ok"
  } catch (error) {
    return isFault(error) ? (error.details.errno ?? "no errno") : String(error)
  }
}

describe("MemoryFiles", () => {
  it("replaces a file atomically: new inode, content, mode and times", async () => {
    const { files, clock } = await setUp()
    await files.writeNew("/etc/motd", bytes("old"))
    const before = await files.lstat("/etc/motd")
    await clock.advance(1000)
    const temporary = await files.writeTemporary("/etc", bytes("new!"), 0o600, "motd")
    expect(temporary).toMatch(/^\/etc\/\.setpoint-motd-[0-9a-f]{24}$/)
    await files.rename(temporary, "/etc/motd")
    const after = await files.lstat("/etc/motd")
    expect(after).toMatchObject({ type: "file", size: 4, mode: 0o600, uid: 0 })
    expect(after?.inode).not.toBe(before?.inode)
    expect(BigInt(after?.mtimeNs ?? 0) > BigInt(before?.mtimeNs ?? 0)).toBe(true)
    expect(await files.lstat(temporary)).toBeUndefined()
    expect(Buffer.from(await files.read("/etc/motd", 100)).toString()).toBe("new!")
  })

  it("shows an edit in place by its times, on the same inode", async () => {
    const { files } = await setUp()
    await files.writeNew("/etc/motd", bytes("one"))
    const before = await files.lstat("/etc/motd")
    await files.overwrite("/etc/motd", bytes("two"))
    const after = await files.lstat("/etc/motd")
    expect(after?.inode).toBe(before?.inode)
    expect(after?.mtimeNs).not.toBe(before?.mtimeNs)
  })

  it("links without replacing, so that two names share one inode", async () => {
    const { files } = await setUp()
    const temporary = await files.writeTemporary("/etc", bytes("x"), 0o644)
    await files.link(temporary, "/etc/a")
    expect((await files.lstat("/etc/a"))?.inode).toBe((await files.lstat(temporary))?.inode)
    expect(await errno(files.link(temporary, "/etc/a"))).toBe("EEXIST")
    await files.unlink(temporary)
    expect((await files.lstat("/etc/a"))?.size).toBe(1)
  })

  it("follows symlinks on the way, never at the end, and not in circles", async () => {
    const { files } = await setUp()
    await files.writeNew("/etc/a", bytes("x"))
    await files.symlink("../etc", "/home/link")
    await files.symlink("/etc/a", "/home/file")
    await files.symlink("loop", "/home/loop")
    expect((await files.lstat("/home/link/a"))?.type).toBe("file")
    expect((await files.lstat("/home/file"))?.type).toBe("symlink")
    expect(await files.readlink("/home/file")).toBe("/etc/a")
    expect(await errno(files.read("/home/file", 10))).toBe("ELOOP")
    expect(await errno(files.chmod("/home/file", 0o600))).toBe("ELOOP")
    expect(await errno(files.lstat("/home/loop/x"))).toBe("ELOOP")
  })

  it("follows no symlink on the way to what it changes", async () => {
    const { files } = await setUp()
    await files.writeNew("/etc/a", bytes("x"))
    await files.symlink("/etc", "/home/link")
    for (const refused of [
      files.writeTemporary("/home/link", bytes("x"), 0o600),
      ...[files.chmod("/home/link/a", 0o600), files.chown("/home/link/a", 7, 7)],
      ...[files.rename("/home/link/a", "/etc/b"), files.rename("/etc/a", "/home/link/b")],
      ...[files.link("/home/link/a", "/etc/b"), files.link("/etc/a", "/home/link/b")],
      ...[files.symlink("x", "/home/link/b"), files.mkdir("/home/link/b", 0o755)],
      ...[files.unlink("/home/link/a"), files.rmdir("/home/link/a")],
    ]) {
      expect(await errno(refused)).toBe("ENOTDIR")
    }
    expect((await files.list("/etc")).map(({ name }) => name)).toEqual(["a"])
  })

  it("keeps others out by mode; only absence in a readable place is undefined", async () => {
    const { files, alice } = await setUp()
    await files.writeNew("/etc/secret", bytes("x"), 0o600)
    await files.mkdir("/etc/private", 0o700)
    expect(await errno(alice.read("/etc/secret", 10))).toBe("EACCES")
    expect(await errno(alice.lstat("/etc/private/x"))).toBe("EACCES")
    expect(await errno(alice.list("/etc/private"))).toBe("EACCES")
    expect(await errno(alice.writeTemporary("/etc", bytes(""), 0o644))).toBe("EACCES")
    expect(await errno(alice.unlink("/etc/secret"))).toBe("EACCES")
    expect(await errno(alice.chmod("/etc/secret", 0o666))).toBe("EPERM")
    expect(await errno(alice.chown("/etc/secret", 1000, 1000))).toBe("EPERM")
    expect(await alice.lstat("/home/alice/nothing")).toBeUndefined()
    expect(await errno(alice.lstat("/etc/secret/x"))).toBe("ENOTDIR")
    const [gone, refused] = alice.lstatMany(["/etc/none", "/etc/private/x"])
    expect(gone).toBeUndefined()
    expect(refused).toBeInstanceOf(Error)
  })

  it("lets root without the override be kept out as well", async () => {
    const { files } = await setUp()
    await files.mkdir("/etc/closed", 0o000)
    const plain = files.as({ ...rootIdentity, overrides: false }, "root")
    expect(await errno(files.list("/etc/closed"))).toBe("ok")
    expect(await errno(plain.list("/etc/closed"))).toBe("EACCES")
  })

  it("lets an owner work in its own place, and a sticky directory protect the others", async () => {
    const { files, alice } = await setUp()
    await alice.writeNew("/home/alice/a", bytes("x"))
    await alice.chown("/home/alice/a", 1000, 1000)
    await alice.chmod("/home/alice/a", 0o4755)
    await files.mkdir("/tmp", 0o1777)
    await files.writeNew("/tmp/roots", bytes("x"))
    expect(await errno(alice.unlink("/tmp/roots"))).toBe("EPERM")
    expect(await errno(alice.rename("/home/alice/a", "/tmp/roots"))).toBe("EPERM")
    expect(await errno(alice.rename("/home/alice/a", "/tmp/a"))).toBe("ok")
  })

  it("refuses what a kernel refuses", async () => {
    const { files } = await setUp()
    await files.writeNew("/etc/a", bytes("12345"))
    const answers = await Promise.all([
      errno(files.mkdir("/etc", 0o755)),
      errno(files.mkdir("/none/x", 0o755)),
      errno(files.rmdir("/home")),
      errno(files.rmdir("/etc/a")),
      errno(files.unlink("/home")),
      errno(files.read("/home", 10)),
      errno(files.read("/etc/a", 4)),
      errno(files.rename("/home", "/home/alice/inside")),
      errno(files.rename("/etc/a", "/home")),
      errno(files.rename("/home", "/etc/a")),
      errno(files.readlink("/etc/a")),
      errno(files.lstat("relative")),
      errno(files.unlink("/")),
    ])
    expect(answers.join(" ")).toBe(
      "EEXIST ENOENT ENOTEMPTY ENOTDIR EISDIR EISDIR EFBIG EINVAL EISDIR ENOTDIR " +
        "EINVAL EINVAL EBUSY",
    )
    expect(files.space.log.at(-1)).toMatchObject({ call: "writeNew", path: "/etc/a" })
  })

  it("fails chosen calls with the errno that was asked for, and changes nothing then", async () => {
    const { files } = await setUp()
    const logged = files.space.log.length
    files.space.fail({ errno: "ENOSPC", call: "mkdir", skip: 1, times: 1 })
    const lift = files.space.fail({ errno: "EIO", under: "/home" })
    expect(await errno(files.mkdir("/etc/1", 0o755))).toBe("ok")
    expect(await errno(files.mkdir("/etc/2", 0o755))).toBe("ENOSPC")
    expect(await errno(files.mkdir("/etc/2", 0o755))).toBe("ok")
    expect(await errno(files.lstat("/home/alice"))).toBe("EIO")
    lift()
    expect(await errno(files.lstat("/home/alice"))).toBe("ok")
    expect(files.space.log).toHaveLength(logged + 2)
  })

  it("gives hints for a watched directory, unless they get lost or it was closed", async () => {
    const { files, clock } = await setUp()
    const seen: (string | undefined)[] = []
    const watch = files.watch("/etc", (name) => seen.push(name))
    await files.writeNew("/etc/a", bytes("x"))
    await files.writeNew("/home/b", bytes("x"))
    await files.rename("/etc/a", "/etc/c")
    expect(seen).toEqual([])
    await clock.advance(0)
    expect(seen).toEqual(["a", "a", "c"])
    files.space.hints = false
    await files.unlink("/etc/c")
    files.space.hints = true
    watch.close()
    await files.mkdir("/etc/d", 0o755)
    await clock.advance(10)
    expect(seen).toHaveLength(3)
  })

  it("knows accounts by name and number, and nothing that an object merely inherits", async () => {
    const { files } = await setUp()
    expect([files.userId("alice"), files.userName(1000), files.groupId("staff")]).toEqual([
      1000,
      "alice",
      1000,
    ])
    expect([files.userId("constructor"), files.groupName(7)]).toEqual([undefined, undefined])
  })
})
