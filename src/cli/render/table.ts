// Rows of text in columns, as kubectl users know them: three spaces between, no lines.

import { printable } from "./printable.ts"

const gap = "   "

export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const safe = rows.map((row) => row.map((cell) => (cell === "" ? "<none>" : printable(cell))))
  return alignRows([head.map((title) => title.toUpperCase()), ...safe])
}

/** Pads all but the last column; what comes later is padded as the widest known. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    }
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join(gap)
      .trimEnd(),
  )
}
