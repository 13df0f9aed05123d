// Reads a folder as a loop would and prints what comes out of its overlay.

import { resolve } from "node:path"
import { systemClock } from "../base/system.ts"
import { nodeSourceFiles } from "../sources/directory/adapter/node-files.ts"
import { createDirectorySource } from "../sources/directory/directory-source.ts"
import type { Cli } from "./command.ts"
import type { RenderOptions } from "./commands/render.ts"
import { exitCode } from "./exit-codes.ts"
import { printDocument } from "./render/document.ts"
import { issueLines } from "./render/issue-lines.ts"
import { renderedText, renderedView } from "./render/rendered-manifests.ts"
import { sourceRoot } from "./running/source-root.ts"

const readMsMax = 60_000

export async function runRender(cli: Cli, given: string, options: RenderOptions): Promise<number> {
  const { terminal } = cli
  const path = resolve(given)
  const root = sourceRoot(path, options.sourceRoot)
  const { namespace } = cli.options()
  const source = createDirectorySource({
    ...{ path, clock: systemClock, files: nodeSourceFiles, namespace },
    ...(root === undefined ? {} : { root }),
  })
  const read = await source.read(AbortSignal.timeout(readMsMax))
  if (read.kind !== "complete") {
    const { issues } = read
    if (await printDocument(cli, { path, issues })) return exitCode.failed
    for (const line of issueLines(issues, terminal)) terminal.note(line)
    terminal.note(`cannot render ${given}: it has ${issues.length} issues`)
    return exitCode.failed
  }
  const { revision, manifests } = read
  if (await printDocument(cli, { revision, manifests: manifests.map(renderedView) })) {
    return exitCode.ok
  }
  if (manifests.length === 0) terminal.note(`${given} declares nothing`)
  else terminal.print((await renderedText(manifests)).trimEnd())
  return exitCode.ok
}
