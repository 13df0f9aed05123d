// What the two kinds remember while the process runs: hashes of content by stat, the device each
// directory was last seen on, and the temporary files. All of it may be lost at any time; nothing
// here decides alone that something is absent.

import type { Clock } from "../../base/clock.ts"
import type { FileStat } from "../../contract/world.ts"
import type { Bounds } from "./bounds.ts"
import { NameWatches } from "./name-watches.ts"
import { Temporaries } from "./temporaries.ts"

export interface FileKindOptions extends Bounds {
  /** Where the old content of adopted files is kept; without it adoption is refused. */
  readonly backupDirectory?: string
  /** Tells young files from settled ones; without it stat values are believed at once. */
  readonly clock?: Clock
}

/** Changes when anything about the file does, as far as lstat can tell. */
export function statText(stat: FileStat): string {
  const { type, device, inode, size, mode, uid, gid, mtimeNs, ctimeNs } = stat
  return `${type}:${device}:${inode}:${size}:${mode}:${uid}:${gid}:${mtimeNs}:${ctimeNs}`
}

const entriesMax = 65_536
/** Two writes within one tick of the kernel's clock leave the same times behind. */
const tickNs = 1_000_000_000n
const leftoverAgeNs = 600_000_000_000n

export class HostMemory {
  readonly bounds: Bounds
  readonly backupDirectory: string | undefined
  readonly temporaries = new Temporaries()
  readonly watches = new NameWatches()
  /** Directories whose observation depends on more than their own stat. */
  readonly purging = new Set<string>()
  readonly #clock: Clock | undefined
  readonly #hashes = new Map<string, { readonly stat: string; readonly hash: string }>()
  readonly #devices = new Map<string, string>()

  constructor(options: FileKindOptions) {
    this.bounds = { roots: options.roots, forbidden: options.forbidden }
    this.backupDirectory = options.backupDirectory
    this.#clock = options.clock
  }

  hashOf(path: string, stat: FileStat): string | undefined {
    const known = this.#hashes.get(path)
    return known?.stat === statText(stat) ? known.hash : undefined
  }

  keepHash(path: string, stat: FileStat, hash: string): void {
    this.#hashes.delete(path)
    if (stat.ctimeNs >= this.settledBefore()) return
    bounded(this.#hashes).set(path, { stat: statText(stat), hash })
  }

  /** As text, so that a sweep compares without parsing; times of today have 19 digits. */
  settledBefore(): string {
    return this.#before(tickNs) ?? "9".repeat(19)
  }

  /** Leftovers younger than this may belong to someone who is still writing; "" spares all. */
  leftoverBefore(): string {
    return this.#before(leftoverAgeNs) ?? ""
  }

  #before(ageNs: bigint): string | undefined {
    if (this.#clock === undefined) return undefined
    return (BigInt(Math.floor(this.#clock.now())) * 1_000_000n - ageNs).toString()
  }

  deviceOf(directory: string): string | undefined {
    return this.#devices.get(directory)
  }

  keepDevice(directory: string, device: string): void {
    if (this.#devices.get(directory) !== device) bounded(this.#devices).set(directory, device)
  }
}

function bounded<V>(map: Map<string, V>): Map<string, V> {
  if (map.size >= entriesMax) {
    for (const oldest of map.keys()) {
      map.delete(oldest)
      break
    }
  }
  return map
}
