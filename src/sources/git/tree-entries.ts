// What a folder of a commit holds, as git lists it, and what is wrong with it: symlinks,
// submodules, names that climb, hide or can be mistaken for one another. What is refused fails the
// whole revision; nothing is left out but hidden names. Pure.

import { protects } from "../../base/protections.ts"
import type { SourceIssue } from "../../contract/source.ts"
import { isIgnoredName, isManifestName } from "../directory/source-files.ts"
import { gitIssue } from "./git-issue.ts"

export interface TreeEntry {
  readonly mode: string
  readonly type: string
  readonly id: string
  readonly size: number
  /** From the root of the tree. */
  readonly path: string
}

const entry = /^([0-7]{6}) (blob|tree|commit) ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s

/** The output of `ls-tree -z --long`; undefined when it is not that. Bad bytes make a bad name. */
export function parseEntries(output: Uint8Array, below: string): TreeEntry[] | undefined {
  const entries: TreeEntry[] = []
  const text = Buffer.from(output).toString("utf8")
  for (const line of text.split("\0")) {
    if (line === "") continue
    const match = entry.exec(line)
    if (match === null) return undefined
    const [, mode = "", type = "", id = "", size = "", name = ""] = match
    const path = below === "" ? name : `${below}/${name}`
    entries.push({ mode, type, id, size: Number(size) || 0, path })
  }
  return entries
}

export interface CheckedTree {
  /** Manifests, sorted by path. */
  readonly files: readonly TreeEntry[]
  readonly issues: readonly SourceIssue[]
}

/** `below` is the loop's folder; what is hidden under it does not count. */
export function checkEntries(entries: readonly TreeEntry[], below: string): CheckedTree {
  const files: TreeEntry[] = []
  const issues: SourceIssue[] = []
  const folded = new Map<string, string>()
  for (const one of entries) {
    const inner = below === "" ? one.path : one.path.slice(below.length + 1)
    const parts = inner.split("/")
    const problem = nameProblem(inner, parts)
    if (problem !== undefined) {
      issues.push(issueAt("SPT-GIT-035", one.path, { problem }))
      continue
    }
    if (parts.some(isIgnoredName)) continue
    issues.push(...collisions(parts, below, folded))
    const strange = strangeMode(one.mode)
    if (strange !== undefined && protects("git-follows-nothing")) {
      issues.push(issueAt("SPT-GIT-034", one.path, { what: strange }))
    } else if (isManifestName(inner)) files.push(one)
  }
  files.sort((left, right) => (left.path < right.path ? -1 : 1))
  return { files, issues }
}

function nameProblem(path: string, parts: readonly string[]): string | undefined {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return "it has control characters"
  if (/\p{Bidi_Control}/u.test(path)) return "it has characters that turn the direction of text"
  if (path.includes("\ufffd")) return "it is not UTF-8"
  if (path.includes("\\")) return "it has a backslash"
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "it climbs"
  if (parts.some((part) => part.length > 255) || path.length > 4000) return "it is too long"
  return undefined
}

/** The same text for names that some disk takes for one. */
const foldName = (text: string) => text.normalize("NFKC").toLowerCase().normalize("NFKC")

function collisions(
  parts: readonly string[],
  below: string,
  folded: Map<string, string>,
): SourceIssue[] {
  for (let count = 1; count <= parts.length; count++) {
    const path = [...(below === "" ? [] : [below]), ...parts.slice(0, count)].join("/")
    const key = foldName(path)
    const known = folded.get(key)
    if (known === undefined) folded.set(key, path)
    else if (known !== path) {
      return [issueAt("SPT-GIT-036", path, { first: shown(known), second: shown(path) })]
    }
  }
  return []
}

function strangeMode(mode: string): string | undefined {
  if (mode === "100644" || mode === "100755" || mode === "100664") return undefined
  if (mode === "120000") return "symlink"
  return mode === "160000" ? "submodule" : `thing of mode ${mode}`
}

/** A name that could act on a terminal is shown with its escapes. */
const shown = (path: string) => JSON.stringify(path.slice(0, 300)).slice(1, -1)

function issueAt(
  code: "SPT-GIT-034" | "SPT-GIT-035" | "SPT-GIT-036",
  path: string,
  details: Readonly<Record<string, string>>,
): SourceIssue {
  const file = shown(path)
  return gitIssue(code, { path: file, ...details }, { file, line: 1, column: 1 })
}
