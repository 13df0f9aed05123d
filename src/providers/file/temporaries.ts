// Temporary files: made beside their target, named after the object they were made for, removed
// whatever happens. What a crash leaves behind is recognised by that name and by nothing else, so
// that a foreign file is never taken for ours.

import { sha256 } from "../../base/hash.ts"
import type { FilesAct, FilesRead } from "../../contract/world.ts"
import { directoryOf, nameOf } from "./bounds.ts"
import { errnoOf } from "./faults.ts"

const pattern = /^\.setpoint-([0-9a-f]{16})-[0-9A-Za-z]+$/

/** Sixteen hex digits that only who knows the object's UID can make. */
export function labelOf(uid: string): string {
  return sha256(`setpoint temporary ${uid}`).slice(0, 16)
}

export class Temporaries {
  /** Directory to label to names: from one listing per process, and what we could not remove. */
  readonly #left = new Map<string, Map<string, Set<string>>>()
  readonly #busy = new Map<string, number>()

  /** Runs an act during which this label's files are in use. */
  async using<T>(label: string, act: () => Promise<T>): Promise<T> {
    this.#busy.set(label, (this.#busy.get(label) ?? 0) + 1)
    try {
      return await act()
    } finally {
      const others = (this.#busy.get(label) ?? 1) - 1
      if (others === 0) this.#busy.delete(label)
      else this.#busy.set(label, others)
    }
  }

  /** After a failure: what it left behind is looked for again. */
  forget(directory: string): void {
    this.#left.delete(directory)
  }

  /** Removes what an earlier attempt for the same object left in the directory. */
  async removeOwn(files: FilesAct, directory: string, label: string): Promise<void> {
    const labels = this.#left.get(directory) ?? (await this.#read(files, directory))
    for (const name of [...(labels.get(label) ?? [])]) {
      await this.remove(files, `${directory === "/" ? "" : directory}/${name}`)
      labels.get(label)?.delete(name)
    }
    labels.delete(label)
  }

  /** Removed now, or else with the object's next act; one that is gone already is fine. */
  async remove(files: FilesAct, path: string): Promise<void> {
    try {
      await files.unlink(path)
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return
      this.#keep(directoryOf(path), nameOf(path))
      throw error
    }
  }

  /** After a failure, which is the one to report. */
  async discard(files: FilesAct, path: string): Promise<void> {
    await this.remove(files, path).catch(() => {})
  }

  /** Names of leftovers that nobody uses any more, the older ones only. */
  async leftovers(files: FilesRead, directory: string, before: string): Promise<string[]> {
    const found: string[] = []
    for (const { name, type } of await files.list(directory)) {
      const label = pattern.exec(name)?.[1]
      if (label === undefined || this.#busy.has(label)) continue
      if (type !== "file" && type !== "symlink") continue
      const [stat] = files.lstatMany([`${directory}/${name}`])
      if (stat === undefined || stat instanceof Error || stat.ctimeNs >= before) continue
      found.push(name)
    }
    return found.sort()
  }

  async #read(files: FilesRead, directory: string): Promise<Map<string, Set<string>>> {
    // Failing here is wanted: a directory that can't be read can't be synced after the act either.
    const entries = await files.list(directory)
    const labels = new Map<string, Set<string>>()
    this.#left.set(directory, labels)
    for (const { name } of entries) this.#keep(directory, name)
    return labels
  }

  #keep(directory: string, name: string): void {
    const label = pattern.exec(name)?.[1]
    if (label === undefined) return
    const labels = this.#left.get(directory) ?? new Map<string, Set<string>>()
    this.#left.set(directory, labels)
    const names = labels.get(label) ?? new Set<string>()
    labels.set(label, names)
    names.add(name)
  }
}
