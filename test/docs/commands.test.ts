// The commands in the documents do what the documents say. Blocks marked `<!-- run -->` are run in
// the order of their page, in one folder; a block marked `<!-- file: PATH -->` becomes that file. A
// command must end with 0, or the next one must be `echo $?`.

import { describe, expect, it } from "vitest"
import { stepsOf } from "./console.ts"
import { DocsShell } from "./docs-shell.ts"
import { type Block, blocksOf, documents } from "./pages.ts"

const wanted = (block: Block) => block.marker === "run" || block.marker.startsWith("file:")
const pages = documents()
  .map((page) => ({ path: page.path, blocks: blocksOf(page).filter(wanted) }))
  .filter(({ blocks }) => blocks.some((block) => block.marker === "run"))

async function runPage(shell: DocsShell, blocks: readonly Block[]): Promise<void> {
  for (const block of blocks) {
    if (block.marker.startsWith("file:")) {
      shell.write(block.marker.slice("file:".length).trim(), block.text)
      continue
    }
    const steps = stepsOf(block.text)
    for (const [index, step] of steps.entries()) {
      const place = `${block.page}:${block.line}`
      const difference = await shell.step(step)
      expect(difference === undefined ? "" : `${place}\n${difference}`).toBe("")
      if (step.background || steps[index + 1]?.command === "echo $?") continue
      expect(`${place} ${step.command}: ${shell.last}`).toMatch(/: 0$/)
    }
  }
}

describe.concurrent("commands in documents", () => {
  it.each(pages)("of $path print what it shows", { timeout: 400_000 }, async ({ blocks }) => {
    const shell = new DocsShell()
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
  })
})
