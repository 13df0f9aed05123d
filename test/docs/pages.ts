// The documents of this repository and what the tests take out of them: fenced blocks with the
// markers before them, links, headings. Pure but for reading the files.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Page {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** What an HTML comment right before the block says: "run", "file: site/motd.yaml", or "". */
  readonly marker: string
}

/** Everything a reader is sent to, but for decisions, which are not instructions. */
export function documents(): Page[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((entry) => join(folder, String(entry)))
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
  const top = readdirSync(root).filter((name) => name.endsWith(".md"))
  return [...top, ...below("docs"), ...below("examples")]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(root, path), "utf8") }
}

export function blocksOf({ path, text }: Page): Block[] {
  const blocks: Block[] = []
  const lines = text.split("\n")
  let marker = ""
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const comment = /^<!--\s*(.*?)\s*-->$/.exec(line)
    const fence = /^```(\S*)/.exec(line)
    if (comment !== null) marker = comment[1] ?? ""
    else if (fence !== null) {
      const end = lines.indexOf("```", at + 1)
      if (end < 0) throw new Error(`${path}:${at + 1}: the block is not closed`)
      const body = `${lines.slice(at + 1, end).join("\n")}\n`
      blocks.push({ page: path, line: at + 1, language: fence[1] ?? "", text: body, marker })
      marker = ""
      at = end
    } else if (line !== "") marker = ""
  }
  return blocks
}

/** The text without code, in which links and headings are looked for. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/^ {4}.*$/gm, "")
}

/** GitHub's names of headings. */
export function anchorsOf(page: Page): Set<string> {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? "")
  const plain = (heading: string) => heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
  return new Set(
    headings.map((heading) =>
      plain(heading)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}

export function linksOf(page: Page): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, "``")
  return [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "")
}
