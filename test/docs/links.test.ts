// Every link between documents leads somewhere.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { anchorsOf, documents, linksOf, type Page, root } from "./pages.ts"

function problem(page: Page, link: string): string | undefined {
  if (/^(https?|mailto):/.test(link)) return undefined
  const [path = "", anchor = ""] = link.split("#")
  const file = path === "" ? page.path : join(dirname(page.path), path)
  if (!existsSync(join(root, file))) return `${page.path}: ${link}: there is no ${file}`
  if (anchor === "" || statSync(join(root, file)).isDirectory()) return undefined
  const target = { path: file, text: readFileSync(join(root, file), "utf8") }
  return anchorsOf(target).has(anchor) ? undefined : `${page.path}: ${link}: no such heading`
}

describe("links", () => {
  const pages = documents()

  it("lead to files and headings that exist", () => {
    const checked = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })))
    expect(checked.length).toBeGreaterThan(50)
    const broken = checked.flatMap(({ page, link }) => problem(page, link) ?? [])
    expect(broken).toEqual([])
  })

  it("of the program's own messages and comments lead to documents that exist", () => {
    const folders = ["src", "scripts", "bin", "deploy", "dashboard/src"]
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    const named = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path),
    )
    expect(named.length).toBeGreaterThan(10)
    expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it("reach every page of docs from its index", () => {
    const seen = new Set<string>()
    const visit = (path: string) => {
      const page = pages.find((one) => one.path === path)
      if (page === undefined || seen.has(path)) return
      seen.add(path)
      for (const link of linksOf(page)) visit(join(dirname(path), link.split("#")[0] ?? ""))
    }
    visit("docs/README.md")
    const lost = pages.map((page) => page.path).filter((path) => path.startsWith("docs/"))
    expect(lost.filter((path) => !seen.has(path) && !path.includes("/decisions/"))).toEqual([])
  })
})
