// What a server's list of refs says: names and ids, each looked at as something that anybody could
// have written. Pure.

import { compareVersions, parseRange, parseVersion, type Version } from "../../base/semver.ts"
import { type GitRef, gitRefNameProblem, isCommitId } from "../../contract/git-source.ts"

/** Patterns for `ls-remote`: exact names, and all tags where a range chooses among them. */
export function wantedNames(wanted: readonly GitRef[]): string[] {
  const names = wanted.flatMap((ref) => {
    if ("branch" in ref) return [`refs/heads/${ref.branch}`]
    if ("tag" in ref) return [`refs/tags/${ref.tag}`]
    return "semver" in ref ? ["refs/tags/*"] : []
  })
  return [...new Set(names)]
}

/** Lines of ID, a tab and a name. Names that git itself would not allow are not there for us. */
export function parseRefs(text: string, wanted: readonly string[]): Map<string, string> {
  const exact = new Set(wanted)
  const allTags = exact.has("refs/tags/*")
  const refs = new Map<string, string>()
  for (const line of text.split("\n")) {
    const [id = "", name = "", ...rest] = line.split("\t")
    if (!isCommitId(id) || rest.length > 0 || name.endsWith("^{}")) continue
    // ls-remote compares the ends of names: `x/refs/heads/main` would come for `refs/heads/main`.
    const asked = exact.has(name) || (allTags && name.startsWith("refs/tags/"))
    const short = name.replace(/^refs\/(heads|tags)\//, "")
    if (asked && gitRefNameProblem(short) === undefined) refs.set(name, id)
  }
  return refs
}

/** The highest version within the range among full names of tags; without `refs/tags/`. */
export function highestTag(names: Iterable<string>, range: string): string | undefined {
  const within = parseRange(range)
  if (within === undefined) return undefined
  let best: { readonly tag: string; readonly version: Version } | undefined
  for (const name of names) {
    if (!name.startsWith("refs/tags/")) continue
    const tag = name.slice("refs/tags/".length)
    const version = parseVersion(tag)
    if (version === undefined || !within(version)) continue
    const order = best === undefined ? 1 : compareVersions(version, best.version)
    // Two names of one version ("1.2.0", "v1.2.0"): the same one every time.
    if (order > 0 || (order === 0 && best !== undefined && tag < best.tag)) best = { tag, version }
  }
  return best?.tag
}

/** Under which name a copy keeps it. */
export const localName = (name: string) => name.replace(/^refs\//, "refs/setpoint/")

/** What a ref asks for, of what the server has. */
export function chosenNames(ref: GitRef, remote: ReadonlyMap<string, string>): string[] {
  if ("branch" in ref) return [`refs/heads/${ref.branch}`]
  if ("tag" in ref) return [`refs/tags/${ref.tag}`]
  const tag = "semver" in ref ? highestTag(remote.keys(), ref.semver) : undefined
  return tag === undefined ? [] : [`refs/tags/${tag}`]
}
