// `npm test` and, with --all, `npm run test:all`: every suite with a time budget, one line each
// when green, what failed otherwise, and a last line with the counts. Non-zero on any failure.
// Names of suites as arguments run only those, after a build: `npm test -- unit tidy`.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand } from "./run-command.ts"
import {
  closingLine,
  reportCommand,
  reportTests,
  type SuiteReport,
  suiteLine,
} from "./test-report.ts"

interface Suite {
  readonly name: string
  readonly seconds: number
  /** A command, or folders of tests for vitest. */
  readonly command?: readonly string[]
  readonly folders?: readonly string[]
}

const root = fileURLToPath(new URL("..", import.meta.url))
process.chdir(root)
const all = process.argv.includes("--all")
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
/** Everything together; .ci/run gives both, with installing, less than 30 minutes. */
const totalSeconds = all ? 1500 : 680
const stretch = all ? 3 : 1

const tool = (name: string) => join("node_modules", ".bin", name)
const first: readonly Suite[] = [
  {
    name: "build",
    seconds: 120,
    command: [tool("tsc"), "-p", "tsconfig.build.json", "--tsBuildInfoFile", "dist/.tsbuildinfo"],
  },
  { name: "lint", seconds: 60, command: [tool("biome"), "check", "--colors=off", "."] },
  { name: "types", seconds: 120, command: [tool("tsc"), "-p", "tsconfig.json"] },
  { name: "tidy", seconds: 60, folders: ["test/tidy"] },
  { name: "unit", seconds: 300, folders: ["src"] },
]
const budgets: Readonly<Record<string, number>> = {
  conformance: 120,
  corpus: 120,
  sim: 240,
  outages: 60,
  docs: 180,
  e2e: 400,
  full: 400,
}

/** Every other folder of test/ is a suite of its own; `full` only with --all. */
function suites(): Suite[] {
  const folders = readdirSync("test", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasTests(join("test", entry.name)))
    .map((entry) => entry.name)
    .filter((name) => name !== "tidy" && (all || name !== "full"))
  const order = ["conformance", "sim", "launcher"]
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  folders.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  const others = folders.map((name) => {
    return { name, seconds: budgets[name] ?? 120, folders: [`test/${name}`] }
  })
  const found = [...first, ...others]
  if (wanted.length === 0) return found
  // Tests of real processes start what was built: a stale build would be tested else.
  return found.filter((suite) => suite.name === "build" || wanted.includes(suite.name))
}

function hasTests(folder: string): boolean {
  const entries = readdirSync(folder, { recursive: true })
  return entries.some((entry) => String(entry).endsWith(".test.ts"))
}

async function runSuite(suite: Suite, scratch: string, seconds: number): Promise<SuiteReport> {
  if (suite.command !== undefined) {
    return reportCommand(suite.name, await runCommand(suite.command, { seconds }))
  }
  const file = join(scratch, `${suite.name}.json`)
  const reporters = ["--reporter=json", `--outputFile=${file}`, "--no-color"]
  const folders = (suite.folders ?? []).map((folder) => `${folder}/`)
  // End-to-end tests mostly wait: for processes, disks and one another.
  const workers = suite.name === "e2e" ? ["--maxWorkers=3"] : []
  const command = [tool("vitest"), "run", ...reporters, ...workers, ...folders]
  const env = {
    SETPOINT_TEST_SKIPS: join(scratch, "skips"),
    SETPOINT_TEST_BUILT: "1",
    ...(all ? { SETPOINT_TEST_FULL: "1" } : {}),
  }
  const result = await runCommand(command, { seconds, env })
  const json = existsSync(file) ? readFileSync(file, "utf8") : undefined
  return reportTests(suite.name, result, json)
}

async function main(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "setpoint-test-"))
  const reports: SuiteReport[] = []
  const deadline = performance.now() + totalSeconds * 1000
  try {
    for (const suite of suites()) {
      const left = Math.max(1, (deadline - performance.now()) / 1000)
      const report = await runSuite(suite, scratch, Math.min(suite.seconds * stretch, left))
      reports.push(report)
      console.log(suiteLine(report))
      if (report.explanation !== "") console.log(`\n${report.explanation}\n`)
    }
    const skips = join(scratch, "skips")
    if (existsSync(skips)) {
      const names = new Set(readFileSync(skips, "utf8").trim().split("\n"))
      console.log(`skipped for want of a tool: ${[...names].sort().join(", ")}`)
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  const failed = reports.length === 0 || reports.some((report) => report.failed > 0)
  console.log(closingLine(reports))
  process.exitCode = failed ? 1 : 0
}

await main()
