// The reference is made from the code, or held against it.

import { describe, expect, it } from "vitest"
import { documentedParser } from "../../scripts/cli-page.ts"
import { referencePages } from "../../scripts/reference-pages.ts"
import { exitCode } from "../../src/cli/exit-codes.ts"
import { allowedDeletes } from "../../src/guard/delete-limit.ts"
import { documents, page } from "./pages.ts"

describe("the reference", () => {
  it.each(Object.keys(referencePages))(
    "%s is up to date (npm run reference writes it)",
    async (path) => {
      expect(page(path).text).toBe(await referencePages[path]?.())
    },
  )

  it("lists every exit code", () => {
    const { text } = page("docs/reference/exit-codes.md")
    const listed = [...text.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]))
    expect(listed).toEqual(Object.values(exitCode).sort((left, right) => left - right))
  })

  it("names only commands that exist", () => {
    const known = new Set(documentedParser().commands.map((command) => command.name()))
    const mentioned = documents()
      .filter(({ path }) => !path.includes("/decisions/") && path !== "docs/reference/errors.md")
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?:`|^ {4}|^\$ |\$\()setpoint ([a-z]+(?:-[a-z]+)*)/gm)].map((match) => ({
          path,
          name: match[1] ?? "",
        })),
      )
    expect(mentioned.length).toBeGreaterThan(30)
    const unknown = mentioned.filter(({ name }) => !known.has(name))
    expect(unknown.map(({ path, name }) => `${path}: setpoint ${name}`)).toEqual([])
  })
})

describe("worked examples", () => {
  it("of the delete limit are what the limit says", () => {
    const { text } = page("docs/concepts/limits.md")
    const rows = [...text.matchAll(/^\| ([\d |]+) \|$/gm)].map((match) =>
      (match[1] ?? "").split("|").map(Number),
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const [inventory = 0, baseline = 0, deletes = 0, deletesPercent = 0, allowed] of rows) {
      const limits = { deletes, deletesPercent, changes: 0, windowMs: 0, shrinkPercent: 50 }
      expect([inventory, allowedDeletes(limits, { inventory, baseline })]).toEqual([
        inventory,
        allowed,
      ])
    }
  })
})
