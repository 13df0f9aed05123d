// The commands in the documents do what the documents say. Blocks marked `<!-- run -->` are run in
// the order of their page, in one folder; a block marked `<!-- file: PATH -->` becomes that file.
// A command must end with 0, or the next one must be `echo $?`. `<!-- run with kubectl -->` needs
// that program, and is left out by name where there is none.

import { describe, expect, it } from "vitest"
import { full } from "../full.ts"
import { type Step, stepsOf } from "./console.ts"
import { DocsShell } from "./docs-shell.ts"
import { kubectlPath } from "./kubectl-path.ts"
import { type Block, blocksOf, documents } from "./pages.ts"

const kubectl = kubectlPath()
const wanted = ({ marker }: Block) =>
  marker === "run" ||
  marker.startsWith("file:") ||
  (marker === "run with kubectl" && kubectl !== undefined)
/** What a new reader reads first; `npm run test:all` runs the other pages too. */
const isFirst = (path: string) => path === "README.md" || path.startsWith("docs/start/")
const pages = documents()
  .filter(({ path }) => full || isFirst(path))
  .map((page) => ({ path: page.path, blocks: blocksOf(page).filter(wanted) }))
  .filter(({ blocks }) => blocks.some((block) => block.marker.startsWith("run")))

async function runPage(shell: DocsShell, blocks: readonly Block[]): Promise<void> {
  for (const block of blocks) {
    if (block.marker.startsWith("file:")) {
      shell.write(block.marker.slice("file:".length).trim(), block.text)
      continue
    }
    const steps = stepsOf(block.text)
    for (const [index, step] of steps.entries()) {
      const place = `${block.page}:${block.line}`
      const difference = await stepped(shell, step, steps[index + 1]?.command === "echo $?")
      expect(difference === undefined ? "" : `${place}\n${difference}`).toBe("")
      if (step.background || steps[index + 1]?.command === "echo $?") continue
      expect(`${place} ${step.command}: ${shell.last}`).toMatch(/: 0$/)
    }
  }
}

const asks = /^(setpoint|kubectl) /

/** The plane may still have to notice what was just done: a reader would type it again. */
async function stepped(shell: DocsShell, step: Step, mayFail: boolean) {
  const deadline = performance.now() + 30_000
  for (;;) {
    const difference = await shell.step(step)
    const failed = !step.background && !mayFail && shell.last !== 0
    const again = failed && asks.test(step.command) && performance.now() < deadline
    if (!again) return difference
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

describe.concurrent("commands in documents", () => {
  it.each(pages)("of $path print what it shows", { timeout: 400_000 }, async ({ blocks }) => {
    const shell = new DocsShell(kubectl)
    try {
      await runPage(shell, blocks)
    } finally {
      await shell.close()
    }
  })

  it("are shown in the pages that a new reader reads first", () => {
    const read = pages.map(({ path }) => path)
    expect(read).toContain("README.md")
    expect(read).toContain("docs/start/tutorial.md")
    expect(read.length).toBeGreaterThan(full ? 25 : 5)
  })
})
