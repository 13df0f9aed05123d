// One look at the whole folder: which manifest files there are, with their stats. It either sees
// everything or throws; an entry that can't be read is never left out.

import { type Clock, sleep } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import { protects } from "../../base/protections.ts"
import type { SourceIssue } from "../../contract/source.ts"
import type { FileStat } from "../../contract/world.ts"
import { sourceFault } from "../faults.ts"
import { sourceIssue } from "../manifests/issue.ts"
import { manifestLimits } from "../manifests/limits.ts"
import {
  folderLabel,
  identityText,
  isIgnoredName,
  isManifestName,
  type SourceFiles,
} from "./source-files.ts"

export interface TreeScan {
  /** Manifest files by path relative to the folder, sorted. */
  readonly files: ReadonlyMap<string, FileStat>
  /** Folders by relative path ("" is the top) with their device and inode. */
  readonly folders: ReadonlyMap<string, string>
  /** Entries that may not be there at all: symlinks, pipes, sockets. */
  readonly issues: readonly SourceIssue[]
  /** The latest change of any file or folder, in milliseconds since 1970. */
  readonly changedAt: number
}

export interface ScanOptions {
  readonly files: SourceFiles
  readonly clock: Clock
  readonly path: string
  readonly signal: AbortSignal
  /** Looks at the folders alone, for whoever only wants to watch them. */
  readonly foldersOnly?: boolean
}

const foldersMax = 10_000
const foldersDeepMax = 32
const statsPerStep = 500

export async function scanTree(options: ScanOptions): Promise<TreeScan> {
  const { files, path } = options
  const found: string[] = []
  const folders = new Map<string, string>()
  const issues: SourceIssue[] = []
  let changedAt = 0
  const waiting = [""]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    stopWhenAborted(options)
    // The trailing dot follows a symlink at the top, and at the top only.
    const full = folder === "" ? `${path}/.` : `${path}/${folder}`
    const stat = await present(files.lstat(full), path, folder)
    if (stat === undefined) throw vanished(path, folder)
    if (stat.type !== "directory") throw sourceFault("SPT-SOURCE-032", { path: full })
    folders.set(folder, identityText(stat))
    changedAt = Math.max(changedAt, changeTime(stat))
    if (folders.size > foldersMax || folder.split("/").length > foldersDeepMax) {
      const what = folders.size > foldersMax ? "folders" : "levels of folders"
      const limit = folders.size > foldersMax ? foldersMax : foldersDeepMax
      throw sourceFault("SPT-SOURCE-003", { limit, what })
    }
    const entries = await present(files.list(full), path, folder).catch(notListed)
    for (const entry of entries) {
      if (isIgnoredName(entry.name)) continue
      const relative = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.type === "directory") waiting.push(relative)
      else if (entry.type === "symlink" || isManifestName(entry.name)) {
        if (entry.type === "file") found.push(relative)
        else issues.push(strangeEntry(path, relative, entry.type))
      }
    }
    if (found.length > manifestLimits.documents) {
      throw sourceFault("SPT-SOURCE-003", { limit: manifestLimits.documents, what: "files" })
    }
  }
  if (options.foldersOnly === true) found.length = 0
  found.sort()
  const stats = await statAll(options, found)
  for (const stat of stats.values()) changedAt = Math.max(changedAt, changeTime(stat))
  return { files: stats, folders, issues, changedAt }
}

export function sameTree(left: TreeScan, right: TreeScan, text: (stat: FileStat) => string) {
  if (left.files.size !== right.files.size || left.folders.size !== right.folders.size) return false
  for (const [path, stat] of left.files) {
    const other = right.files.get(path)
    if (other === undefined || text(stat) !== text(other)) return false
  }
  for (const [path, identity] of left.folders) {
    if (right.folders.get(path) !== identity) return false
  }
  return true
}

async function statAll(
  options: ScanOptions,
  found: readonly string[],
): Promise<Map<string, FileStat>> {
  const stats = new Map<string, FileStat>()
  for (let from = 0; from < found.length; from += statsPerStep) {
    stopWhenAborted(options)
    // The stats are synchronous: let others run between the steps.
    if (from > 0) await sleep(options.clock, 0)
    const step = found.slice(from, from + statsPerStep)
    const results = options.files.lstatMany(step.map((name) => `${options.path}/${name}`))
    for (const [at, name] of step.entries()) {
      const stat = results[at]
      if (stat instanceof Error) throw stat
      if (stat === undefined) throw vanished(options.path, name)
      stats.set(name, stat)
    }
  }
  return stats
}

/** A folder that can't be listed fails the look: it must not pass for an empty one. */
function notListed(error: unknown): [] {
  if (protects("unlisted-folder-is-not-empty")) throw error
  return []
}

function changeTime(stat: FileStat): number {
  return Number(BigInt(stat.ctimeNs) / 1_000_000n)
}

function strangeEntry(path: string, relative: string, type: string): SourceIssue {
  const position = { file: `${folderLabel(path)}/${relative}`, line: 1, column: 1 }
  const name = type === "other" ? "special file" : type
  return sourceIssue("SPT-SOURCE-033", { path: `${path}/${relative}`, type: name }, position)
}

/** The top folder that is missing is a fact; anything below vanished while we looked. */
function vanished(path: string, relative: string) {
  if (relative === "") return sourceFault("SPT-SOURCE-030", { path })
  return sourceFault("SPT-SOURCE-034", { path: `${path}/${relative}` })
}

/** What was listed a moment ago and is gone, or is a symlink now, means: look again. */
export async function present<T>(task: Promise<T>, path: string, relative: string): Promise<T> {
  try {
    return await task
  } catch (error) {
    const errno = isFault(error) ? error.details.errno : undefined
    throw errno === "ENOENT" || errno === "ELOOP" ? vanished(path, relative) : error
  }
}

export function stopWhenAborted(options: { signal: AbortSignal; path: string }): void {
  if (options.signal.aborted) throw sourceFault("SPT-SOURCE-037", { path: options.path })
}

export function isChanging(error: unknown): boolean {
  return isFault(error) && error.code === "SPT-SOURCE-034"
}
