// One simulated file system: the tree, its times, the log of mutations, the hints and the faults.
// Handles of different identities (memory-files.ts) share one.

import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Closeable, FileStat } from "../contract/world.ts"
import { errnoFault, type FileNode } from "./file-tree.ts"

export interface FileMutation {
  readonly sequence: number
  readonly call: string
  readonly path: string
  /** "plane", or whoever a test acts as. */
  readonly who: string
}

export interface FileFaultRule {
  readonly errno: string
  /** The port's method; every one when missing. */
  readonly call?: string
  /** Only this path or below it. */
  readonly under?: string
  /** Lets so many matching calls pass first. */
  readonly skip?: number
  /** How many calls it hits; for ever when missing. */
  readonly times?: number
}

export interface FileSpaceOptions {
  readonly clock: Clock
  readonly random: Random
  readonly users?: Readonly<Record<string, number>>
  readonly groups?: Readonly<Record<string, number>>
}

interface Watcher {
  readonly directory: string
  readonly changed: (name: string | undefined) => void
}

export class FileSpace {
  readonly random: Random
  readonly users: Readonly<Record<string, number>>
  readonly groups: Readonly<Record<string, number>>
  readonly root: FileNode
  /** False = every hint gets lost. */
  hints = true
  readonly #clock: Clock
  readonly #log: FileMutation[] = []
  readonly #watchers = new Set<Watcher>()
  #rules: { readonly rule: FileFaultRule; skip: number; left: number }[] = []
  #inodes = 1
  #ticks = 0
  #calls = 0

  constructor(options: FileSpaceOptions) {
    this.#clock = options.clock
    this.random = options.random
    this.users = options.users ?? { root: 0, nobody: 65534 }
    this.groups = options.groups ?? { root: 0, nogroup: 65534 }
    const body = { type: "directory" as const, entries: new Map<string, FileNode>() }
    this.root = this.newNode(0o755, { uid: 0, gid: 0 }, body)
  }

  /** Every mutation there ever was, oldest first. */
  get log(): readonly FileMutation[] {
    return this.#log
  }

  /** Calls that arrived, also those that failed. */
  get calls(): number {
    return this.#calls
  }

  newNode(
    mode: number,
    owner: { readonly uid: number; readonly gid: number },
    body: FileNode["body"],
  ): FileNode {
    const now = this.#nowNs()
    const { uid, gid } = owner
    const inode = ++this.#inodes
    return { inode, mode: mode & 0o7777, uid, gid, mtimeNs: now, ctimeNs: now, links: 1, body }
  }

  /** Makes chosen calls fail; the answer lifts the rule again. */
  fail(rule: FileFaultRule): () => void {
    const left = rule.times ?? Number.POSITIVE_INFINITY
    const active = { rule, skip: rule.skip ?? 0, left }
    this.#rules.push(active)
    return () => {
      this.#rules = this.#rules.filter((one) => one !== active)
    }
  }

  /** Every call comes by here first. */
  admit(call: string, path: string): void {
    this.#calls++
    for (const active of this.#rules) {
      const { rule } = active
      if (active.left <= 0 || (rule.call ?? call) !== call) continue
      if (rule.under !== undefined && !isUnder(path, rule.under)) continue
      if (active.skip > 0) {
        active.skip--
        continue
      }
      active.left--
      throw errnoFault(call, path, rule.errno)
    }
  }

  /** The content of the node, or the entries of the directory, changed. */
  touch(node: FileNode): void {
    node.mtimeNs = this.#nowNs()
    node.ctimeNs = node.mtimeNs
  }

  record(call: string, path: string, who: string, node: FileNode): void {
    node.ctimeNs = this.#nowNs()
    this.#log.push({ sequence: this.#log.length + 1, call, path: trimmed(path), who })
    this.hint(path)
  }

  watch(directory: string, changed: Watcher["changed"]): Closeable {
    const watcher = { directory: trimmed(directory), changed }
    this.#watchers.add(watcher)
    return { close: () => void this.#watchers.delete(watcher) }
  }

  hint(path: string): void {
    const { directory, name } = split(path)
    for (const watcher of this.#watchers) {
      if (!this.hints || watcher.directory !== directory) continue
      this.#clock.after(0, () => {
        if (this.#watchers.has(watcher)) watcher.changed(name)
      })
    }
  }

  /** Wall time, and a tick per change, so that two changes in one millisecond differ. */
  #nowNs(): bigint {
    const milliseconds = BigInt(Math.floor(this.#clock.now()))
    return milliseconds * 1_000_000n + BigInt(this.#ticks++ % 1_000_000)
  }
}

export function statOf(node: FileNode): FileStat {
  const { body } = node
  return {
    type: body.type,
    inode: String(node.inode),
    device: "1",
    size: sizeOf(body),
    mode: node.mode,
    uid: node.uid,
    gid: node.gid,
    mtimeNs: String(node.mtimeNs),
    ctimeNs: String(node.ctimeNs),
  }
}

function sizeOf(body: FileNode["body"]): number {
  if (body.type === "file") return body.content.length
  if (body.type === "symlink") return Buffer.byteLength(body.target)
  return body.type === "directory" ? 4096 : 0
}

export function trimmed(path: string): string {
  return path === "/" ? path : path.replace(/\/+$/, "")
}

function split(path: string): { readonly directory: string; readonly name: string } {
  const whole = trimmed(path)
  const slash = whole.lastIndexOf("/")
  return { directory: slash === 0 ? "/" : whole.slice(0, slash), name: whole.slice(slash + 1) }
}

function isUnder(path: string, directory: string): boolean {
  return trimmed(path) === trimmed(directory) || path.startsWith(`${trimmed(directory)}/`)
}
