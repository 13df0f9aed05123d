// Makes the preview and prints it. Kept apart from the command, which is loaded at every start.

import { previewLocal } from "../plane/adapters/open-preview.ts"
import type { Preview, PreviewRequest } from "../plane/preview.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { printDocument } from "./render/document.ts"
import { issueLines } from "./render/issue-lines.ts"
import { previewLines, summarizePreview } from "./render/preview-text.ts"
import { folderAsLoop, loopsInFolder } from "./resolve-plan-loops.ts"

export interface RunPlanOptions {
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
  readonly keyFile?: string
  readonly mode: string
  readonly name?: string
}

/** A Loop manifest inside a source. */
const loopInSource = "SPT-SOURCE-020"

export async function runPlan(
  cli: Cli,
  path: string | undefined,
  options: RunPlanOptions,
): Promise<number> {
  const { data, namespace } = cli.options()
  const run = (request: PreviewRequest) =>
    previewLocal(request, {
      directory: data,
      ...(options.root === undefined ? {} : { roots: options.root }),
      ...(options.provider === undefined ? {} : { providers: options.provider }),
      ...(options.keyFile === undefined ? {} : { keyFile: options.keyFile }),
    })
  const chosen = { ...options, namespace }
  let found = await run(path === undefined ? {} : { loops: folderAsLoop(path, chosen) })
  const issues = found.kind === "refused" ? found.issues : []
  if (path !== undefined && issues.some(({ code }) => code === loopInSource)) {
    const loops = loopsInFolder(path, chosen)
    if (loops !== undefined) found = await run({ loops })
  }
  return show(cli, found)
}

async function show(cli: Cli, found: Preview): Promise<number> {
  const { terminal } = cli
  if (found.kind === "refused") {
    const { loop, issues } = found
    if (await printDocument(cli, { loop, issues })) return exitCode.failed
    for (const line of issueLines(issues, terminal)) terminal.note(line)
    terminal.note(`cannot plan loop ${loop}: its source has ${issues.length} issues`)
    return exitCode.failed
  }
  const { loops } = found
  const summary = summarizePreview(loops)
  if (!(await printDocument(cli, { loops, summary }))) {
    terminal.print(previewLines(loops, terminal).join("\n"))
  }
  if (summary.held > 0) return exitCode.held
  return summary.differences + summary.doubts > 0 ? exitCode.differences : exitCode.ok
}
