// One commit of a copy, read by blob: a folder's manifests, each parsed once for as long as its
// content stays, and the word that says which environment it is for. There is no work tree.

import { type Clock, sleep } from "../../base/clock.ts"
import type { SourceIssue } from "../../contract/source.ts"
import { sourceIssue } from "../manifests/issue.ts"
import { type ManifestLimits, manifestLimits } from "../manifests/limits.ts"
import { type ReadFile, readFile } from "../manifests/read-file.ts"
import type { FolderFile } from "../overlay/read-layers.ts"
import { gitFault } from "./faults.ts"
import type { GitCopy } from "./git-copy.ts"
import { gitIssue } from "./git-issue.ts"
import { checkEntries, parseEntries, type TreeEntry } from "./tree-entries.ts"

export type FolderRead =
  | { readonly kind: "files"; readonly files: readonly FolderFile[] }
  | { readonly kind: "issues"; readonly issues: readonly SourceIssue[] }
  | { readonly kind: "missing" }

const filesPerStep = 32
const bytesPerBatch = 8 * 1024 * 1024
const environmentFile = ".setpoint/environment"
const environmentBytesMax = 1000

interface Parsed {
  readonly id: string
  readonly read: ReadFile
}

export class CommitTree {
  readonly #copy: GitCopy
  readonly #clock: Clock
  readonly #limits: ManifestLimits
  #parsed = new Map<string, Parsed>()
  #used = new Map<string, Parsed>()

  constructor(copy: GitCopy, clock: Clock, limits: ManifestLimits = manifestLimits) {
    this.#copy = copy
    this.#clock = clock
    this.#limits = limits
  }

  /** All manifests of a folder, or everything that is wrong with it. */
  async folder(commit: string, path: string): Promise<FolderRead> {
    const top = await this.#top(commit, path)
    if (top === undefined) return { kind: "missing" }
    if ("issue" in top) return { kind: "issues", issues: [top.issue] }
    const listed = await this.#copy.read(["ls-tree", "-r", "-z", "--long", top.id])
    const entries = parseEntries(listed, path)
    if (entries === undefined) throw this.#strange("ls-tree")
    const { files, issues } = checkEntries(entries, path)
    const all = [...issues, ...this.#sizeIssues(files)]
    if (all.length > 0) return { kind: "issues", issues: all }
    return { kind: "files", files: await this.#readAll(files, path) }
  }

  /** What no folder since the last time had is forgotten. */
  settle(): void {
    this.#parsed = this.#used
    this.#used = new Map()
  }

  /** What the nearest file says: of the folder, else of the root. Undefined when there is none. */
  async environment(
    commit: string,
    path: string,
  ): Promise<{ readonly file: string; readonly says: string } | undefined> {
    const places = [...(path === "" ? [] : [`${path}/${environmentFile}`]), environmentFile]
    const listed = await this.#copy.read(["ls-tree", "-z", "--long", commit, "--", ...places])
    const entries = parseEntries(listed, "") ?? []
    const found = places.flatMap((place) => entries.filter((one) => one.path === place))[0]
    if (found === undefined) return undefined
    const plain = found.mode.startsWith("100") && found.size <= environmentBytesMax
    if (!plain) return { file: found.path, says: "something that is not one word" }
    const [content = new Uint8Array()] = await this.#blobs([found])
    const says = Buffer.from(content).toString("utf8").trim()
    return { file: found.path, says: /^[\w.-]{1,63}$/.test(says) ? says : "more than one word" }
  }

  async #top(
    commit: string,
    path: string,
  ): Promise<{ readonly id: string } | { readonly issue: SourceIssue } | undefined> {
    if (path === "") return { id: `${commit}^{tree}` }
    const listed = await this.#copy.read(["ls-tree", "-z", "--long", commit, "--", path])
    const [found] = parseEntries(listed, "") ?? []
    if (found === undefined) return undefined
    if (found.type === "tree") return { id: found.id }
    return { issue: gitIssue("SPT-GIT-031", { path, commit: commit.slice(0, 12) }) }
  }

  #sizeIssues(files: readonly TreeEntry[]): SourceIssue[] {
    const { fileBytes, sourceBytes, documents } = this.#limits
    const large = files.filter(({ size }) => size > fileBytes)
    const issues = large.map(({ path, size }) =>
      sourceIssue(
        "SPT-SOURCE-001",
        { file: path, bytes: size, limit: fileBytes },
        { file: path, line: 1, column: 1 },
      ),
    )
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if (bytes > sourceBytes) {
      issues.push(sourceIssue("SPT-SOURCE-002", { bytes, limit: sourceBytes }))
    }
    if (files.length > documents) {
      issues.push(sourceIssue("SPT-SOURCE-003", { limit: documents, what: "files" }))
    }
    return issues
  }

  async #readAll(files: readonly TreeEntry[], below: string): Promise<FolderFile[]> {
    const known = this.#parsed
    const missing = files.filter(({ path, id }) => known.get(path)?.id !== id)
    const fresh = new Map<string, ReadFile>()
    for (const batch of batches(missing)) {
      const contents = await this.#blobs(batch)
      for (const [at, { path }] of batch.entries()) {
        // Parsing holds the thread: let others run after every few files.
        if (at % filesPerStep === filesPerStep - 1) await sleep(this.#clock, 0)
        fresh.set(path, parse(path, contents[at] ?? new Uint8Array(), this.#limits))
      }
    }
    return files.map(({ path, id }) => {
      const read = fresh.get(path) ?? known.get(path)?.read ?? { manifests: [], issues: [] }
      this.#used.set(path, { id, read })
      return { name: below === "" ? path : path.slice(below.length + 1), read }
    })
  }

  async #blobs(entries: readonly TreeEntry[]): Promise<Uint8Array[]> {
    if (entries.length === 0) return []
    const input = `${entries.map(({ id }) => id).join("\n")}\n`
    const output = Buffer.from(await this.#copy.read(["cat-file", "--batch"], input))
    const contents: Uint8Array[] = []
    let at = 0
    for (const { id } of entries) {
      const end = output.indexOf(10, at)
      const [found, type, size] = output
        .subarray(at, Math.max(at, end))
        .toString("latin1")
        .split(" ")
      const length = Number(size)
      const whole = end >= 0 && found === id && type === "blob" && end + length < output.length
      if (!whole) throw this.#strange("cat-file")
      contents.push(output.subarray(end + 1, end + 1 + length))
      at = end + 1 + length + 1
    }
    return contents
  }

  #strange(call: string) {
    const cause = `git ${call} answered with something else`
    return gitFault("SPT-GIT-038", { url: this.#copy.url, cause })
  }
}

function* batches(entries: readonly TreeEntry[]): Iterable<TreeEntry[]> {
  let [batch, bytes]: [TreeEntry[], number] = [[], 0]
  for (const entry of entries) {
    if (bytes + entry.size > bytesPerBatch && batch.length > 0) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    batch.push(entry)
    bytes += entry.size
  }
  if (batch.length > 0) yield batch
}

function parse(path: string, content: Uint8Array, limits: ManifestLimits): ReadFile {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content)
    return readFile({ path, text }, limits)
  } catch {
    const position = { file: path, line: 1, column: 1 }
    const issue = sourceIssue("SPT-SOURCE-016", { file: path, cause: "bad bytes" }, position)
    return { manifests: [], issues: [issue] }
  }
}
