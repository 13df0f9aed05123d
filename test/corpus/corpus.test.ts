// The corpus itself: every row is shown or says why not, and every proof has its test and twin.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { corpus, sections } from "./rows.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** "ID protection" of every proof in a file. */
function proven(file: string): string[] {
  const text = readFileSync(root + file, "utf8")
  return [...text.matchAll(/\bprove\("(\w+)", "([^"]+)",/g)].map(([, id, name]) => `${id} ${name}`)
}

describe("the fault corpus", () => {
  it("names every row once", () => {
    const ids = corpus.map((row) => row.id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(corpus)("$id is shown, or says why not yet", ({ proofs, notYet }) => {
    expect(Object.keys(proofs ?? {}).length > 0 || notYet !== undefined).toBe(true)
  })

  it("has one test and one twin for every proof, and no others", () => {
    const files = [...new Set(sections.map((section) => section.file))]
    for (const file of files) {
      const rows = sections.filter((section) => section.file === file).flatMap((one) => one.rows)
      const named = rows.flatMap(({ id, proofs }) =>
        Object.keys(proofs ?? {}).map((name) => `${id} ${name}`),
      )
      expect(proven(file).sort(), file).toEqual(named.sort())
    }
  })
})
