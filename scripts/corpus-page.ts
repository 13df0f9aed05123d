// docs/reference/fault-corpus.md, made from the rows of the fault corpus.

import { protections } from "../src/base/protections.ts"
import type { CorpusRow, CorpusSection } from "../test/corpus/rows/row.ts"
import { corpus, sections } from "../test/corpus/rows.ts"

export const corpusPath = "docs/reference/fault-corpus.md"

const introduction = [
  "What went wrong in loops of this kind elsewhere, what must hold all the same, and the test that",
  "shows it. Every test runs twice in the real code: once as it is, when the promise must hold,",
  "and once with exactly one protection switched off (its *twin*), when the promise must break. A",
  "twin that still holds fails. `npm test -- corpus` runs them all.",
]

type Proof = readonly [name: string, promise: string]

const proofsOf = (row: CorpusRow): Proof[] => Object.entries(row.proofs ?? {})

export async function corpusPage(): Promise<string> {
  const proofs = corpus.flatMap(proofsOf)
  const shown = corpus.filter((row) => row.proofs !== undefined).length
  const lines = [
    "# Fault corpus",
    "",
    "Generated from `test/corpus/rows` by `npm run reference`; do not edit.",
    "",
    ...introduction,
    "",
    `${corpus.length} faults, ${shown} of them shown by ${proofs.length} tests and as many twins.`,
    ...sections.flatMap(sectionLines),
    "",
    "## What each protection does",
    "",
    ...[...new Set(proofs.map(([name]) => name))].sort().map((name) => `- ${describe(name)}`),
  ]
  return `${lines.join("\n")}\n`
}

function sectionLines({ title, file, rows }: CorpusSection): string[] {
  return [
    ...["", `## ${title}`, "", `Tests and twins: \`${file}\`.`, ""],
    "| row | fault | what must hold | test | twin without |",
    "| --- | --- | --- | --- | --- |",
    ...rows.flatMap(rowLines),
  ]
}

/** One line for each proof, and one for what is still missing. */
function rowLines(row: CorpusRow): string[] {
  const { id, fault, holds, notYet } = row
  const shown = proofsOf(row).map(([name, promise]) => [promise, `\`${name}\``])
  const missing = notYet === undefined ? [] : [[`*not yet: ${notYet}*`, ""]]
  return [...shown, ...missing].map(([test = "", twin = ""], index) => {
    const about = index === 0 ? [id, fault, holds] : ["", "", ""]
    return `| ${[...about, test, twin].join(" | ")} |`
  })
}

function describe(name: string): string {
  const texts: Readonly<Record<string, string>> = protections
  return `\`${name}\`: ${texts[name] ?? ""}`
}
