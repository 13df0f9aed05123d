// `npm run bench -- NAME [--json] [--quick] [--gate]` runs bench/NAME.ts and prints its results as
// a table, or as a JSON array for tools. Progress goes to standard error. With --gate it ends with
// 1 when a row is not as many times better than its peer as the bench says it has to be.

import { readdirSync } from "node:fs"
import type { Bench, BenchResult } from "./result.ts"

const own = new Set(["run.ts", "result.ts"])
const known = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !own.has(entry.name))
  .map((entry) => entry.name.slice(0, -3))

function isBench(value: unknown): value is { bench: Bench } {
  return typeof value === "object" && value !== null && "bench" in value
}

function digits(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en")
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 3)
}

function print(results: readonly BenchResult[]): void {
  const rows = results.map((result) => {
    const ratio = result.peer === "" ? "" : `${result.ratio.toFixed(2)} of ${result.peer}`
    const compared = ratio === "" ? (result.note ?? "") : ratio
    return [result.name, `${digits(result.value)} ${result.unit}`, compared] as const
  })
  const width = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length))
  for (const [name, value, compared] of rows) {
    const line = `${name.padEnd(width(0))}  ${value.padStart(width(1))}  ${compared}`
    console.log(line.trimEnd())
  }
}

const args = process.argv.slice(2)
const name = args.find((argument) => !argument.startsWith("--"))
if (name === undefined || !known.includes(name)) {
  console.error(
    `usage: npm run bench -- NAME [--json] [--quick]; NAME is one of: ${known.join(" ")}`,
  )
  process.exit(1)
}
const loaded: unknown = await import(`./${name}.ts`)
if (!isBench(loaded)) {
  console.error(`bench/${name}.ts exports no bench`)
  process.exit(1)
}
const results = await loaded.bench({
  quick: args.includes("--quick"),
  progress: (text) => console.error(text),
})
if (args.includes("--json")) console.log(JSON.stringify(results, null, 2))
else print(results)
const short = results.filter(({ ratio, least = 0 }) => ratio < least)
if (args.includes("--gate") && short.length > 0) {
  for (const { name, ratio, least } of short) {
    console.error(`below the gate: ${name}: ${ratio.toFixed(2)}, wanted ${least}`)
  }
  process.exitCode = 1
}
