// A disk that forgets. Writes go to a volatile cache; only `sync` makes them durable; a crash drops
// what was not synced, or keeps arbitrary sectors of it. It can be full, fail its syncs, rot, and
// crash at a chosen operation. After a failed sync the cache looks fine and is never written: a
// store that tries the sync again is lied to, as real systems lie.

import type { Random } from "../base/random.ts"
import type { LogDisk } from "../store/engines/log-disk.ts"

const sectorBytes = 512

/** What a crash leaves of the writes that were not synced. */
export type CrashMode =
  | { readonly kind: "drop" }
  /** Any subset of the sectors, in any order. */
  | { readonly kind: "subset"; readonly random: Random }
  /** A prefix that ends at any sector. */
  | { readonly kind: "torn"; readonly random: Random }

export class SimDiskError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

interface Sector {
  readonly offset: number
  readonly bytes: Uint8Array
}

export interface SimDiskOptions {
  readonly capacity?: number
}

export class SimDisk {
  #durable = Buffer.alloc(0)
  #cache = Buffer.alloc(0)
  #unsynced: Sector[] = []
  #durableSize = 0
  #power = 0
  #operations = 0
  #crashAt: { operation: number; after: boolean } | undefined
  #failSync = false
  capacity: number

  constructor(options: SimDiskOptions = {}) {
    this.capacity = options.capacity ?? Number.POSITIVE_INFINITY
  }

  /** Operations that change or sync, counted since the beginning. */
  get operations(): number {
    return this.#operations
  }

  /** The power goes at this operation: before it has an effect, or after it but unanswered. */
  crashAt(operation: number, after: boolean): void {
    this.#crashAt = { operation, after }
  }

  /** The next sync fails, and what it should have written never gets written. */
  failNextSync(): void {
    this.#failSync = true
  }

  /** Flips one bit of what is durable. */
  rot(offset: number): void {
    for (const image of [this.#durable, this.#cache]) image[offset] = (image[offset] ?? 0) ^ 1
  }

  get durableBytes(): number {
    return this.#durableSize
  }

  /** Cuts the power; handles opened before are dead, and the cache is what the mode left. */
  crash(mode: CrashMode = { kind: "drop" }): void {
    this.#power++
    this.#crashAt = undefined
    this.#failSync = false
    const kept = survivors(this.#unsynced, mode)
    for (const { offset, bytes } of kept) this.#applyDurable(offset, bytes)
    this.#cache = Buffer.from(this.#durable.subarray(0, this.#durableSize))
    this.#unsynced = []
  }

  open(): LogDisk {
    const power = this.#power
    const alive = () => {
      if (power !== this.#power) throw new SimDiskError("EIO", "the power is gone")
    }
    const change = async (effect: () => void): Promise<void> => {
      alive()
      this.#operations++
      const crash = this.#crashAt
      const now = crash !== undefined && this.#operations === crash.operation
      if (now && !crash.after) this.#cut()
      alive()
      effect()
      if (now) this.#cut()
      alive()
    }
    return {
      size: async () => {
        alive()
        return this.#cache.length
      },
      read: async (offset, length) => {
        alive()
        return Uint8Array.from(this.#cache.subarray(offset, offset + length))
      },
      write: (offset, bytes) => change(() => this.#write(offset, bytes)),
      truncate: (size) => change(() => this.#truncate(size)),
      sync: () => change(() => this.#sync()),
    }
  }

  /** Power off without yet choosing what survives; `crash` does that before the next open. */
  #cut(): void {
    this.#power++
  }

  #write(offset: number, bytes: Uint8Array): void {
    const room = Math.max(0, this.capacity - offset)
    const fits = bytes.length <= room ? bytes : bytes.subarray(0, room)
    this.#cache = overwrite(this.#cache, offset, fits)
    for (let from = 0; from < fits.length; ) {
      const to = Math.min(fits.length, from + sectorBytes - ((offset + from) % sectorBytes))
      this.#unsynced.push({
        offset: offset + from,
        bytes: Uint8Array.from(fits.subarray(from, to)),
      })
      from = to
    }
    if (fits.length < bytes.length) throw new SimDiskError("ENOSPC", "no space left on the disk")
  }

  /** Cutting is kept simple: it is durable at once, which the log engine does not rely on. */
  #truncate(size: number): void {
    this.#cache = Buffer.from(this.#cache.subarray(0, size))
    this.#durableSize = Math.min(this.#durableSize, size)
    this.#durable = Buffer.from(this.#durable.subarray(0, this.#durableSize))
    this.#unsynced = this.#unsynced.filter((sector) => sector.offset < size)
  }

  #sync(): void {
    const dirty = this.#unsynced
    this.#unsynced = []
    if (this.#failSync) {
      this.#failSync = false
      throw new SimDiskError("EIO", "the disk could not be synced")
    }
    for (const { offset, bytes } of dirty) this.#applyDurable(offset, bytes)
  }

  #applyDurable(offset: number, bytes: Uint8Array): void {
    this.#durable = overwrite(this.#durable, offset, bytes)
    this.#durableSize = this.#durable.length
  }
}

/** A gap that was never written reads as zeros. */
function overwrite(image: Buffer, offset: number, bytes: Uint8Array): Buffer<ArrayBuffer> {
  const grown = Buffer.alloc(Math.max(image.length, offset + bytes.length))
  grown.set(image)
  grown.set(bytes, offset)
  return grown
}

function survivors(unsynced: readonly Sector[], mode: CrashMode): readonly Sector[] {
  if (mode.kind === "drop") return []
  if (mode.kind === "subset") return unsynced.filter(() => mode.random.next() < 0.5)
  return unsynced.slice(0, Math.floor(mode.random.next() * (unsynced.length + 1)))
}
