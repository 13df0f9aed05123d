// No block of code in a document is only text. Each one is run, becomes a file of what is run, is
// given to a plane as a manifest, is compiled, or is a synopsis that the program would take.
// `<!-- not run: REASON -->` names the test that runs the same, `<!-- shown: WHAT -->` is for what
// is no command at all: an answer, a formula, a part of something.

import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commandOf, grammarProblem, isSynopsis } from "./command-grammar.ts"
import { indentedBlocksOf } from "./indented-blocks.ts"
import { type Block, blocksOf, documents, root } from "./pages.ts"

/** Reference pages are made from the code; decisions are no instructions. */
const read = (path: string) => isGuide(path) || /^(docs\/concepts|examples)\//.test(path)
/** What people type after: here a command is run, or it is a synopsis. */
const isGuide = (path: string) => path === "README.md" || /^docs\/(start|guides)\//.test(path)

type Standing = "run" | "manifest" | "compiled" | "synopsis" | "elsewhere" | "shown" | "nothing"

/** Taken out of their page, and used, by other tests. */
const usedElsewhere = new Set(["prometheus.yml"])
const programs = /^(\$ )?(setpoint|kubectl|npm|npx|node|sudo|docker|curl|git|systemctl|ssh)\b/m

/** Whether it names a file that is there and that runs it. */
function namesTest(reason: string): boolean {
  const named = [...reason.matchAll(/(?:test\/[\w/.-]+\.ts|\.ci\/run)/g)].map(([path]) => path)
  return named.length > 0 && named.every((path) => existsSync(join(root, path)))
}

function standingOf({ page, language, marker, text }: Block): Standing {
  if (marker === "run" || marker.startsWith("run with ") || marker.startsWith("file:")) return "run"
  if (usedElsewhere.has(marker)) return "run"
  const reason = /^not run: (.+)$/.exec(marker)?.[1]
  if (reason !== undefined) return namesTest(reason) ? "elsewhere" : "nothing"
  if (/^shown: .{5}/.test(marker)) return programs.test(text) ? "nothing" : "shown"
  if (language === "yaml") return text.includes("apiVersion:") ? "manifest" : "nothing"
  if (language === "ts") return "compiled"
  const lines = text.trimEnd().split("\n")
  if (language !== "" && language !== "sh") return "nothing"
  const isTaken = (line: string) =>
    commandOf(line) !== undefined && (!isGuide(page) || isSynopsis(line))
  return lines.every(isTaken) ? "synopsis" : "nothing"
}

const pages = documents().filter(({ path }) => read(path))
const blocks = pages.flatMap((page) => [...blocksOf(page), ...indentedBlocksOf(page)])
const place = ({ page, line }: Block) => `${page}:${line}`

describe("blocks of code in documents", () => {
  it("are all run, checked, or say which test does it", () => {
    const lost = blocks.filter((block) => standingOf(block) === "nothing")
    expect(lost.map((block) => `${place(block)} ${block.text.split("\n")[0]}`)).toEqual([])
  })

  it("hold only commands that the program takes", async () => {
    const found: string[] = []
    for (const block of blocks) {
      for (const line of block.text.split("\n")) {
        const command = line.startsWith("$ ") || block.language === "" ? commandOf(line) : undefined
        const problem = command === undefined ? undefined : await grammarProblem(command)
        if (problem !== undefined) found.push(`${place(block)} ${command}: ${problem}`)
      }
    }
    expect(found).toEqual([])
  })

  it("are run right there where people type after them, but for a few", () => {
    const typed = blocks.filter(({ page }) => isGuide(page))
    const count = (standing: Standing) =>
      typed.filter((block) => standingOf(block) === standing).length
    expect(count("run")).toBeGreaterThan(130)
    expect(count("elsewhere")).toBeLessThan(15)
  })

  it("would be found if nobody checked them", async () => {
    const lost = (text: string, path = "docs/guides/a.md") =>
      [...blocksOf({ path, text }), ...indentedBlocksOf({ path, text })].map(standingOf)
    expect(lost("Do this:\n\n    rm -rf everything\n")).toEqual(["nothing"])
    expect(lost("```console\n$ setpoint status\n```\n")).toEqual(["nothing"])
    expect(lost("<!-- not run: it needs a rack of GPUs -->\n\n    rm x\n")).toEqual(["nothing"])
    expect(lost("<!-- not run: test/none.test.ts does -->\n\n    rm x\n")).toEqual(["nothing"])
    expect(lost("<!-- not run: test/docs/pages.ts does -->\n\n    rm x\n")).toEqual(["elsewhere"])
    expect(lost("<!-- shown: an answer -->\n\n    setpoint status\n")).toEqual(["nothing"])
    expect(lost("<!-- shown: an answer -->\n\n    all is well\n")).toEqual(["shown"])
    expect(lost("- a list\n\n    that goes on\n")).toEqual([])
    expect(lost("    setpoint stop LOOP     # one loop\n")).toEqual(["synopsis"])
    expect(lost("    setpoint stop site\n")).toEqual(["nothing"])
    expect(lost("    setpoint stop site\n", "docs/concepts/a.md")).toEqual(["synopsis"])
    expect(await grammarProblem("setpoint stop --lopo x")).toContain("unknown option")
    expect(await grammarProblem("setpoint aprove x")).toContain("unknown command")
    expect(await grammarProblem("setpoint approve")).toContain("missing required argument")
    expect(
      await grammarProblem("setpoint rollback LOOP [--to NAME] [--reason TEXT]"),
    ).toBeUndefined()
  })
})
