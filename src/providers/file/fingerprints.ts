// The cheap sweep: a fingerprint per path from lstat alone. It covers the directories above the
// path as well, so that a symlink or a mount put in the way shows. Runs over every managed file at
// every interval, so it makes as few values as it can.

import { sha256 } from "../../base/hash.ts"
import type { FileStat, FilesRead } from "../../contract/world.ts"
import { directoryOf } from "./bounds.ts"
import { type HostMemory, statText } from "./host-memory.ts"

export function fileFingerprints(
  paths: readonly string[],
  files: FilesRead,
  memory: HostMemory,
): (string | undefined)[] {
  const above = new Above(files)
  const settled = memory.settledBefore()
  const stats = files.lstatMany(paths)
  return paths.map((path, index) => {
    const stat = stats[index]
    if (stat === undefined || stat instanceof Error) return undefined
    if (stat.type === "file" && stat.ctimeNs >= settled) return undefined
    const chain = above.of(directoryOf(path))
    return chain === undefined ? undefined : `${chain}/${statText(stat)}`
  })
}

export function directoryFingerprints(
  paths: readonly string[],
  files: FilesRead,
  memory: HostMemory,
): (string | undefined)[] {
  const above = new Above(files)
  const stats = files.lstatMany(paths)
  return paths.map((path, index) => {
    const stat = stats[index]
    if (stat === undefined || stat instanceof Error || memory.purging.has(path)) return undefined
    const chain = above.of(directoryOf(path))
    if (chain === undefined) return undefined
    if (stat.type !== "directory") return `${chain}/${statText(stat)}`
    return `${chain}/${identityText(stat)}:${stat.mode}:${stat.uid}:${stat.gid}`
  })
}

const identityText = ({ type, device, inode }: FileStat) => `${type}:${device}:${inode}`

/** Identity of a directory and of all above it, looked up once per sweep. */
class Above {
  readonly #files: FilesRead
  readonly #known = new Map<string, string | undefined>()

  constructor(files: FilesRead) {
    this.#files = files
  }

  of(directory: string): string | undefined {
    if (this.#known.has(directory)) return this.#known.get(directory)
    const [stat] = this.#files.lstatMany([directory])
    const parent = directory === "/" ? "" : this.of(directoryOf(directory))
    const unclear = parent === undefined || stat === undefined || stat instanceof Error
    // Hashed, since it is kept with every file below.
    const text = unclear ? undefined : sha256(`${parent}/${identityText(stat)}`).slice(0, 16)
    this.#known.set(directory, text)
    return text
  }
}
