// Hints that the folder may have changed: one watch per folder of the tree, armed again when
// folders come, go or are replaced. A hint is never the truth; a lost one costs only time, since
// the loop's interval reads anyway. Holds no state that a read depends on.

import type { Clock, Timer } from "../../base/clock.ts"
import type { Closeable } from "../../contract/world.ts"
import { type ScanOptions, scanTree } from "./scan-tree.ts"
import { identityText, isIgnoredName, type SourceFiles } from "./source-files.ts"

export interface WatchTreeOptions {
  readonly path: string
  readonly files: SourceFiles
  readonly clock: Clock
  changed(): void
}

/** New folders appear in bursts; one look after the burst is enough. */
const rearmMs = 100
/** How soon a vanished, replaced or unmounted folder is noticed without any event. */
const checkMs = 1000

interface Watched extends Closeable {
  readonly identity: string
}

export function watchTree(options: WatchTreeOptions): Closeable {
  const watcher = new TreeWatcher(options)
  watcher.start()
  return watcher
}

/** One watch per folder of a set that changes: an overlay may lead to other bases than before. */
export function watchFolders(options: WatchTreeOptions, paths: ReadonlySet<string>) {
  const watched = new Map<string, Closeable>()
  const follow = (wanted: ReadonlySet<string>) => {
    for (const [path, watch] of watched) {
      if (wanted.has(path)) continue
      watch.close()
      watched.delete(path)
    }
    for (const path of wanted) {
      if (!watched.has(path)) watched.set(path, watchTree({ ...options, path }))
    }
  }
  follow(paths)
  return { follow, close: () => follow(new Set()) }
}

class TreeWatcher implements Closeable {
  readonly #options: WatchTreeOptions
  readonly #watched = new Map<string, Watched>()
  readonly #abort = new AbortController()
  #timer: Timer | undefined
  #arming = false
  #soon = false
  #lastState = ""

  constructor(options: WatchTreeOptions) {
    this.#options = options
  }

  start(): void {
    void this.#arm(true)
  }

  close(): void {
    this.#abort.abort()
    this.#timer?.cancel()
    for (const watched of this.#watched.values()) watched.close()
    this.#watched.clear()
  }

  #plan(delayMs: number): void {
    if (this.#abort.signal.aborted) return
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(delayMs, () => {
      if (this.#soon || this.#differs()) void this.#arm(false)
      else this.#plan(checkMs)
    })
  }

  /** A cheap look at the folders we know: is each still the one that is watched? */
  #differs(): boolean {
    if (this.#watched.size === 0) return true
    const known = [...this.#watched]
    const stats = this.#options.files.lstatMany(known.map(([folder]) => this.#full(folder)))
    return known.some(([_, watched], at) => {
      const stat = stats[at]
      if (stat === undefined || stat instanceof Error) return true
      return identityText(stat) !== watched.identity
    })
  }

  #full(folder: string): string {
    return folder === "" ? `${this.#options.path}/.` : `${this.#options.path}/${folder}`
  }

  #event(name: string | undefined): void {
    if (this.#abort.signal.aborted || (name !== undefined && isIgnoredName(name))) return
    this.#options.changed()
    if (this.#soon) return
    this.#soon = true
    this.#plan(rearmMs)
  }

  /** Brings the watches in line with the folders that exist now. */
  async #arm(first: boolean): Promise<void> {
    if (this.#arming) return
    this.#arming = true
    this.#soon = false
    const state = await this.#folders()
    this.#arming = false
    if (this.#abort.signal.aborted) return
    const folders = typeof state === "string" ? new Map<string, string>() : state
    for (const [folder, watched] of this.#watched) {
      if (folders.get(folder) === watched.identity) continue
      watched.close()
      this.#watched.delete(folder)
    }
    for (const [folder, identity] of folders) this.#watch(folder, identity)
    const text = typeof state === "string" ? state : [...state].join("\n")
    // Whatever happened before a folder was watched was not seen: say that it may have changed.
    if (!first && text !== this.#lastState) this.#options.changed()
    this.#lastState = text
    this.#plan(this.#soon ? rearmMs : checkMs)
  }

  async #folders(): Promise<ReadonlyMap<string, string> | string> {
    const { files, clock, path } = this.#options
    const signal = this.#abort.signal
    const options: ScanOptions = { files, clock, path, signal, foldersOnly: true }
    try {
      return (await scanTree(options)).folders
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #watch(folder: string, identity: string): void {
    if (this.#watched.has(folder)) return
    try {
      const handle = this.#options.files.watch(this.#full(folder), (name) => this.#event(name))
      this.#watched.set(folder, { identity, close: () => handle.close() })
    } catch {
      // Out of watches, or gone again: the hint is lost, and the loop's interval reads anyway.
    }
  }
}
