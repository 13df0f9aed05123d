// `npm test` and, with --all, `npm run test:all`: every suite with a time budget, one line each
// when green, what failed otherwise, and a last line with the counts. Non-zero on any failure.
// With --more, what --all has over `npm test`: only the files that show more then. With --soak,
// only what takes longer than anybody waits for: ten times the cases of what the others show.
// Names of suites as arguments run only those, after a build: `npm test -- unit tidy`.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { leftToAll } from "./left-to-all.ts"
import { slowest, unfinished } from "./progress-reporter.ts"
import { runCommand } from "./run-command.ts"
import {
  closingLine,
  failedFiles,
  isTriedTwice,
  reportCommand,
  reportTests,
  type SuiteReport,
  secondTry,
  suiteLine,
} from "./test-report.ts"

interface Suite {
  readonly name: string
  readonly seconds: number
  /** A command, or folders of tests for vitest. */
  readonly command?: readonly string[]
  readonly folders?: readonly string[]
  /** Single files instead of folders. */
  readonly files?: readonly string[]
}

const root = fileURLToPath(new URL("..", import.meta.url))
process.chdir(root)
const more = process.argv.includes("--more")
const soak = process.argv.includes("--soak")
const all = more || soak || process.argv.includes("--all")
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
/** More files than this that fail are no accident. */
const triesMax = 3
/**
 * Where everything is ended: well above what it takes (under 10 minutes, with --more under 20), so
 * that a slow machine tells what is wrong and not only that it is slow.
 */
const totalSeconds = more ? 2400 : all ? 4500 : 1000
const stretch = all ? 3 : 1.5

const tool = (name: string) => join("node_modules", ".bin", name)
const first: readonly Suite[] = [
  {
    name: "build",
    seconds: 120,
    command: [tool("tsc"), "-p", "tsconfig.build.json", "--tsBuildInfoFile", "dist/.tsbuildinfo"],
  },
  { name: "bundle", seconds: 60, command: [process.execPath, "scripts/bundle.ts"] },
  { name: "pages", seconds: 60, command: [process.execPath, "scripts/bundle-dashboard.ts"] },
  { name: "lint", seconds: 60, command: [tool("biome"), "check", "--colors=off", "."] },
  { name: "types", seconds: 120, command: [tool("tsc"), "-p", "tsconfig.json"] },
  {
    name: "page types",
    seconds: 120,
    command: [tool("tsc"), "-p", "dashboard/tsconfig.json"],
  },
  { name: "tidy", seconds: 60, folders: ["test/tidy"] },
  { name: "unit", seconds: 300, folders: [...unitFolders(), "dashboard/src"] },
  { name: "providers", seconds: 240, folders: ["src/providers"] },
]
const budgets: Readonly<Record<string, number>> = {
  conformance: 120,
  corpus: 120,
  dashboard: 120,
  sim: 240,
  outages: 60,
  docs: 180,
  scenarios: 240,
  e2e: 400,
  soak: 1200,
}

const isBuilt = (name: string) => ["build", "bundle", "pages"].includes(name)

/** Providers are tried on real systems, each file in a process of its own. */
function unitFolders(): string[] {
  const entries = readdirSync("src", { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "providers")
  return folders.map((entry) => `src/${entry.name}`)
}

/** Every other folder of test/ is a suite of its own. */
function suites(): Suite[] {
  const folders = readdirSync("test", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasTests(join("test", entry.name)))
    .map((entry) => entry.name)
    .filter((name) => name !== "tidy" && (name === "soak") === soak)
  const order = ["conformance", "sim", "launcher"]
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  folders.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  const others = folders.map((name): Suite => {
    return { name, seconds: budgets[name] ?? 120, folders: [`test/${name}`] }
  })
  if (soak) return [...first.filter(({ name }) => isBuilt(name)), ...others]
  const found = more ? [...first, ...others].flatMap(onlyMore) : [...first, ...others]
  if (wanted.length === 0) return found
  // Tests of real processes start what was built: a stale build would be tested else.
  return found.filter(({ name }) => isBuilt(name) || wanted.includes(name))
}

/** Of a suite, the files that have more to show than `npm test` showed; and what is built. */
function onlyMore(suite: Suite): Suite[] {
  if (suite.command !== undefined) return isBuilt(suite.name) ? [suite] : []
  const files = (suite.folders ?? []).flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => path.endsWith(".test.ts") && hasMore(path)),
  )
  return files.length === 0 ? [] : [{ ...suite, folders: [], files }]
}

const fullParts = /\/(full|crash-suite|scenario-tests)\.ts"|SETPOINT_TEST_FULL/

const hasMore = (path: string) => leftToAll.has(path) || fullParts.test(readFileSync(path, "utf8"))

function hasTests(folder: string): boolean {
  const entries = readdirSync(folder, { recursive: true })
  return entries.some((entry) => String(entry).endsWith(".test.ts"))
}

async function runSuite(suite: Suite, scratch: string, seconds: number): Promise<SuiteReport> {
  if (suite.command !== undefined) {
    return reportCommand(suite.name, await runCommand(suite.command, { seconds }))
  }
  const first = await runTests(suite, scratch, seconds)
  const files = first.json === undefined ? [] : failedFiles(first.json, root)
  const left = seconds - first.report.seconds
  if (files.length === 0 || files.length > triesMax || left < 10) return first.report
  if (!files.every((path) => isTriedTwice(path))) return first.report
  // One at a time: what failed beside others may have waited for them.
  const { report } = await runTests({ ...suite, folders: [], files }, scratch, left, 1)
  return secondTry(first.report, report, first.json ?? "", files)
}

interface TestRun {
  readonly report: SuiteReport
  readonly json: string | undefined
}

async function runTests(
  suite: Suite,
  scratch: string,
  seconds: number,
  workersMax?: number,
): Promise<TestRun> {
  const file = join(scratch, `${suite.name}-${workersMax ?? "all"}.json`)
  const progress = join(scratch, `${suite.name}.progress`)
  const folders = (suite.folders ?? []).map((folder) => `${folder}/`)
  // Tests of real systems mostly wait: for processes, disks and one another.
  const waits = ["e2e", "scenarios", "providers"].includes(suite.name)
  const count = workersMax ?? (waits ? 4 : 2)
  const workers = [`--maxWorkers=${count}`]
  const left = all ? [] : [...leftToAll].map((path) => `--exclude=${path}`)
  // These start no processes and put back what they change: one process may run many files.
  const shared = ["unit", "sim"].includes(suite.name) ? ["--no-isolate"] : []
  const output = [`--outputFile=${file}`, "--no-color"]
  const tests = [...folders, ...(suite.files ?? [])]
  const command = [tool("vitest"), "run", ...output, ...workers, ...shared, ...left, ...tests]
  const env = {
    SETPOINT_TEST_PROGRESS: progress,
    SETPOINT_TEST_SKIPS: join(scratch, "skips"),
    SETPOINT_TEST_BUILT: "1",
    ...(all ? { SETPOINT_TEST_FULL: "1" } : {}),
  }
  const result = await runCommand(command, { seconds, env })
  const written = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined)
  const log = written(progress) ?? ""
  if (process.env.SETPOINT_TEST_TIMES === "1") console.log(slowest(log, 12).join("\n"))
  const json = written(file)
  return { report: reportTests(suite.name, result, json, unfinished(log)), json }
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
    for (const { again = [] } of reports)
      for (const file of again) console.log(`second try: ${file}`)
    if (!all && wanted.length === 0) {
      console.log(`left to npm run test:all: ${leftToAll.size} files (scripts/left-to-all.ts)`)
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
