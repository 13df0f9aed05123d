// Hints that something in a directory may have changed: one inotify watch per directory, however
// many ask for it. A directory that vanishes is waited for at its nearest existing ancestor. Hints
// may be lost or come twice; this file must never throw and never be believed.

import { type FSWatcher, statSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import type { Closeable } from "../../../contract/world.ts"

type Changed = (name: string | undefined) => void

/** How soon a directory that could not be watched (no watches left, no access) is tried again. */
const retryMs = 5000

class DirectoryWatch {
  readonly #directory: string
  readonly listeners = new Set<Changed>()
  #watcher: FSWatcher | undefined
  /** Device and inode that the watch sits on; "" while it sits on an ancestor or on nothing. */
  #sitsOn = ""
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(directory: string) {
    this.#directory = directory
    this.#arm()
  }

  close(): void {
    this.#closed = true
    this.#disarm()
  }

  #hint(name: string | undefined): void {
    for (const listener of [...this.listeners]) listener(name)
  }

  #disarm(): void {
    clearTimeout(this.#retry)
    this.#watcher?.close()
    this.#watcher = undefined
    this.#sitsOn = ""
  }

  #arm(): void {
    this.#disarm()
    if (this.#closed) return
    const here = identityOf(this.#directory)
    if (here !== "" && this.#open(this.#directory, (name) => this.#onEntry(name))) {
      this.#sitsOn = here
      return
    }
    let ancestor = dirname(this.#directory)
    while (identityOf(ancestor) === "" && ancestor !== "/") ancestor = dirname(ancestor)
    this.#open(ancestor, () => this.#onAncestor())
    // Also by timer: the ancestor itself may be moved or unmounted without an event of its own.
    this.#retry = setTimeout(() => this.#onAncestor(), retryMs)
    this.#retry.unref()
  }

  #open(path: string, changed: Changed): boolean {
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (this.#watcher === watcher) changed(name ?? undefined)
      })
      watcher.on("error", () => {
        if (this.#watcher !== watcher) return
        this.#arm()
        this.#hint(undefined)
      })
      this.#watcher = watcher
      return true
    } catch {
      return false // The sweep finds what a missing hint does not tell.
    }
  }

  #onEntry(name: string | undefined): void {
    // Events of the directory itself come with its own name: deleted, moved away, unmounted.
    if (name !== undefined && name !== basename(this.#directory)) {
      this.#hint(name)
      return
    }
    if (identityOf(this.#directory) !== this.#sitsOn) this.#arm()
    this.#hint(undefined)
  }

  #onAncestor(): void {
    this.#arm()
    if (this.#sitsOn !== "") this.#hint(undefined)
  }
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
