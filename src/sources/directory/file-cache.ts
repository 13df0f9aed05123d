// What was read and parsed of each file, reused while the file's stat stays the same, so that one
// edit among 10,000 files costs one read. A stat is trusted only when the file was already old when
// it was read: two writes within one tick of the disk's clock leave the same stat behind.

import { type Clock, sleep } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import type { FileStat } from "../../contract/world.ts"
import { sourceFault } from "../faults.ts"
import { sourceIssue } from "../manifests/issue.ts"
import type { ManifestLimits } from "../manifests/limits.ts"
import { type ReadFile, readFile } from "../manifests/read-file.ts"
import { present, stopWhenAborted, type TreeScan } from "./scan-tree.ts"
import { type SourceFiles, statText } from "./source-files.ts"

export interface CachedFile {
  /** Relative to the folder. */
  readonly name: string
  readonly hash: string
  readonly read: ReadFile
}

interface Entry extends CachedFile {
  readonly stat: string
  readonly settled: boolean
}

export interface FileCacheOptions {
  readonly path: string
  /** How positions name the folder. */
  readonly label: string
  readonly files: SourceFiles
  readonly clock: Clock
  readonly limits: ManifestLimits
}

/** Far above the tick of any file system's clock. */
const settledMs = 2000
const filesPerStep = 32

export class FileCache {
  readonly #options: FileCacheOptions
  readonly #entries = new Map<string, Entry>()
  readonly #label: string

  constructor(options: FileCacheOptions) {
    this.#options = options
    this.#label = options.label
  }

  /** Whether every file of the scan can be answered without looking at its content. */
  isSettled(scan: TreeScan): boolean {
    for (const [name, stat] of scan.files) {
      const entry = this.#entries.get(name)
      if (entry === undefined || !entry.settled || entry.stat !== statText(stat)) return false
    }
    return true
  }

  async readAll(scan: TreeScan, signal: AbortSignal): Promise<CachedFile[]> {
    const results: CachedFile[] = []
    let fresh = 0
    for (const [name, stat] of scan.files) {
      const entry = this.#entries.get(name)
      if (entry?.settled && entry.stat === statText(stat)) {
        results.push(entry)
        continue
      }
      stopWhenAborted({ signal, path: this.#options.path })
      // Reading and parsing hold the thread: let others run after every few files.
      if (++fresh % filesPerStep === 0) await sleep(this.#options.clock, 0, signal)
      results.push(await this.#read(name, stat))
    }
    return results
  }

  forgetOthers(scan: TreeScan): void {
    for (const name of this.#entries.keys()) if (!scan.files.has(name)) this.#entries.delete(name)
  }

  async #read(name: string, stat: FileStat): Promise<CachedFile> {
    const { path, files, clock, limits } = this.#options
    const full = `${path}/${name}`
    if (stat.size === 0) throw sourceFault("SPT-SOURCE-038", { path: full })
    const changedMs = Number(BigInt(stat.ctimeNs) / 1_000_000n)
    const settled = clock.now() - changedMs > settledMs
    const file = `${this.#label}/${name}`
    if (stat.size > limits.fileBytes) {
      const details = { file, bytes: stat.size, limit: limits.fileBytes }
      return { name, hash: "", read: refused("SPT-SOURCE-001", details) }
    }
    const content = await present(files.read(full, stat.size), path, name)
    if (content.length !== stat.size) throw sourceFault("SPT-SOURCE-034", { path: full })
    const hash = sha256(content)
    const before = this.#entries.get(name)
    const read = before?.hash === hash ? before.read : parse(file, content, limits)
    const entry: Entry = { name, hash, read, stat: statText(stat), settled }
    this.#entries.set(name, entry)
    return entry
  }
}

function parse(file: string, content: Uint8Array, limits: ManifestLimits): ReadFile {
  const text = decode(content)
  if (text === undefined) return refused("SPT-SOURCE-016", { file, cause: "bad bytes" })
  return readFile({ path: file, text }, limits)
}

function refused(
  code: "SPT-SOURCE-001" | "SPT-SOURCE-016",
  details: Readonly<Record<string, string | number>> & { readonly file: string },
): ReadFile {
  const position = { file: details.file, line: 1, column: 1 }
  return { manifests: [], issues: [sourceIssue(code, details, position)] }
}

function decode(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}
