// Hints that something was written into a place: a process began or ended. One inotify watch per
// place, made when the place is; a place that can't be watched gives none, and that is no error.

import { type FSWatcher, watch } from "node:fs"
import type { Closeable } from "../../contract/world.ts"

interface Watched {
  readonly listeners: Set<() => void>
  watcher: FSWatcher | undefined
}

export class PlaceWatches {
  readonly #watched = new Map<string, Watched>()

  watch(directory: string, changed: () => void): Closeable {
    const known = this.#watched.get(directory) ?? { listeners: new Set(), watcher: undefined }
    const listener = () => changed()
    known.listeners.add(listener)
    this.#watched.set(directory, known)
    if (known.watcher === undefined) this.attach(directory)
    return {
      close: () => {
        known.listeners.delete(listener)
        if (known.listeners.size > 0 || this.#watched.get(directory) !== known) return
        known.watcher?.close()
        this.#watched.delete(directory)
      },
    }
  }

  /** The place was made, perhaps anew under the same name. */
  attach(directory: string): void {
    const known = this.#watched.get(directory)
    if (known === undefined) return
    known.watcher?.close()
    known.watcher = undefined
    try {
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        // What begins with a dot is being written and gets its name when it is complete; and when
        // a process ended is written down a moment before how, which is what others wait for.
        if (name?.startsWith(".") === true || name?.startsWith("end.") === true) return
        for (const listener of known.listeners) listener()
      })
      watcher.on("error", () => watcher.close())
      known.watcher = watcher
    } catch {
      // It does not exist yet.
    }
  }
}
