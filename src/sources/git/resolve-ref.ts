// From what was fetched to the one commit that a loop follows, and whether it comes after the one
// that was taken last. A branch or tag moves forward along its history; a range moves to higher
// versions. Whoever changes the ref of the Loop has decided already.

import type { Fault } from "../../base/faults.ts"
import { compareVersions, parseVersion } from "../../base/semver.ts"
import { type GitSourceSpec, gitRefText } from "../../contract/git-source.ts"
import type { RevisionOrigin, TakenRevision } from "../../contract/source.ts"
import { gitFault } from "./faults.ts"
import type { Fetched, GitCopy } from "./git-copy.ts"
import { highestTag } from "./remote-refs.ts"
import { oneLine } from "./what-went-wrong.ts"

export interface Candidate {
  readonly commit: string
  /** "main", "v1.4.2", or the commit's own id. */
  readonly name: string
  /** Id of the tag, where it is an object of its own. */
  readonly tag?: string
}

export async function resolveRef(
  copy: GitCopy,
  { url, ref }: GitSourceSpec,
  fetched: Fetched,
): Promise<Candidate> {
  const none = () => gitFault("SPT-GIT-013", { url, ref: gitRefText(ref) })
  if ("commit" in ref) {
    const commit = fetched.missing.has(ref.commit) ? undefined : await copy.peel(ref.commit)
    if (commit !== ref.commit) throw none()
    return { commit, name: commit.slice(0, 12) }
  }
  if ("branch" in ref) {
    const id = fetched.refs.get(`refs/heads/${ref.branch}`)
    const commit = id === undefined ? undefined : await copy.peel(id)
    if (commit === undefined) throw none()
    return { commit, name: ref.branch }
  }
  const name = "tag" in ref ? ref.tag : highestTag(fetched.refs.keys(), ref.semver)
  if (name === undefined) throw gitFault("SPT-GIT-014", { url, ref: gitRefText(ref) })
  const id = fetched.refs.get(`refs/tags/${name}`)
  const commit = id === undefined ? undefined : await copy.peel(id)
  if (commit === undefined) throw none()
  return { commit, name, ...(id === undefined || id === commit ? {} : { tag: id }) }
}

export interface HistoryFacts {
  readonly candidate: Candidate
  readonly taken: TakenRevision | undefined
  /** What the loop follows now. */
  readonly ref: string
  readonly loop: string
}

/** Why it does not simply follow what was taken; undefined when it does. */
export async function judgeHistory(
  copy: GitCopy,
  { candidate, taken, ref, loop }: HistoryFacts,
): Promise<Fault | undefined> {
  const { commit, name } = candidate
  if (taken?.origin === undefined || taken.revision === commit) return undefined
  // Another ref than the one that was followed: a person changed the Loop.
  if (taken.origin.ref !== ref || ref.startsWith("commit ")) return undefined
  const [now, before] = [parseVersion(name), parseVersion(taken.origin.name)]
  const ranged = ref.startsWith("semver ") && taken.origin.name !== name
  if (ranged && now !== undefined && before !== undefined) {
    if (compareVersions(now, before) > 0) return undefined
    return gitFault("SPT-GIT-021", { before: taken.origin.name, name, loop, commit })
  }
  if (await copy.descends(commit, taken.revision)) return undefined
  return gitFault("SPT-GIT-020", { commit, ref, taken: taken.revision.slice(0, 12), loop })
}

const subjectMax = 200

export async function describeCommit(
  copy: GitCopy,
  { commit, name }: Candidate,
  ref: string,
  signer: string | undefined,
): Promise<RevisionOrigin> {
  const format = "--format=%cI%x00%an%x00%s"
  const output = await copy.read(["log", "-1", "--no-show-signature", format, commit])
  const [time = "", author = "", subject = ""] = Buffer.from(output).toString("utf8").split("\0")
  const short = (text: string) => oneLine(text).slice(0, subjectMax)
  return {
    ...{ ref, name, subject: short(subject), author: short(author), time: oneLine(time) },
    ...(signer === undefined ? {} : { signer }),
  }
}
