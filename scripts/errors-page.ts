// docs/reference/errors.md, made from the fault tables of all areas.

import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { FaultRow, FaultTable } from "../src/base/faults.ts"

export const errorsPath = "docs/reference/errors.md"

const meanings: Readonly<Record<FaultRow["fault"], string>> = {
  retry: "may pass by itself; tried again with backoff",
  wait: "waits for something that is named",
  stuck: "someone must change something",
  bug: "a defect in Setpoint",
}

export async function errorsPage(): Promise<string> {
  const source = fileURLToPath(new URL("../src/", import.meta.url))
  const files = readdirSync(source, { recursive: true })
    .map(String)
    .filter((path) => path === "faults.ts" || path.endsWith("/faults.ts"))
    .sort()
  const rows = new Map<string, FaultRow>()
  for (const file of files) {
    const module: Readonly<Record<string, unknown>> = await import(`${source}${file}`)
    for (const value of Object.values(module)) {
      for (const [code, row] of Object.entries(tableOf(value))) rows.set(code, row)
    }
  }
  return renderErrors(rows)
}

function tableOf(value: unknown): FaultTable {
  const isMaker = typeof value === "function" && "table" in value
  return isMaker ? (value.table as FaultTable) : {}
}

export function renderErrors(rows: ReadonlyMap<string, FaultRow>): string {
  const lines = [
    "# Error codes",
    "",
    "Generated from the fault tables in `src/**/faults.ts` by `npm run reference`; do not edit.",
    "Every error has a stable code, a sentence and a hint. What it means for the work at hand:",
    "",
    ...Object.entries(meanings).map(([kind, meaning]) => `- **${kind}**: ${meaning}`),
  ]
  let area = ""
  for (const code of [...rows.keys()].sort()) {
    const row = rows.get(code)
    if (row === undefined) continue
    const [, next = ""] = code.split("-")
    if (next !== area) lines.push("", `## ${next}`)
    area = next
    const status = row.status === undefined ? "" : `, HTTP ${row.status} ${row.reason ?? ""}`
    lines.push("", `### ${code}`, "", `${fields(row.text)} (**${row.fault}**${status.trimEnd()})`)
    lines.push("", `Hint: ${fields(row.hint)}`)
  }
  return `${lines.join("\n")}\n`
}

/** {placeholders} as code, so that no renderer takes them for its own. */
function fields(text: string): string {
  const parts = text.split("`")
  // Every second part stands in backticks already.
  const marked = parts.map((part, at) =>
    at % 2 === 1 ? part : part.replaceAll(/\{(\w+)\}/g, "`{$1}`"),
  )
  return marked.join("`")
}
