// The real files. Every mutating call is one synchronous system call, so that nothing can sit in a
// thread pool after the stop check passed; only the content of a temporary file is written and
// synced in the background. Nothing here follows a symlink in the last component, and nothing that
// changes something follows one in any other.

import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  promises,
  read as readFd,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  write as writeFd,
} from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { FileStat, FilesAct } from "../../../contract/world.ts"
import { fileFault } from "../faults.ts"
import { AccountNames } from "./account-names.ts"
import { DirectoryWatches } from "./directory-watches.ts"
import { lstatManyOf, lstatOf } from "./file-stats.ts"
import { callFault, nodeErrno, systemCall } from "./system-call.ts"
import { heldFiles, O_PATH, type Unfollowed, unfollowed } from "./unfollowed.ts"

const fsyncAsync = promisify(fsync)
const readAsync = promisify(readFd)
const writeAsync = promisify(writeFd)

/** `held` is for tests of hosts without /proc. */
export function nodeFiles(held = heldFiles): FilesAct {
  const way = unfollowed(held)
  const { reach } = way
  const users = new AccountNames("/etc/passwd")
  const groups = new AccountNames("/etc/group")
  const watches = new DirectoryWatches()
  return {
    lstat: async (path) => lstatOf(path),
    lstatMany: lstatManyOf,
    read: readBounded,
    readlink: async (path) => systemCall("readlink", path, () => readlinkSync(path)),
    list: listDirectory,
    userId: (name) => users.id(name),
    groupId: (name) => groups.id(name),
    userName: (id) => users.name(id),
    groupName: (id) => groups.name(id),
    watch: (directory, changed) => watches.watch(directory, changed),
    writeTemporary: (...given) => writeTemporary(way, ...given),
    chmod: async (path, mode) =>
      systemCall("chmod", path, () => reach(path, (at) => chmodUnfollowed(way, at, mode))),
    chown: async (path, uid, gid) =>
      systemCall("chown", path, () => reach(path, (at) => lchownSync(at, uid, gid))),
    rename: async (from, to) =>
      systemCall("rename", to, () => reach(from, (a) => reach(to, (b) => renameSync(a, b)))),
    link: async (from, to) =>
      systemCall("link", to, () => reach(from, (a) => reach(to, (b) => linkSync(a, b)))),
    symlink: async (target, path) =>
      systemCall("symlink", path, () => reach(path, (at) => symlinkSync(target, at))),
    mkdir: async (path, mode) =>
      systemCall("mkdir", path, () => reach(path, (at) => void mkdirSync(at, { mode }))),
    unlink: async (path) => systemCall("unlink", path, () => reach(path, unlinkSync)),
    rmdir: async (path) => systemCall("rmdir", path, () => reach(path, (at) => rmdirSync(at))),
    syncDirectory,
  }
}

/** O_NONBLOCK: opening a FIFO that took the file's place must not hang. */
async function readBounded(path: string, bytesMax: number): Promise<Uint8Array> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const fd = systemCall("open", path, () => openSync(path, flags))
  try {
    const stat = systemCall("fstat", path, () => fstatSync(fd))
    if (!stat.isFile()) throw fileFault("SPT-FILE-003", { path })
    if (stat.size > bytesMax) throw fileFault("SPT-FILE-002", { path, limit: bytesMax })
    // As long as it was when opened: whoever asked compares the stat before and after.
    const bytes = Buffer.allocUnsafe(stat.size)
    let length = 0
    while (length < bytes.length) {
      const count = await readSome(fd, path, bytes, length)
      if (count === 0) break
      length += count
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}

/** Small contents at once: the way through the thread pool costs ten times their read. */
const readAtOnceMax = 65_536

async function readSome(fd: number, path: string, into: Buffer, at: number): Promise<number> {
  try {
    if (into.length <= readAtOnceMax) return readSync(fd, into, at, into.length - at, at)
    return (await readAsync(fd, into, at, into.length - at, at)).bytesRead
  } catch (error) {
    throw callFault("read", path, error)
  }
}

async function listDirectory(
  path: string,
): Promise<readonly { readonly name: string; readonly type: FileStat["type"] }[]> {
  const entries = await promises
    .readdir(path, { withFileTypes: true })
    .catch((error: unknown): never => {
      throw callFault("list", path, error)
    })
  return entries.map((entry) => ({ name: entry.name, type: direntType(entry) }))
}

function direntType(entry: Dirent): FileStat["type"] {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "symlink" : "other"
}

async function writeTemporary(
  { reach }: Unfollowed,
  directory: string,
  content: Uint8Array,
  mode: number,
  label?: string,
): Promise<string> {
  const random = randomBytes(12).toString("hex")
  const path = join(directory, `.setpoint-${label === undefined ? "" : `${label}-`}${random}`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  // Faults name the directory: another random name in each would be a new status in each.
  const fd = systemCall("create a file in", directory, () =>
    reach(path, (at) => openSync(at, flags, 0o600)),
  )
  try {
    try {
      let written = 0
      while (written < content.length) {
        const rest = content.length - written
        written += (await writeAsync(fd, content, written, rest, written)).bytesWritten
      }
      fchmodSync(fd, mode) // Not the mode of open, which the umask cuts.
      await fsyncAsync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    removeQuietly(reach, path)
    throw callFault("write a file in", directory, error)
  }
  return path
}

/** The failure that led here is the one to report; the name says whose leftover it is. */
function removeQuietly(reach: Unfollowed["reach"], path: string): void {
  try {
    reach(path, unlinkSync)
  } catch {}
}

/**
 * chmod follows symlinks, and Linux has no call that does not; so the file is held by a handle that
 * was opened without following, and changed through it. Works without read permission.
 */
function chmodUnfollowed({ holds }: Unfollowed, path: string, mode: number): void {
  const flags = holds ? O_PATH : constants.O_RDONLY | constants.O_NONBLOCK
  const fd = openSync(path, flags | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).isSymbolicLink()) throw Object.assign(new Error(path), { code: "ELOOP" })
    if (holds) chmodSync(`${heldFiles}/${fd}`, mode)
    else fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

async function syncDirectory(path: string): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY
  const fd = systemCall("open", path, () => openSync(path, flags))
  try {
    await fsyncAsync(fd)
  } catch (error) {
    // Some file systems can't sync a directory; they say so with EINVAL.
    if (nodeErrno(error) !== "EINVAL") throw callFault("sync", path, error)
  } finally {
    closeSync(fd)
  }
}
