// One attempt to read the folder of a loop and the bases that its overlay leads to, as they all
// stood at one moment: each is looked at before and after its files are read. Remembers the last
// good look, so that nothing is read again while nothing changed. Never answers with a part.

import { type Clock, sleep } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import { protects } from "../../base/protections.ts"
import type { SourceIssue, SourceSnapshot } from "../../contract/source.ts"
import { sourceFault } from "../faults.ts"
import { boundIssues, sourceIssue } from "../manifests/issue.ts"
import { type ManifestLimits, manifestLimits } from "../manifests/limits.ts"
import { joinFiles, type ManifestOptions } from "../manifests/read-manifests.ts"
import { folderWithin } from "../overlay/base-path.ts"
import { type FolderFile, readLayers } from "../overlay/read-layers.ts"
import { FileCache } from "./file-cache.ts"
import { sameTree, scanTree, stopWhenAborted, type TreeScan } from "./scan-tree.ts"
import { folderLabel, type SourceFiles, statText } from "./source-files.ts"

export interface DirectorySourceOptions extends ManifestOptions {
  readonly path: string
  /** Bases of overlays may lie here besides; the folder itself lies in it. */
  readonly root?: string
  readonly files: SourceFiles
  readonly clock: Clock
}

/** A change younger than this may be half of a save: editors truncate, rename and write again. */
export const quietMs = 50

type Complete = Extract<SourceSnapshot, { kind: "complete" }>
type Scans = ReadonlyMap<string, TreeScan>

interface Good {
  readonly scans: Scans
  readonly snapshot: Complete
}

/** What one attempt has seen so far. */
interface Pass {
  readonly signal: AbortSignal
  readonly looks: Map<string, TreeScan>
  readonly read: Set<string>
  readonly issues: SourceIssue[]
  readonly lines: string[]
  bytes: number
}

export class TreeReader {
  readonly #options: DirectorySourceOptions
  readonly #limits: ManifestLimits
  readonly #caches = new Map<string, FileCache>()
  /** Relative to the root; undefined when the folder does not lie in it. */
  readonly #top: string | undefined
  #good: Good | undefined
  #tried: readonly string[] = []

  constructor(options: DirectorySourceOptions) {
    const { path, root, limits = manifestLimits } = options
    this.#options = options
    this.#limits = limits
    this.#top = root === undefined ? "" : folderWithin(root, path)
  }

  /** Every folder whose change may change the answer. */
  get paths(): ReadonlySet<string> {
    const folders = new Set([this.#top ?? "", ...this.#tried, ...(this.#good?.scans.keys() ?? [])])
    return new Set([...folders].map((folder) => this.#path(folder)))
  }

  async attempt(signal: AbortSignal): Promise<SourceSnapshot> {
    const { path, root = "" } = this.#options
    const top = this.#top
    if (top === undefined) return invalid([sourceIssue("SPT-SOURCE-039", { path, root })])
    const looks = new Map<string, TreeScan>()
    const pass: Pass = { signal, looks, read: new Set(), issues: [], lines: [], bytes: 0 }
    const kept = await this.#unchanged({ ...pass, issues: [] })
    if (kept !== undefined) return kept
    const { files } = await readLayers({
      ...{ top, hasRoot: this.#options.root !== undefined, limits: this.#limits },
      read: (folder) => this.#folder(folder, pass),
    })
    this.#tried = [...pass.read]
    if (pass.issues.length > 0) return invalid(pass.issues)
    await this.#standsStill(pass)
    const joined = joinFiles(files, this.#options)
    if ("issues" in joined) return invalid(joined.issues)
    const revision = sha256(pass.lines.join(""))
    const known = this.#good?.snapshot
    const same = known?.revision === revision ? known : undefined
    const snapshot: Complete = same ?? { kind: "complete", revision, ...joined }
    const scans = new Map([...pass.looks].filter(([folder]) => pass.read.has(folder)))
    this.#good = { scans, snapshot }
    for (const folder of this.#caches.keys()) if (!scans.has(folder)) this.#caches.delete(folder)
    return snapshot
  }

  /** The last good answer, when not one file of any of its folders is another one. */
  async #unchanged(pass: Pass): Promise<Complete | undefined> {
    const good = this.#good
    if (good === undefined) return undefined
    for (const [folder, before] of good.scans) {
      // A base may have gone together with the overlay that named it.
      if (folder !== this.#top && !(await this.#exists(folder, pass))) return undefined
      const now = await this.#look(folder, pass)
      const settled = now.issues.length === 0 && this.#cache(folder).isSettled(now)
      if (!settled || !sameTree(before, now, statText)) return undefined
    }
    return good.snapshot
  }

  async #folder(folder: string, pass: Pass): Promise<readonly FolderFile[] | undefined> {
    if (folder !== this.#top && !(await this.#exists(folder, pass))) return undefined
    const scan = await this.#look(folder, pass)
    pass.read.add(folder)
    pass.issues.push(...scan.issues)
    const replaced = findReplaced(this.#good?.scans.get(folder), scan)
    if (replaced !== undefined && protects("replaced-folder-is-doubt")) {
      throw sourceFault("SPT-SOURCE-035", { path: join(this.#path(folder), replaced) })
    }
    for (const stat of scan.files.values()) pass.bytes += stat.size
    const { bytes, issues } = pass
    const limit = this.#limits.sourceBytes
    if (bytes > limit) issues.push(sourceIssue("SPT-SOURCE-002", { bytes, limit }))
    if (issues.length > 0) return []
    const cache = this.#cache(folder)
    const contents = await cache.readAll(scan, pass.signal)
    cache.forgetOthers(scan)
    if (pass.read.size > 1) pass.lines.push(`${folder}\0\n`)
    pass.lines.push(...contents.map((content) => `${content.name}\0${content.hash}\n`))
    return contents
  }

  /** Whether a base is there; it and every folder above it, up to the root, is no symlink. */
  async #exists(folder: string, pass: Pass): Promise<boolean> {
    const { files, root = "" } = this.#options
    const parts = folder === "" ? [] : folder.split("/")
    for (const index of parts.keys()) {
      const path = join(root, parts.slice(0, index + 1).join("/"))
      const stat = await files.lstat(path)
      if (stat?.type === "directory") continue
      if (stat?.type === "symlink") {
        pass.issues.push(sourceIssue("SPT-SOURCE-033", { path, type: stat.type }))
      }
      return false
    }
    return true
  }

  /** Scans; when something changed a moment ago, waits and demands a second, equal look. */
  async #look(folder: string, { looks, signal }: Pass): Promise<TreeScan> {
    const known = looks.get(folder)
    if (known !== undefined) return known
    const { clock } = this.#options
    const options = { ...this.#options, path: this.#path(folder), signal }
    const first = await scanTree(options)
    if (clock.now() - first.changedAt >= quietMs) {
      looks.set(folder, first)
      return first
    }
    await sleep(clock, quietMs, signal)
    stopWhenAborted(options)
    const second = await scanTree(options)
    if (!sameTree(first, second, statText)) {
      throw sourceFault("SPT-SOURCE-034", { path: options.path })
    }
    looks.set(folder, second)
    return second
  }

  async #standsStill({ looks, read, signal }: Pass): Promise<void> {
    for (const folder of read) {
      const before = looks.get(folder)
      const path = this.#path(folder)
      const after = await scanTree({ ...this.#options, path, signal })
      const same = before !== undefined && sameTree(before, after, statText)
      if (!same && protects("folder-stands-still")) throw sourceFault("SPT-SOURCE-034", { path })
    }
  }

  #path(folder: string): string {
    const { path, root } = this.#options
    return root === undefined || folder === this.#top ? path : join(root, folder)
  }

  #cache(folder: string): FileCache {
    const { files, clock, root } = this.#options
    const known = this.#caches.get(folder)
    if (known !== undefined) return known
    const path = this.#path(folder)
    const label = root === undefined || folder === "" ? folderLabel(path) : folder
    const cache = new FileCache({ path, label, files, clock, limits: this.#limits })
    this.#caches.set(folder, cache)
    return cache
  }
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

function invalid(issues: readonly SourceIssue[]): SourceSnapshot {
  return { kind: "invalid", issues: boundIssues(issues, manifestLimits.issues) }
}

function join(path: string, relative: string): string {
  return relative === "" ? path : `${path}/${relative}`
}
