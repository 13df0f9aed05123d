// Makes the preview and prints it. Kept apart from the command, which is loaded at every start.

import { relative, resolve } from "node:path"
import type { GitScheme } from "../contract/git-source.ts"
import { type LocalPreview, previewLocal } from "../plane/adapters/open-preview.ts"
import type { PreviewRepository } from "../plane/adapters/preview-git.ts"
import type { PreviewRequest } from "../plane/preview.ts"
import type { ExecProgramOptions } from "../providers/exec/exec-program.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { gitPlanLoops } from "./git-plan-loops.ts"
import { printDocument } from "./render/document.ts"
import { issueLines } from "./render/issue-lines.ts"
import { type PreviewSummary, previewLines, summarizePreview } from "./render/preview-text.ts"
import { folderAsLoop, loopsInFolder } from "./resolve-plan-loops.ts"
import { repositoryOf } from "./running/source-root.ts"

export interface RunPlanOptions {
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
  readonly execProvider?: readonly ExecProgramOptions[]
  readonly keyFile?: string
  readonly mode: string
  readonly name?: string
  readonly sourceRoot?: string
  /** A revision of a git repository. */
  readonly git?: string
  readonly url?: string
  readonly gitAllow?: readonly GitScheme[]
}

/** A Loop manifest inside a source. */
const loopInSource = "SPT-SOURCE-020"

export async function runPlan(
  cli: Cli,
  path: string | undefined,
  options: RunPlanOptions,
): Promise<number> {
  const { data, namespace } = cli.options()
  const here = options.git === undefined ? undefined : repositoryOf(process.cwd())
  const git = options.git === undefined ? undefined : repositoryAsked(options.git, options, here)
  const run = (request: PreviewRequest) =>
    previewLocal(request, {
      directory: data,
      ...(git === undefined ? {} : { git }),
      ...(options.gitAllow === undefined ? {} : { gitAllow: options.gitAllow }),
      ...(options.root === undefined ? {} : { roots: options.root }),
      ...(options.provider === undefined ? {} : { providers: options.provider }),
      ...(options.execProvider === undefined ? {} : { programs: options.execProvider }),
      ...(options.keyFile === undefined ? {} : { keyFile: options.keyFile }),
    })
  const chosen = { ...options, namespace }
  if (git !== undefined) {
    const place = pathAsked(path, git)
    const choice = {
      ...chosen,
      ...place,
      ...(here === undefined ? {} : { top: here }),
    }
    return show(cli, await run({ choose: (stored) => gitPlanLoops(stored, choice) }), options.git)
  }
  let found = await run(path === undefined ? {} : { loops: folderAsLoop(path, chosen) })
  const issues = found.kind === "refused" ? found.issues : []
  if (path !== undefined && issues.some(({ code }) => code === loopInSource)) {
    const loops = loopsInFolder(path, chosen)
    if (loops !== undefined) found = await run({ loops })
  }
  return show(cli, found)
}

/** The repository of the current folder, unless a server is named or there is none here. */
function repositoryAsked(
  ref: string,
  { url }: RunPlanOptions,
  here: string | undefined,
): PreviewRepository {
  return url === undefined && here !== undefined ? { folder: here, ref } : { remote: true, ref }
}

/** PATH as a folder of the repository. */
function pathAsked(path: string | undefined, git: PreviewRepository): { readonly path?: string } {
  if (path === undefined) return {}
  if (!("folder" in git)) return { path }
  const inside = relative(git.folder, resolve(path))
  if (inside !== ".." && !inside.startsWith("../")) return { path: inside }
  const hint = "name a folder of the repository that you are in, or a server with --url"
  throw cliFault("SPT-CLI-002", { what: path, why: `it does not lie in ${git.folder}`, hint })
}

async function show(cli: Cli, found: LocalPreview, ref?: string): Promise<number> {
  const { terminal } = cli
  const { commit } = found
  const git = ref === undefined ? {} : { git: { ref, ...(commit === undefined ? {} : { commit }) } }
  if (found.kind === "refused") {
    const { loop, issues } = found
    if (await printDocument(cli, { ...git, loop, issues })) return exitCode.failed
    for (const line of issueLines(issues, terminal)) terminal.note(line)
    terminal.note(`cannot plan loop ${loop}: its source has ${issues.length} issues`)
    return exitCode.failed
  }
  const { loops } = found
  const summary = summarizePreview(loops)
  const exit = exitOf(summary)
  if (cli.options().output === "markdown") {
    const { previewMarkdown } = await import("./render/preview-markdown.ts")
    terminal.print(previewMarkdown(loops, git.git ?? {}))
  } else if (!(await printDocument(cli, { ...git, loops, summary, exit }))) {
    terminal.print(previewLines(loops, terminal).join("\n"))
  }
  return exit
}

function exitOf({ held, differences, doubts }: PreviewSummary): number {
  if (held > 0) return exitCode.held
  return differences + doubts > 0 ? exitCode.differences : exitCode.ok
}
