// Git repositories for a dry run: either one that lies here and is only read, or copies that are
// fetched into a folder of their own, which is gone afterwards. The copies of a running plane are
// its own and are never touched.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { systemClock, systemRandom } from "../../base/system.ts"
import { type GitRef, type GitScheme, isCommitId } from "../../contract/git-source.ts"
import type { Source, SourceSnapshot } from "../../contract/source.ts"
import { nodeGit } from "../../sources/git/adapter/node-git.ts"
import { gitBounds } from "../../sources/git/git-bounds.ts"
import { GitCopies } from "../../sources/git/git-copies.ts"
import type { GitProgram } from "../../sources/git/git-program.ts"
import { createGitSource, type OpenGitRequest } from "../../sources/git/git-source.ts"
import { lockedArguments, lockedEnvironment } from "../../sources/git/locked-git.ts"
import { planeFault } from "../faults.ts"

/** Where REF is looked for. */
export type PreviewRepository =
  /** The repository of a folder here; every commit of it can be named. */
  | { readonly folder: string; readonly ref: string }
  /** The repository that the loops name: a branch, a tag or a whole commit id. */
  | { readonly remote: true; readonly ref: string }

export interface PreviewGit {
  openGit(request: OpenGitRequest): Source
  /** What REF is; undefined where it is looked for at the server. */
  readonly commit: string | undefined
  close(): void
}

const allSchemes: readonly GitScheme[] = ["https", "ssh", "http", "file", "git"]

export async function previewGit(
  wanted: PreviewRepository | undefined,
  gitAllow: readonly GitScheme[] = [],
): Promise<PreviewGit> {
  if (wanted === undefined) return onDemand(gitAllow)
  const here = "folder" in wanted ? gitFolder(wanted.folder) : undefined
  const { program, open, close } = openCopies(here, gitAllow)
  try {
    const commit = here === undefined ? undefined : await resolveHere(program, here, wanted.ref)
    const openGit = (request: OpenGitRequest) =>
      commit === undefined ? atRef(open, request, wanted.ref) : atCommit(open(request), commit)
    return { openGit, commit, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Most plans read no repository: those make no folder for copies either. */
function onDemand(gitAllow: readonly GitScheme[]): PreviewGit {
  let copies: ReturnType<typeof openCopies> | undefined
  const openGit = (request: OpenGitRequest) => {
    copies ??= openCopies(undefined, gitAllow)
    return copies.open(request)
  }
  return { openGit, commit: undefined, close: () => copies?.close() }
}

function openCopies(here: string | undefined, gitAllow: readonly GitScheme[]) {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-plan-"))
  const fetching = nodeGit(folder)
  const program = here === undefined ? fetching : readOnly(fetching, here)
  // What lies here is not fetched: any address will do.
  const allow = here === undefined ? gitAllow : allSchemes
  const copies = new GitCopies({ program, clock: systemClock, allow })
  const open = (request: OpenGitRequest) =>
    createGitSource({ ...request, copies, clock: systemClock, random: systemRandom })
  const close = () => {
    copies.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { program, open, close }
}

/** The repository's own place stands for every copy. */
function readOnly(program: GitProgram, folder: string): GitProgram {
  const never = () => Promise.reject(new Error("a repository that is only read is not changed"))
  const run: GitProgram["run"] = (request, signal) => program.run(request, signal)
  const nothing = { copies: async () => [], bytes: async () => 0 }
  const only = { has: async () => true, remove: never, unlock: never }
  return { run, place: () => folder, ...only, ...nothing }
}

/** `.git` is a folder, or a file that names one (a work tree beside its repository). */
function gitFolder(top: string): string {
  const path = join(top, ".git")
  if (statSync(path).isDirectory()) return path
  const named = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]
  return named === undefined ? path : resolve(top, named)
}

async function resolveHere(program: GitProgram, folder: string, ref: string): Promise<string> {
  const name = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]
  const args = [...lockedArguments(), `--git-dir=${folder}`, ...name]
  const limits = { timeoutMs: gitBounds.readMs, outputBytesMax: 10_000 }
  const signal = AbortSignal.timeout(gitBounds.readMs)
  const { code, stdout } = await program.run({ args, env: lockedEnvironment(), ...limits }, signal)
  const commit = Buffer.from(stdout).toString("utf8").trim()
  if (code === 0 && isCommitId(commit)) return commit
  throw planeFault("SPT-PREVIEW-001", { ref: ref.slice(0, 200), place: resolve(folder, "..") })
}

function atCommit(source: Source, commit: string): Source {
  const { readAt } = source
  if (readAt === undefined) return source
  return { ...source, read: (signal) => readAt(commit, signal) }
}

/** As a commit, a branch or a tag: the first that the server has. */
function atRef(
  open: (request: OpenGitRequest) => Source,
  request: OpenGitRequest,
  ref: string,
): Source {
  const refs: readonly GitRef[] = isCommitId(ref)
    ? [{ commit: ref }]
    : [{ branch: ref }, { tag: ref }]
  const sources = refs.map((one) => open({ ...request, spec: { ...request.spec, ref: one } }))
  return {
    description: sources[0]?.description ?? "",
    watch: () => ({ close: () => {} }),
    read: async (signal) => {
      let answer: SourceSnapshot = { kind: "unreadable", issues: [] }
      for (const source of sources) {
        answer = await source.read(signal)
        const missing = answer.kind !== "complete" && answer.issues[0]?.code === "SPT-GIT-013"
        if (!missing) return answer
      }
      return answer
    },
  }
}
