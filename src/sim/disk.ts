// A disk that forgets. Writes go to a volatile cache; only `sync` makes them durable; a crash drops
// what was not synced, or keeps arbitrary sectors of it. It can be full, fail its syncs, rot, and
// crash at a chosen operation. After a failed sync the cache looks fine and is never written: a
// store that tries the sync again is lied to, as real systems lie.

import type { Random } from "../base/random.ts"
import type { LogDisk } from "../store/engines/testing/log-disk.ts"

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
  #durable = new Image()
  #cache = new Image()
  #unsynced: Sector[] = []
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
    for (const image of [this.#durable, this.#cache]) {
      const [byte = 0] = image.read(offset, 1)
      image.write(offset, Uint8Array.of(byte ^ 1))
    }
  }

  get durableBytes(): number {
    return this.#durable.size
  }

  /** Cuts the power; handles opened before are dead, and the cache is what the mode left. */
  crash(mode: CrashMode = { kind: "drop" }): void {
    this.#power++
    this.#crashAt = undefined
    this.#failSync = false
    const kept = survivors(this.#unsynced, mode)
    for (const { offset, bytes } of kept) this.#durable.write(offset, bytes)
    this.#cache = this.#durable.copy()
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
        return this.#cache.size
      },
      read: async (offset, length) => {
        alive()
        return this.#cache.read(offset, length)
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
    this.#cache.write(offset, fits)
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
    this.#cache.truncate(size)
    this.#durable.truncate(size)
    this.#unsynced = this.#unsynced.filter((sector) => sector.offset < size)
  }

  #sync(): void {
    const dirty = this.#unsynced
    this.#unsynced = []
    if (this.#failSync) {
      this.#failSync = false
      throw new SimDiskError("EIO", "the disk could not be synced")
    }
    for (const { offset, bytes } of dirty) this.#durable.write(offset, bytes)
  }
}

/** Bytes that grow; a gap that was never written reads as zeros. */
class Image {
  #bytes = new Uint8Array(4096)
  size = 0

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.slice(offset, Math.min(this.size, offset + length))
  }

  write(offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(end * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(bytes, offset)
    this.size = Math.max(this.size, end)
  }

  truncate(size: number): void {
    if (size >= this.size) return
    this.#bytes.fill(0, size)
    this.size = size
  }

  copy(): Image {
    const copy = new Image()
    copy.write(0, this.read(0, this.size))
    return copy
  }
}

function survivors(unsynced: readonly Sector[], mode: CrashMode): readonly Sector[] {
  if (mode.kind === "drop") return []
  if (mode.kind === "subset") return unsynced.filter(() => mode.random.next() < 0.5)
  return unsynced.slice(0, Math.floor(mode.random.next() * (unsynced.length + 1)))
}
