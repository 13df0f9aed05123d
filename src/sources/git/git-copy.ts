// One repository, copied here bare and with its history. `refresh` asks the server what its refs
// are and fetches what is new; everything else reads the copy and never goes over the network. The
// copy is a cache: what is broken or has grown too large is thrown away and fetched once more.

import { KeyedLock } from "../../base/async.ts"
import { type Fault, isFault } from "../../base/faults.ts"
import { sha256 } from "../../base/hash.ts"
import { type GitRef, isCommitId } from "../../contract/git-source.ts"
import { CopyCalls, type CopyCallsOptions } from "./copy-calls.ts"
import { gitFault } from "./faults.ts"
import type { GitCredentials, GitResult } from "./git-program.ts"
import { lockedArguments } from "./locked-git.ts"
import { chosenNames, localName, parseRefs, wantedNames } from "./remote-refs.ts"
import { mayBeCopy, oneLine, remoteFault } from "./what-went-wrong.ts"

/** What the server had when it was last asked, all of it in the copy. */
export interface Fetched {
  /** By monotonic time: when the asking began. */
  readonly at: number
  /** Ids by full name (`refs/heads/main`); of a tag the tag itself, where it is an object. */
  readonly refs: ReadonlyMap<string, string>
  readonly commits: readonly string[]
  /** Wanted commits that the server does not give away. */
  readonly missing: ReadonlySet<string>
}

/** So long a failure answers for the others that ask the same. */
const failureMs = 2000

interface Failure {
  /** By monotonic time: when the asking began. */
  readonly at: number
  /** What was asked for, and with which credentials. */
  readonly asked: string
  readonly error: unknown
}

export class GitCopy {
  readonly #options: CopyCallsOptions
  readonly #calls: CopyCalls
  readonly #lock = new KeyedLock()
  readonly #wanted = new Map<object, GitRef>()
  #fetched: Fetched | undefined
  #failure: Failure | undefined
  #wantedThen = ""
  #damaged = false
  /** Whether the last failure may be the copy's. */
  #doubted = false
  #renewed = false
  #unlocked = false
  #whole = ""
  #peeled: { readonly id: string; readonly commit: string } | undefined

  constructor(options: CopyCallsOptions) {
    this.#options = options
    this.#calls = new CopyCalls(options)
  }

  get name(): string {
    return this.#options.name
  }

  get url(): string {
    return this.#options.address.url
  }

  /** Until it is let go, every refresh brings this ref too. */
  want(who: object, ref: GitRef): void {
    this.#wanted.set(who, ref)
  }

  unwant(who: object): void {
    this.#wanted.delete(who)
  }

  get isWanted(): boolean {
    return this.#wanted.size > 0
  }

  /** Its bytes go, unless somebody wants it again by now; whoever does later fetches anew. */
  discard(): Promise<void> {
    return this.#lock.run("copy", async () => {
      if (!this.isWanted) await this.#throwAway()
    })
  }

  /** One call at a time; an answer that began at most so long ago serves for this one, too. */
  refresh(credentials: GitCredentials, maxAgeMs: number): Promise<Fetched> {
    const { clock } = this.#options
    const asked = clock.monotonic()
    return this.#lock.run("copy", async () => {
      const wants = JSON.stringify([...this.#wanted.values()])
      if (this.#damaged) await this.#throwAway()
      const same = this.#wantedThen === wants && !this.#damaged
      const known = same ? this.#fetched : undefined
      this.#damaged = false
      if (known !== undefined && known.at >= asked - maxAgeMs) return known
      const what = sha256(JSON.stringify([wants, credentials]))
      this.#needNoFailure(what, asked - Math.min(maxAgeMs, failureMs))
      const at = clock.monotonic()
      // What was good a while ago is no answer for who asks after a failure.
      this.#fetched = await this.#anew(() => this.#refresh(credentials)).catch((error) => {
        this.#fetched = undefined
        this.#failure = { at, asked: what, error }
        throw error
      })
      this.#wantedThen = wants
      this.#renewed = false
      return this.#fetched
    })
  }

  /** Many loops wait for one server that hangs: each asking by itself, the last waits for all. */
  #needNoFailure(asked: string, since: number): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure?.asked !== asked || failure.at < since) return
    this.#failure = failure
    throw failure.error
  }

  async #throwAway(): Promise<void> {
    this.#fetched = undefined
    this.#peeled = undefined
    this.#whole = ""
    await this.#options.program.remove(this.#options.name)
  }

  /**
   * What may be the fault of the copy is tried once more with a new one. A server that gives what
   * nobody can take looks the same: so once, until a fetch has worked again.
   */
  async #anew<T>(fill: () => Promise<T>): Promise<T> {
    const { program, name } = this.#options
    const known = await program.has(name)
    this.#doubted = false
    try {
      return await fill()
    } catch (error) {
      const code = isFault(error) ? error.code : ""
      const doubted = this.#doubted && known && !this.#renewed
      const large = isLarge(error)
      if (!doubted && !large && code !== "SPT-GIT-038") throw error
      this.#renewed = true
      await this.#throwAway()
      if (large && !known) throw error
      return await fill().catch(async (again) => {
        // What is too large is not kept either.
        if (isLarge(again)) await program.remove(name)
        throw again
      })
    }
  }

  async #refresh(credentials: GitCredentials): Promise<Fetched> {
    const { clock, program, name } = this.#options
    const at = clock.monotonic()
    const wanted = [...new Set(this.#wanted.values())]
    const commits = wanted.flatMap((ref) => ("commit" in ref ? [ref.commit] : []))
    const names = wantedNames(wanted)
    const remote = names.length === 0 ? new Map() : await this.#ask(names, credentials)
    const chosen = wanted.flatMap((ref) => chosenNames(ref, remote))
    const refs = new Map<string, string>()
    for (const one of new Set(chosen)) {
      const id = remote.get(one)
      if (id !== undefined) refs.set(one, id)
    }
    const before = this.#fetched
    if (before !== undefined && before.missing.size === 0 && sameText(before, refs, commits)) {
      return { ...before, at }
    }
    const [sample = commits[0]] = refs.values()
    if (sample === undefined) return { at, refs, commits, missing: new Set(commits) }
    if (!(await program.has(name))) await this.#init(sample.length)
    await this.#fetchRefs(refs, credentials)
    const missing = await this.#fetchCommits(commits, credentials)
    return { at, refs: await this.#localRefs(refs), commits, missing }
  }

  async #ask(names: readonly string[], credentials: GitCredentials): Promise<Map<string, string>> {
    const args = ["ls-remote", "--quiet", "--", this.url, ...names]
    const result = await this.#calls.ask(args, credentials)
    return parseRefs(Buffer.from(result.stdout).toString("utf8"), names)
  }

  async #init(idLength: number): Promise<void> {
    const { program, name } = this.#options
    const format = idLength === 64 ? "sha256" : "sha1"
    const how = ["--bare", "--quiet", "--template=", `--object-format=${format}`]
    await this.#local(["init", ...how, "--", program.place(name)], "", true)
  }

  async #fetchRefs(refs: ReadonlyMap<string, string>, credentials: GitCredentials): Promise<void> {
    const local = await this.#localRefs(refs)
    const news = [...refs].filter(([name, id]) => local.get(name) !== id)
    if (news.length === 0) return
    const specs = news.map(([name]) => `+${name}:${localName(name)}`)
    const result = await this.#pull(specs, credentials)
    if (result.code !== 0) throw this.#pullFault(result, credentials)
  }

  /** Each by itself: one that the server does not have must not keep the others away. */
  async #fetchCommits(
    commits: readonly string[],
    credentials: GitCredentials,
  ): Promise<Set<string>> {
    const missing = new Set<string>()
    for (const commit of new Set(commits)) {
      if (await this.hasCommit(commit)) continue
      const result = await this.#pull([`+${commit}:refs/setpoint/commits/${commit}`], credentials)
      if (result.code === 0) continue
      const unknown = /not our ref|unadvertised object|no such remote ref|couldn't find remote ref/i
      if (!unknown.test(result.stderr)) throw this.#pullFault(result, credentials)
      missing.add(commit)
    }
    return missing
  }

  #pullFault(result: GitResult, credentials: GitCredentials): Fault {
    const fault = remoteFault(result, this.url, credentials)
    this.#doubted = mayBeCopy(fault, result)
    return fault
  }

  async #pull(specs: readonly string[], credentials: GitCredentials): Promise<GitResult> {
    const { program, name } = this.#options
    // Left by a plane that was killed: nobody else writes to this copy.
    if (!this.#unlocked) await program.unlock(name)
    this.#unlocked = true
    const how = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"]
    const more = ["--no-auto-maintenance", "--refmap=", "--force"]
    const args = [...this.#calls.at(), "fetch", ...how, ...more, "--", this.url, ...specs]
    return this.#calls.fill(args, credentials)
  }

  async #localRefs(wanted: ReadonlyMap<string, string>): Promise<Map<string, string>> {
    const format = "--format=%(objectname) %(refname)"
    const { stdout } = await this.#local([
      ...this.#calls.at(),
      "for-each-ref",
      format,
      "refs/setpoint/",
    ])
    const found = new Map<string, string>()
    for (const line of Buffer.from(stdout).toString("utf8").split("\n")) {
      const [id = "", name = ""] = line.split(" ")
      const remote = name.replace(/^refs\/setpoint\//, "refs/")
      if (wanted.has(remote) && isCommitId(id)) found.set(remote, id)
    }
    return found
  }

  /** Whether this commit is here now; asks for it when it is not. */
  async bring(commit: string, credentials: () => Promise<GitCredentials>): Promise<boolean> {
    const { program, name } = this.#options
    const fill = async () => {
      if (!(await program.has(name))) await this.#init(commit.length)
      else if (await this.hasCommit(commit)) return true
      return !(await this.#fetchCommits([commit], await credentials())).has(commit)
    }
    return this.#lock.run("copy", async () => {
      if (this.#damaged) await this.#throwAway()
      this.#damaged = false
      return this.#anew(fill)
    })
  }

  async hasCommit(commit: string): Promise<boolean> {
    const result = await this.#try(["cat-file", "-e", `${commit}^{commit}`])
    return result.code === 0
  }

  /** The commit that an id leads to, through tags; undefined when it is none. */
  async peel(id: string): Promise<string | undefined> {
    if (this.#peeled?.id === id) return this.#peeled.commit
    const result = await this.#try(["rev-parse", "--verify", "--quiet", `${id}^{commit}`])
    const commit = Buffer.from(result.stdout).toString("utf8").trim()
    if (result.code === 0 && isCommitId(commit)) {
      this.#peeled = { id, commit }
      return commit
    }
    const known = await this.#try(["cat-file", "-e", id])
    if (known.code !== 0) throw this.#broken(known)
    return undefined
  }

  /** A commit that a whole copy lacks is no ancestor: all history of what was fetched is here. */
  async descends(commit: string, from: string): Promise<boolean> {
    const here = await this.#try(["cat-file", "-e", `${from}^{commit}`])
    if (here.code !== 0) {
      if (/^error:|corrupt/m.test(here.stderr)) throw this.#broken(here)
      await this.#needWhole(commit)
      return false
    }
    const result = await this.#try(["merge-base", "--is-ancestor", from, commit])
    if (result.code === 0 || result.code === 1) return result.code === 0
    throw this.#broken(result)
  }

  /** Lost is not the same as never there: what a copy lost is in the history of what it has. */
  async #needWhole(commit: string): Promise<void> {
    if (this.#whole === commit) return
    const result = await this.#try(["rev-list", "--count", commit])
    if (result.code !== 0) throw this.#broken(result)
    this.#whole = commit
  }

  /** Reads the copy; a failure means that the copy is broken. */
  async read(args: readonly string[], input = ""): Promise<Uint8Array> {
    return (await this.#local([...this.#calls.at(), ...args], input)).stdout
  }

  /** For calls whose failure is an answer; with what they need besides the copy. */
  ask(
    args: readonly string[],
    more: {
      readonly settings?: readonly string[]
      readonly files?: Readonly<Record<string, string>>
      readonly publicKeys?: readonly string[]
    } = {},
  ): Promise<GitResult> {
    const { settings = [], ...rest } = more
    return this.#calls.near({
      args: [...lockedArguments(undefined, settings), ...this.#calls.at(), ...args],
      ...rest,
    })
  }

  #try(args: readonly string[]): Promise<GitResult> {
    return this.#calls.near({ args: [...lockedArguments(), ...this.#calls.at(), ...args] })
  }

  async #local(args: readonly string[], input = "", fresh = false): Promise<GitResult> {
    const result = await this.#calls.near({ args: [...lockedArguments(), ...args], input })
    if (result.code === 0) return result
    if (fresh) throw gitFault("SPT-GIT-003", { cause: oneLine(result.stderr) })
    throw this.#broken(result)
  }

  #broken(result: GitResult) {
    this.#damaged = true
    this.#peeled = undefined
    return gitFault("SPT-GIT-038", { url: this.url, cause: oneLine(result.stderr) })
  }
}

const isLarge = (error: unknown): boolean =>
  isFault(error) && (error.code === "SPT-GIT-016" || error.code === "SPT-GIT-039")

/** Nothing is new: the copy has all of it. */
function sameText(before: Fetched, refs: ReadonlyMap<string, string>, commits: readonly string[]) {
  const text = (map: ReadonlyMap<string, string>, ids: readonly string[]) =>
    JSON.stringify([[...map].sort(), [...ids].sort()])
  return text(before.refs, before.commits) === text(refs, commits)
}
