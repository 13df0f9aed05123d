// A git repository as a source: fetch, resolve, verify, descend, read; in this order, and at the
// first doubt it answers why instead. The last revision that the loop took, which the ledger keeps,
// is what a new one must descend from. It polls by the clock; a hint only makes that earlier.

import { KeyedLock } from "../../base/async.ts"
import type { Clock, Timer } from "../../base/clock.ts"
import { type Fault, isFault } from "../../base/faults.ts"
import { protects } from "../../base/protections.ts"
import type { Random } from "../../base/random.ts"
import {
  type GitAddress,
  type GitSourceSpec,
  gitAddress,
  gitPathProblem,
  gitRefNameProblem,
  gitRefText,
  isCommitId,
} from "../../contract/git-source.ts"
import type { Source, SourceIssue, SourceSnapshot, TakenRevision } from "../../contract/source.ts"
import type { Closeable } from "../../contract/world.ts"
import type { ApiObject } from "../../object/object.ts"
import { boundIssues } from "../manifests/issue.ts"
import { manifestLimits } from "../manifests/limits.ts"
import { joinFiles } from "../manifests/read-manifests.ts"
import { type FolderFile, readLayers } from "../overlay/read-layers.ts"
import { CommitTree, type FolderRead } from "./commit-tree.ts"
import { gitFault } from "./faults.ts"
import { type GitCopies, unwantedMs } from "./git-copies.ts"
import type { Fetched, GitCopy } from "./git-copy.ts"
import { readCredentials } from "./git-credentials.ts"
import { gitIssue, issueOf } from "./git-issue.ts"
import { type Candidate, describeCommit, judgeHistory, resolveRef } from "./resolve-ref.ts"
import { readSigners, type Signers, tagName, verifySignature } from "./signatures.ts"

export interface GitLoopFacts {
  /** Decoded values by name; undefined when there is no such object in the loop's namespace. */
  values(
    kind: "Secret" | "ConfigMap",
    name: string,
  ): Promise<ReadonlyMap<string, string> | undefined>
  /** The revision that the loop took over last, also before a restart. */
  taken(): Promise<TakenRevision | undefined>
  /** The commit that a person accepted although it does not descend from the one taken now. */
  accepted(): Promise<string | undefined>
}

export interface OpenGitRequest {
  readonly spec: GitSourceSpec
  /** NAMESPACE.NAME */
  readonly loop: string
  readonly namespace: string
  readonly facts: GitLoopFacts
}

export interface GitSourceOptions extends OpenGitRequest {
  readonly copies: GitCopies
  readonly clock: Clock
  readonly random: Random
}

const retryMs = 5000
const largeMs = 3_600_000
/** Until then the copies that nobody wants any more are gone. */
const fullMs = 1.5 * unwantedMs
const jitter = 0.1

export function gitDescription({ url, path }: GitSourceSpec): string {
  return path === "" ? `git ${url}` : `git ${url} ${path}`
}

export function createGitSource(options: GitSourceOptions): Source {
  const reader = new GitReader(options)
  const lock = new KeyedLock()
  return {
    // Address and folder are what a loop keeps; another ref of them is another revision.
    description: gitDescription(options.spec),
    read: (signal) => lock.run("read", () => untilAborted(signal, reader.read())),
    readAt: (revision, signal) =>
      lock.run("read", () => untilAborted(signal, reader.readAt(revision))),
    watch: (changed) => reader.watch(changed),
    poke: () => reader.poke(),
  }
}

/** A copy is shared: who gives up waits no longer, and the others go on. */
async function untilAborted(
  signal: AbortSignal,
  answer: Promise<SourceSnapshot>,
): Promise<SourceSnapshot> {
  const cancelled = unreadable(gitFault("SPT-GIT-015", { url: "", cause: "it was called off" }))
  if (signal.aborted) return cancelled
  let stop = () => {}
  const aborted = new Promise<SourceSnapshot>((resolve) => {
    stop = () => resolve(cancelled)
    signal.addEventListener("abort", stop, { once: true })
  })
  return Promise.race([answer, aborted]).finally(() => signal.removeEventListener("abort", stop))
}

class GitReader {
  readonly #options: GitSourceOptions
  readonly #verified = new Map<string, string>()
  #copy: GitCopy | undefined
  #tree: CommitTree | undefined
  #fetched: Fetched | undefined
  #failed: Fault | undefined
  #failures = 0
  #dueAt = 0
  #poked = false
  #closed = false
  #timer: Timer | undefined
  #changed: (() => void) | undefined
  #read: { readonly key: string; readonly snapshot: SourceSnapshot } | undefined

  constructor(options: GitSourceOptions) {
    this.#options = options
  }

  watch(changed: () => void): Closeable {
    this.#changed = changed
    return {
      close: () => {
        this.#changed = undefined
        this.#timer?.cancel()
        this.#closed = true
        if (this.#copy !== undefined) this.#options.copies.release(this.#copy, this)
      },
    }
  }

  poke(): void {
    this.#poked = true
    this.#changed?.()
  }

  read(): Promise<SourceSnapshot> {
    return this.#answer(async (copy) => {
      const fetched = await this.#current(copy)
      return resolveRef(copy, this.#options.spec, fetched)
    })
  }

  /** By its id; from the network only when it is not here yet. */
  readAt(commit: string): Promise<SourceSnapshot> {
    const { spec } = this.#options
    return this.#answer(async (copy) => {
      const none = () => gitFault("SPT-GIT-013", { url: spec.url, ref: `commit ${commit}` })
      if (!isCommitId(commit)) throw none()
      const found = await copy.bring(commit, () => this.#credentials())
      if (!found) throw none()
      return { commit, name: commit.slice(0, 12) }
    })
  }

  async #answer(choose: (copy: GitCopy) => Promise<Candidate>): Promise<SourceSnapshot> {
    try {
      const copy = this.#openCopy()
      return await this.#judge(copy, await choose(copy))
    } catch (error) {
      // The copy is broken: the next read fetches it anew.
      if (isFault(error) && error.code === "SPT-GIT-038") this.#poked = true
      return isStuck(error) ? refused([issueOf(error)]) : unreadable(error)
    }
  }

  #openCopy(): GitCopy {
    const { spec, copies, namespace, clock } = this.#options
    const address = needAddress(spec)
    if (!copies.allows(address)) {
      throw gitFault("SPT-GIT-002", { url: spec.url, scheme: address.scheme })
    }
    if (this.#copy === undefined) {
      const secret = spec.secret === undefined ? "" : `${namespace}/${spec.secret}`
      this.#copy = copies.open(address, secret)
      this.#tree = new CommitTree(this.#copy, clock)
    }
    if (!this.#closed) this.#copy.want(this, spec.ref)
    return this.#copy
  }

  /** What was fetched last, or anew when it is time; a failure stands until the next time. */
  async #current(copy: GitCopy): Promise<Fetched> {
    const { clock, spec } = this.#options
    const due = this.#poked || clock.monotonic() >= this.#dueAt
    if (!due && this.#failed !== undefined) throw this.#failed
    if (!due && this.#fetched !== undefined) return this.#fetched
    const maxAgeMs = this.#poked ? 0 : spec.intervalMs / 2
    this.#poked = false
    try {
      this.#fetched = await copy.refresh(await this.#credentials(), maxAgeMs)
      this.#failed = undefined
      this.#failures = 0
      this.#nextIn(spec.intervalMs)
      return this.#fetched
    } catch (error) {
      const delay = Math.min(spec.intervalMs, retryMs * 2 ** Math.min(this.#failures++, 10))
      const code = isFault(error) ? error.code : ""
      // Nobody fetches a gigabyte every minute to see that it is still one.
      const [large, full] = [code === "SPT-GIT-016", code === "SPT-GIT-039"]
      const rest = large ? largeMs : full ? fullMs : 0
      this.#nextIn(rest > 0 ? Math.max(rest, spec.intervalMs) : delay)
      if (isFault(error)) this.#failed = error
      throw error
    }
  }

  #nextIn(ms: number): void {
    const { clock, random } = this.#options
    const delay = ms * (1 + jitter * (random.next() * 2 - 1))
    this.#dueAt = clock.monotonic() + delay
    this.#timer?.cancel()
    if (this.#changed === undefined) return
    this.#timer = clock.after(delay, () => this.#changed?.())
  }

  async #credentials() {
    const { spec, facts } = this.#options
    const values = spec.secret === undefined ? undefined : await facts.values("Secret", spec.secret)
    const read = readCredentials(needAddress(spec), spec.secret, values)
    if (isFault(read)) throw read
    return read
  }

  async #judge(copy: GitCopy, candidate: Candidate): Promise<SourceSnapshot> {
    const { spec, facts, loop } = this.#options
    const { commit } = candidate
    const refuse = (issue: SourceIssue) => refused([issue], commit)
    const signer = await this.#signer(copy, candidate)
    if (isFault(signer)) return refuse(issueOf(signer))
    const taken = await facts.taken()
    const held = await judgeHistory(copy, { candidate, taken, ref: gitRefText(spec.ref), loop })
    if (held !== undefined && !spec.allowRewrite && protects("git-history-moves-forward")) {
      if ((await facts.accepted()) !== commit) return refuse(issueOf(held))
    }
    const key = `${commit} ${candidate.name} ${signer ?? ""}`
    if (this.#read?.key === key) return this.#read.snapshot
    const read = await this.#readCommit(commit)
    const origin = await describeCommit(copy, candidate, gitRefText(spec.ref), signer)
    const snapshot = read.kind === "complete" ? { ...read, origin } : read
    this.#read = { key, snapshot }
    return snapshot
  }

  /** Undefined when nobody asks for a signature. */
  async #signer(copy: GitCopy, candidate: Candidate): Promise<string | undefined | Fault> {
    const { verify } = this.#options.spec
    if (verify === undefined || !protects("git-signature-before-tree")) return undefined
    const { kind, name } = verify.signers
    const values = await this.#options.facts.values(kind, name)
    const signers = readSigners(`${kind} ${name}`, values)
    if (isFault(signers)) throw signers
    const { commit, tag, name: ref } = candidate
    if (verify.what === "TagOrCommit" && tag !== undefined) {
      const answer = await this.#verify(copy, "tag", tag, ref, signers)
      if (!isFault(answer)) return answer
      const ofCommit = await this.#verify(copy, "commit", commit, commit.slice(0, 12), signers)
      return isFault(ofCommit) ? answer : ofCommit
    }
    return this.#verify(copy, "commit", commit, commit.slice(0, 12), signers)
  }

  async #verify(
    copy: GitCopy,
    what: "commit" | "tag",
    id: string,
    name: string,
    signers: Signers,
  ): Promise<string | Fault> {
    const key = `${id} ${name} ${signers.hash}`
    const known = this.#verified.get(key)
    if (known !== undefined) return known
    if (what === "tag") {
      const says = await tagName(copy, id)
      if (says !== name) return gitFault("SPT-GIT-025", { name, says: says ?? "nothing" })
    }
    const answer = await verifySignature(copy, { what, id, name }, signers)
    if (isFault(answer)) return answer
    this.#verified.clear()
    this.#verified.set(key, answer)
    return answer
  }

  async #readCommit(commit: string): Promise<SourceSnapshot> {
    const { spec, namespace } = this.#options
    const tree = this.#tree
    if (tree === undefined) throw gitFault("SPT-GIT-005", { what: "it", problem: "it is closed" })
    const wrong = await this.#wrongEnvironment(tree, commit)
    if (wrong !== undefined) return refused([wrong], commit)
    const { path } = spec
    const top = await tree.folder(commit, path)
    if (top.kind === "missing") {
      return refused([gitIssue("SPT-GIT-030", { path, commit: commit.slice(0, 12) })], commit)
    }
    const layers = await readLayers({
      ...{ top: path, hasRoot: true },
      read: async (folder) => filesOf(folder === path ? top : await tree.folder(commit, folder)),
    })
    tree.settle()
    const joined = joinFiles(layers.files, { namespace })
    if ("issues" in joined) return refused(joined.issues, commit)
    const governing = joined.manifests.filter((one) => this.#governs(one.object))
    if (governing.length > 0) {
      const issues = governing.map(({ object, position }) =>
        gitIssue("SPT-GIT-037", { kind: object.kind, name: object.metadata.name }, position),
      )
      return refused(issues, commit)
    }
    return { kind: "complete", revision: commit, manifests: joined.manifests }
  }

  async #wrongEnvironment(tree: CommitTree, commit: string): Promise<SourceIssue | undefined> {
    const { environment: wanted, path } = this.#options.spec
    if (wanted === undefined || !protects("git-environment-is-asked")) return undefined
    const found = await tree.environment(commit, path)
    const short = commit.slice(0, 12)
    if (found === undefined) return gitIssue("SPT-GIT-033", { commit: short, wanted })
    const { file, says } = found
    if (says === wanted) return undefined
    return gitIssue("SPT-GIT-032", { commit: short, wanted, file, says })
  }

  /** Whose signatures count, and how the plane gets in, is not the repository's to say. */
  #governs({ apiVersion, kind, metadata }: ApiObject): boolean {
    const { spec, namespace } = this.#options
    if (apiVersion !== "v1" || (metadata.namespace ?? namespace) !== namespace) return false
    const { verify, secret, webhookSecret } = spec
    if (kind === "Secret" && [secret, webhookSecret].includes(metadata.name)) return true
    return verify?.signers.kind === kind && verify.signers.name === metadata.name
  }
}

/** Everything is asked again: a Loop may have been stored before the rules were these. */
function needAddress({ url, ref, path }: GitSourceSpec): GitAddress {
  const address = gitAddress(url)
  if ("problem" in address) throw gitFault("SPT-GIT-001", { problem: address.problem })
  const name = "branch" in ref ? ref.branch : "tag" in ref ? ref.tag : undefined
  const problem = name === undefined ? undefined : gitRefNameProblem(name)
  if (problem !== undefined) throw gitFault("SPT-GIT-005", { what: "the ref", problem })
  const climbs = gitPathProblem(path)
  if (climbs !== undefined) throw gitFault("SPT-GIT-005", { what: "the folder", problem: climbs })
  return address
}

/** What is wrong with a folder goes the way of what is wrong with a file. */
function filesOf(folder: FolderRead): readonly FolderFile[] | undefined {
  if (folder.kind === "missing") return undefined
  if (folder.kind === "files") return folder.files
  return [{ name: "", read: { manifests: [], issues: folder.issues } }]
}

const isStuck = (error: unknown): boolean => isFault(error) && error.fault === "stuck"

function refused(issues: readonly SourceIssue[], revision?: string): SourceSnapshot {
  const bounded = boundIssues(issues, manifestLimits.issues)
  return { kind: "invalid", issues: bounded, ...(revision === undefined ? {} : { revision }) }
}

function unreadable(error: unknown): SourceSnapshot {
  if (!protects("git-error-is-not-empty")) {
    return { kind: "complete", revision: "nothing", manifests: [] }
  }
  return { kind: "unreadable", issues: [issueOf(error)] }
}
