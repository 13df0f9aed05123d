// Simulated files for the FilesAct port: inodes, times by the clock, modes, owners, symlinks, hard
// links and hints, with faults on chosen calls and a log of every mutation. Nothing here follows a
// symlink in the last component, and nothing that changes something follows one in any other, as
// the real adapter does not.

import { isFault } from "../base/faults.ts"
import { hex } from "../base/random.ts"
import type { Closeable, FileStat, FilesAct } from "../contract/world.ts"
import { FileSpace, type FileSpaceOptions, statOf, trimmed } from "./file-space.ts"
import {
  errnoFault,
  type FileIdentity,
  type FileNode,
  isAllowed,
  isWithin,
  locate,
  type Place,
  readBit,
  searchBit,
  writeBit,
} from "./file-tree.ts"

/** A new, empty file system, and the plane's handle on it. */
export function memoryFiles(
  options: FileSpaceOptions & { readonly identity?: FileIdentity },
): MemoryFiles {
  return new MemoryFiles(new FileSpace(options), options.identity ?? rootIdentity, "plane")
}

export const rootIdentity: FileIdentity = { uid: 0, gid: 0 }

export class MemoryFiles implements FilesAct {
  /** The log, the faults and the hints. */
  readonly space: FileSpace
  readonly #identity: FileIdentity
  readonly #who: string

  constructor(space: FileSpace, identity: FileIdentity, who: string) {
    this.space = space
    this.#identity = identity
    this.#who = who
  }

  /** The same files through somebody else's hands. */
  as(identity: FileIdentity, who: string): MemoryFiles {
    return new MemoryFiles(this.space, identity, who)
  }

  async lstat(path: string): Promise<FileStat | undefined> {
    return this.#lstat(path)
  }

  lstatMany(paths: readonly string[]): readonly (FileStat | undefined | Error)[] {
    return paths.map((path) => {
      try {
        return this.#lstat(path)
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error))
      }
    })
  }

  async read(path: string, bytesMax: number): Promise<Uint8Array> {
    this.space.admit("read", path)
    const { body } = this.#node("read", path, readBit)
    if (body.type === "symlink") throw errnoFault("read", path, "ELOOP")
    if (body.type === "directory") throw errnoFault("read", path, "EISDIR")
    if (body.type === "other") throw errnoFault("read", path, "EINVAL")
    if (body.content.length > bytesMax) throw errnoFault("read", path, "EFBIG")
    return body.content.slice()
  }

  async readlink(path: string): Promise<string> {
    this.space.admit("readlink", path)
    const { body } = this.#node("readlink", path, 0)
    if (body.type !== "symlink") throw errnoFault("readlink", path, "EINVAL")
    return body.target
  }

  async list(
    path: string,
  ): Promise<readonly { readonly name: string; readonly type: FileStat["type"] }[]> {
    this.space.admit("list", path)
    const { body } = this.#node("list", path, readBit)
    if (body.type !== "directory") throw errnoFault("list", path, "ENOTDIR")
    return [...body.entries].map(([name, node]) => ({ name, type: node.body.type }))
  }

  userId(name: string): number | undefined {
    return idOf(this.space.users, name)
  }

  groupId(name: string): number | undefined {
    return idOf(this.space.groups, name)
  }

  userName(id: number): string | undefined {
    return nameOf(this.space.users, id)
  }

  groupName(id: number): string | undefined {
    return nameOf(this.space.groups, id)
  }

  watch(directory: string, changed: (name: string | undefined) => void): Closeable {
    return this.space.watch(directory, changed)
  }

  async writeTemporary(
    directory: string,
    content: Uint8Array,
    mode: number,
    label?: string,
  ): Promise<string> {
    const random = hex(this.space.random.bytes(12))
    const own = label === undefined ? "" : `${label}-`
    const path = `${trimmed(directory)}/.setpoint-${own}${random}`
    this.#add("writeTemporary", path, mode, { type: "file", content: content.slice() })
    return path
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.space.admit("chmod", path)
    const node = this.#node("chmod", path, 0, false)
    if (node.body.type === "symlink") throw errnoFault("chmod", path, "ELOOP")
    if (!this.#owns(node)) throw errnoFault("chmod", path, "EPERM")
    node.mode = mode & 0o7777
    this.space.record("chmod", path, this.#who, node)
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.space.admit("chown", path)
    const node = this.#node("chown", path, 0, false)
    const identity = this.#identity
    const groups = [identity.gid, ...(identity.groups ?? [])]
    const ownGroup = this.#owns(node) && uid === node.uid && groups.includes(gid)
    if (identity.uid !== 0 && !ownGroup) throw errnoFault("chown", path, "EPERM")
    node.uid = uid
    node.gid = gid
    // As Linux does: an owner that changes takes the set-id bits away.
    if (node.body.type === "file") node.mode &= 0o1777
    this.space.record("chown", path, this.#who, node)
  }

  async rename(from: string, to: string): Promise<void> {
    this.space.admit("rename", to)
    const source = this.#removable("rename", from)
    const target = this.#writable("rename", to)
    const { node } = source
    if (target.node === node) return
    if (isWithin(node, target.parent)) throw errnoFault("rename", to, "EINVAL")
    if (target.node !== undefined) this.#checkReplace("rename", to, node)
    source.entries.delete(source.name)
    this.space.touch(source.parent)
    if (target.node !== undefined) target.node.links--
    target.entries.set(target.name, node)
    this.space.touch(target.parent)
    this.space.hint(from)
    this.space.record("rename", to, this.#who, node)
  }

  async link(from: string, to: string): Promise<void> {
    this.space.admit("link", to)
    const node = this.#node("link", from, 0, false)
    if (node.body.type === "directory") throw errnoFault("link", from, "EPERM")
    const place = this.#writable("link", to)
    if (place.node !== undefined) throw errnoFault("link", to, "EEXIST")
    place.entries.set(place.name, node)
    node.links++
    this.space.touch(place.parent)
    this.space.record("link", to, this.#who, node)
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#add("symlink", path, 0o777, { type: "symlink", target })
  }

  async mkdir(path: string, mode: number): Promise<void> {
    this.#add("mkdir", path, mode, { type: "directory", entries: new Map() })
  }

  async unlink(path: string): Promise<void> {
    this.space.admit("unlink", path)
    const place = this.#removable("unlink", path)
    if (place.node.body.type === "directory") throw errnoFault("unlink", path, "EISDIR")
    place.node.links--
    this.#drop("unlink", path, place)
  }

  async rmdir(path: string): Promise<void> {
    this.space.admit("rmdir", path)
    const place = this.#removable("rmdir", path)
    const { body } = place.node
    if (body.type !== "directory") throw errnoFault("rmdir", path, "ENOTDIR")
    if (body.entries.size > 0) throw errnoFault("rmdir", path, "ENOTEMPTY")
    this.#drop("rmdir", path, place)
  }

  async syncDirectory(path: string): Promise<void> {
    this.space.admit("syncDirectory", path)
    const { body } = this.#node("syncDirectory", path, readBit)
    if (body.type !== "directory") throw errnoFault("syncDirectory", path, "ENOTDIR")
  }

  /** In place, as an editor without atomic save does: same inode, new content. */
  async overwrite(path: string, content: Uint8Array): Promise<void> {
    this.space.admit("overwrite", path)
    const node = this.#node("overwrite", path, writeBit)
    if (node.body.type !== "file") throw errnoFault("overwrite", path, "EISDIR")
    node.body.content = content.slice()
    this.space.touch(node)
    this.space.record("overwrite", path, this.#who, node)
  }

  /** A new file under its own name, as a shell's redirect makes it. */
  async writeNew(path: string, content: Uint8Array, mode = 0o644): Promise<void> {
    this.#add("writeNew", path, mode, { type: "file", content: content.slice() })
  }

  #lstat(path: string): FileStat | undefined {
    this.space.admit("lstat", path)
    let place: Place
    try {
      place = this.#place("lstat", path)
    } catch (error) {
      if (isFault(error) && error.details.errno === "ENOENT") return undefined
      throw error
    }
    return place.node === undefined ? undefined : statOf(place.node)
  }

  #place(call: string, path: string, follows = true): Place {
    return locate({ root: this.space.root, identity: this.#identity, follows }, call, path)
  }

  #node(call: string, path: string, bits: number, follows = true): FileNode {
    const { node } = this.#place(call, path, follows)
    if (node === undefined) throw errnoFault(call, path, "ENOENT")
    const checked = node.body.type === "symlink" ? 0 : bits
    if (!isAllowed(this.#identity, node, checked)) throw errnoFault(call, path, "EACCES")
    return node
  }

  #writable(call: string, path: string): Place {
    const place = this.#place(call, path, false)
    if (place.name === ".") throw errnoFault(call, path, "EBUSY")
    if (!isAllowed(this.#identity, place.parent, writeBit | searchBit)) {
      throw errnoFault(call, path, "EACCES")
    }
    return place
  }

  #removable(call: string, path: string): Place & { readonly node: FileNode } {
    const place = this.#writable(call, path)
    const { node, parent } = place
    if (node === undefined) throw errnoFault(call, path, "ENOENT")
    const sticky = (parent.mode & 0o1000) !== 0
    if (sticky && !this.#owns(node) && !this.#owns(parent)) throw errnoFault(call, path, "EPERM")
    return { ...place, node }
  }

  #checkReplace(call: string, path: string, node: FileNode): void {
    const { body } = this.#removable(call, path).node
    const isDirectory = node.body.type === "directory"
    if (body.type !== "directory") {
      if (isDirectory) throw errnoFault(call, path, "ENOTDIR")
      return
    }
    if (!isDirectory) throw errnoFault(call, path, "EISDIR")
    if (body.entries.size > 0) throw errnoFault(call, path, "ENOTEMPTY")
  }

  #add(call: string, path: string, mode: number, body: FileNode["body"]): void {
    this.space.admit(call, path)
    const place = this.#writable(call, path)
    if (place.node !== undefined) throw errnoFault(call, path, "EEXIST")
    const node = this.space.newNode(mode, this.#identity, body)
    place.entries.set(place.name, node)
    this.space.touch(place.parent)
    this.space.record(call, path, this.#who, node)
  }

  #drop(call: string, path: string, place: Place & { readonly node: FileNode }): void {
    place.entries.delete(place.name)
    this.space.touch(place.parent)
    this.space.record(call, path, this.#who, place.node)
  }

  #owns(node: FileNode): boolean {
    return this.#identity.uid === 0 || this.#identity.uid === node.uid
  }
}

function nameOf(table: Readonly<Record<string, number>>, id: number): string | undefined {
  return Object.keys(table).find((name) => table[name] === id)
}

function idOf(table: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
