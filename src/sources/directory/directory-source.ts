// A folder of manifests as a source. A read answers with the whole folder as it stood at one
// moment, or with the reason why not: two equal looks at the tree enclose the reading of the files,
// and a tree that changed in the last moments is looked at again first. Never a part of it.

import { KeyedLock } from "../../base/async.ts"
import { type Clock, sleep } from "../../base/clock.ts"
import { toFault } from "../../base/faults.ts"
import { sha256 } from "../../base/hash.ts"
import { protects } from "../../base/protections.ts"
import type { Source, SourceIssue, SourceSnapshot } from "../../contract/source.ts"
import { sourceFault } from "../faults.ts"
import { boundIssues, sourceIssue } from "../manifests/issue.ts"
import { manifestLimits } from "../manifests/limits.ts"
import { joinFiles, type ManifestOptions } from "../manifests/read-manifests.ts"
import { FileCache } from "./file-cache.ts"
import {
  isChanging,
  type ScanOptions,
  sameTree,
  scanTree,
  stopWhenAborted,
  type TreeScan,
} from "./scan-tree.ts"
import { type SourceFiles, statText } from "./source-files.ts"
import { watchTree } from "./watch-tree.ts"

export interface DirectorySourceOptions extends ManifestOptions {
  readonly path: string
  readonly files: SourceFiles
  readonly clock: Clock
}

/** A change younger than this may be half of a save: editors truncate, rename and write again. */
const quietMs = 50
const attempts = 4
const waitMs = [quietMs, 100, 200]

type Complete = Extract<SourceSnapshot, { kind: "complete" }>

interface Good {
  readonly scan: TreeScan
  readonly snapshot: Complete
}

export function createDirectorySource(options: DirectorySourceOptions): Source {
  const reader = new DirectoryReader(options)
  const lock = new KeyedLock()
  return {
    description: `directory ${options.path}`,
    read: (signal) => lock.run("read", () => untilAborted(signal, options.path, reader)),
    watch: (changed) => watchTree({ ...options, changed }),
  }
}

/** A disk may hang for ever (a dead network mount); the caller's signal ends the wait. */
async function untilAborted(
  signal: AbortSignal,
  path: string,
  reader: DirectoryReader,
): Promise<SourceSnapshot> {
  const cancelled: SourceSnapshot = {
    kind: "unreadable",
    issues: [sourceIssue("SPT-SOURCE-037", { path })],
  }
  if (signal.aborted) return cancelled
  let stop = () => {}
  const aborted = new Promise<SourceSnapshot>((resolve) => {
    stop = () => resolve(cancelled)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([reader.read(signal), aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

class DirectoryReader {
  readonly #options: DirectorySourceOptions
  readonly #cache: FileCache
  #good: Good | undefined

  constructor(options: DirectorySourceOptions) {
    this.#options = options
    const { path, files, clock, limits = manifestLimits } = options
    this.#cache = new FileCache({ path, files, clock, limits })
  }

  async read(signal: AbortSignal): Promise<SourceSnapshot> {
    const { clock, path, files } = this.#options
    const scanOptions: ScanOptions = { files, clock, path, signal }
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await this.#attempt(scanOptions)
        } catch (error) {
          if (!isChanging(error) || attempt + 1 >= attempts) throw error
          await sleep(clock, waitMs[attempt] ?? quietMs, signal)
        }
      }
    } catch (error) {
      if (!protects("folder-error-is-not-empty")) return nothing
      return { kind: "unreadable", issues: [toIssue(error, path)] }
    }
  }

  async #attempt(options: ScanOptions): Promise<SourceSnapshot> {
    const before = await settledScan(options)
    if (before.issues.length > 0) return invalid(before.issues)
    const good = this.#good
    const same = good !== undefined && sameTree(good.scan, before, statText)
    if (same && this.#cache.isSettled(before)) return good.snapshot
    const replaced = findReplaced(good?.scan, before)
    if (replaced !== undefined && protects("replaced-folder-is-doubt")) {
      throw sourceFault("SPT-SOURCE-035", { path: join(options.path, replaced) })
    }
    const bytes = [...before.files.values()].reduce((sum, stat) => sum + stat.size, 0)
    const limits = this.#options.limits ?? manifestLimits
    if (bytes > limits.sourceBytes) {
      return invalid([sourceIssue("SPT-SOURCE-002", { bytes, limit: limits.sourceBytes })])
    }
    const contents = await this.#cache.readAll(before, options.signal)
    const after = await scanTree(options)
    if (!sameTree(before, after, statText) && protects("folder-stands-still")) {
      throw sourceFault("SPT-SOURCE-034", { path: options.path })
    }
    this.#cache.forgetOthers(before)
    const read = contents.map((content) => content.read)
    const joined = joinFiles(read, this.#options)
    if ("issues" in joined) return invalid(joined.issues)
    const lines = contents.map((content) => `${content.name}\0${content.hash}\n`)
    const revision = sha256(lines.join(""))
    const kept = good?.snapshot.revision === revision ? good.snapshot : undefined
    const { manifests } = joined
    const snapshot: Complete = kept ?? { kind: "complete", revision, manifests }
    this.#good = { scan: before, snapshot }
    return snapshot
  }
}

/** Scans; when something changed a moment ago, waits and demands a second, equal look. */
async function settledScan(options: ScanOptions): Promise<TreeScan> {
  const first = await scanTree(options)
  const age = options.clock.now() - first.changedAt
  if (age >= quietMs) return first
  await sleep(options.clock, quietMs, options.signal)
  stopWhenAborted(options)
  const second = await scanTree(options)
  if (sameTree(first, second, statText)) return second
  throw sourceFault("SPT-SOURCE-034", { path: options.path })
}

/** A folder that held manifests, is another folder now, and holds none: most likely unmounted. */
function findReplaced(last: TreeScan | undefined, now: TreeScan): string | undefined {
  if (last === undefined) return undefined
  for (const [folder, identity] of now.folders) {
    const before = last.folders.get(folder)
    if (before === undefined || before === identity) continue
    if (holdsFiles(last, folder) && !holdsFiles(now, folder)) return folder
  }
  return undefined
}

function holdsFiles(scan: TreeScan, folder: string): boolean {
  if (folder === "") return scan.files.size > 0
  for (const path of scan.files.keys()) if (path.startsWith(`${folder}/`)) return true
  return false
}

/** What a failed read must never look like. */
const nothing: SourceSnapshot = { kind: "complete", revision: "nothing", manifests: [] }

function invalid(issues: readonly SourceIssue[]): SourceSnapshot {
  return { kind: "invalid", issues: boundIssues(issues, manifestLimits.issues) }
}

function join(path: string, relative: string): string {
  return relative === "" ? path : `${path}/${relative}`
}

/** A missing folder, a refused one and a broken disk each say what they are. */
function toIssue(error: unknown, path: string): SourceIssue {
  const fault = toFault(error)
  if (fault.code.startsWith("SPT-SOURCE-")) {
    return { code: fault.code, message: fault.message, hint: fault.hint }
  }
  const where = fault.details.path ?? path
  const errno = fault.details.errno ?? fault.message
  if (errno === "EACCES" || errno === "EPERM") {
    return sourceIssue("SPT-SOURCE-031", { path: where, errno })
  }
  if (errno === "ENOTDIR") return sourceIssue("SPT-SOURCE-032", { path: where })
  return sourceIssue("SPT-SOURCE-036", { path: where, errno })
}
