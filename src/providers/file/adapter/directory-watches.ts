// Hints that something in a directory may have changed: one inotify watch per directory, however
// many ask for it. A directory that vanishes is waited for at its nearest existing ancestor. Hints
// may be lost or come twice; this file must never throw and never be believed.

import { type FSWatcher, statSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import type { Closeable } from "../../../contract/world.ts"

type Changed = (name: string | undefined) => void

/** How soon a directory that could not be watched (no watches left, no access) is tried again. */
const retryMs = 5000
const roundsMax = 5

class DirectoryWatch {
  readonly #directory: string
  readonly listeners = new Set<Changed>()
  #watcher: FSWatcher | undefined
  /** The directory, or while it does not exist its nearest ancestor that does. */
  #place = ""
  /** Device and inode of that place. */
  #sitsOn = ""
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(directory: string) {
    this.#directory = directory
    this.#arm()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#disarm()
  }

  #hint(name: string | undefined): void {
    for (const listener of [...this.listeners]) listener(name)
  }

  #disarm(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #arm(): void {
    clearTimeout(this.#retry)
    if (this.#closed) return
    // A directory may appear between looking and watching: look again, but not for ever.
    for (let round = 0; round < roundsMax; round++) {
      const place = nearestDirectory(this.#directory)
      const identity = identityOf(place)
      const same = place === this.#place && identity === this.#sitsOn
      if (same && this.#watcher !== undefined) break
      this.#disarm()
      this.#place = place
      this.#sitsOn = identity
      this.#open(place)
      if (this.#watcher === undefined) break
    }
    if (this.#watcher !== undefined && this.#place === this.#directory) return
    // Also by timer: an ancestor may be moved or unmounted without an event of its own.
    this.#retry = setTimeout(() => this.#rearm(), retryMs)
    this.#retry.unref()
  }

  #open(place: string): void {
    try {
      const watcher = watch(place, { persistent: false }, (_event, name) => {
        if (this.#watcher === watcher) this.#onEvent(name ?? undefined)
      })
      watcher.on("error", () => {
        if (this.#watcher !== watcher) return
        this.#disarm()
        this.#arm()
        this.#hint(undefined)
      })
      this.#watcher = watcher
    } catch {
      this.#watcher = undefined // The sweep finds what a missing hint does not tell.
    }
  }

  #onEvent(name: string | undefined): void {
    if (this.#place !== this.#directory) {
      this.#rearm()
      return
    }
    // Events of the directory itself come with its own name: deleted, moved away, unmounted.
    if (name === undefined || name === basename(this.#directory)) {
      this.#arm()
      this.#hint(undefined)
    } else this.#hint(name)
  }

  #rearm(): void {
    this.#arm()
    if (this.#place === this.#directory) this.#hint(undefined)
  }
}

function nearestDirectory(path: string): string {
  let place = path
  while (place !== "/" && identityOf(place) === "") place = dirname(place)
  return place
}

function identityOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : ""
  } catch {
    return ""
  }
}

export class DirectoryWatches {
  readonly #watches = new Map<string, DirectoryWatch>()

  /** How many directories are watched; for tests and metrics. */
  get size(): number {
    return this.#watches.size
  }

  watch(directory: string, changed: Changed): Closeable {
    const shared = this.#watches.get(directory) ?? new DirectoryWatch(directory)
    this.#watches.set(directory, shared)
    const listener: Changed = (name) => changed(name)
    shared.listeners.add(listener)
    return {
      close: () => {
        if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return
        shared.close()
        if (this.#watches.get(directory) === shared) this.#watches.delete(directory)
      },
    }
  }
}
