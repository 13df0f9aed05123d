// Code that a document sets off by four spaces instead of a fence, with the marker before it. Pure.

import type { Block, Page } from "./pages.ts"

const isIndented = (line: string) => /^ {4}\S/.test(line)
/** What goes on under an item of a list is text, not code. */
const isItem = (line: string) => /^\s*([-*]|\d+\.) /.test(line)

export function indentedBlocksOf({ path, text }: Page): Block[] {
  const blocks: Block[] = []
  const lines = text.replaceAll(/^```[\s\S]*?^```$/gm, blanked).split("\n")
  let marker = ""
  let before = ""
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const comment = /^<!--\s*(.*?)\s*-->$/.exec(line)
    if (comment !== null) marker = comment[1] ?? ""
    else if (isIndented(line) && (lines[at - 1] ?? "") === "" && !isItem(before)) {
      let end = at
      while (end < lines.length && (isIndented(lines[end] ?? "") || lines[end] === "")) end++
      const body = lines.slice(at, end).map((one) => one.slice(4))
      const found = `${body.join("\n").trimEnd()}\n`
      blocks.push({ page: path, line: at + 1, language: "", text: found, marker })
      marker = ""
      at = end - 1
    } else if (line !== "") marker = ""
    if (line !== "" && comment === null) before = line
  }
  return blocks
}

/** Lines keep their numbers. */
function blanked(block: string): string {
  return block.replaceAll(/[^\n]+/g, "")
}
