// What a suite's run amounts to: counts, and on failure the text that explains it. Pure. A run
// that can't be counted is a failure, never a success.

import type { CommandResult } from "./run-command.ts"

export interface SuiteReport {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  /** Empty when the suite is green. */
  readonly explanation: string
  /** Files that passed at a second try only. */
  readonly again?: readonly string[]
}

interface VitestFile {
  readonly name?: string
  readonly status?: string
  readonly message?: string
  readonly assertionResults?: readonly {
    readonly status?: string
    readonly fullName?: string
    readonly failureMessages?: readonly string[]
  }[]
}

interface VitestReport {
  readonly numPassedTests?: number
  readonly numFailedTests?: number
  readonly numPendingTests?: number
  readonly numTodoTests?: number
  readonly success?: boolean
  readonly testResults?: readonly VitestFile[]
}

const tailLines = 120

/** A command that only passes or fails: build, lint, types. */
export function reportCommand(name: string, result: CommandResult): SuiteReport {
  const green = result.code === 0 && !result.timedOut
  const counts = { passed: green ? 1 : 0, failed: green ? 0 : 1, skipped: 0 }
  const explanation = green ? "" : explain(result)
  return { name, ...counts, seconds: result.seconds, explanation }
}

/** A vitest run with its JSON report, or what is known of it when there is none. */
export function reportTests(
  name: string,
  result: CommandResult,
  json: string | undefined,
  unfinished: readonly string[] = [],
): SuiteReport {
  const report = parse(json)
  const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0)
  const passed = report.numPassedTests ?? 0
  const broken = (report.testResults ?? []).filter(isBroken)
  let failed = (report.numFailedTests ?? 0) + broken.length
  const green = result.code === 0 && !result.timedOut && report.success === true && failed === 0
  if (!green && failed === 0) failed = 1
  const nothing = passed + failed + skipped === 0
  const counts = { passed, failed: nothing ? 1 : failed, skipped }
  const reasons = [...failures(report), ...broken.map((file) => `${file.name}\n${file.message}`)]
  const known = json === undefined ? unfinished : []
  const explanation = green && !nothing ? "" : [...reasons, ...known, explain(result)].join("\n\n")
  return { name, ...counts, seconds: result.seconds, explanation }
}

/** The files that failed, as paths in the repository. */
export function failedFiles(json: string, root: string): string[] {
  const files = (parse(json).testResults ?? []).filter(({ status }) => status === "failed")
  return files.map(({ name = "" }) => (name.startsWith(root) ? name.slice(root.length) : name))
}

/** Where real processes, browsers and servers share a busy machine. */
const real = /^(test\/(e2e|dashboard|docs|scenarios|package|launcher)|src\/providers)\//
/** What shows that nothing is lost, leaked or done after a stop: one failure there is a failure. */
const strict = /kill|store|stop|canary|history|follow|crash|quiet|hostile|access/

/** Whether a second try may show that a failure was the machine's and not the program's. */
export const isTriedTwice = (path: string): boolean => real.test(path) && !strict.test(path)

/** The suite after its failed files ran once more, alone: green only when all of them are. */
export function secondTry(
  first: SuiteReport,
  again: SuiteReport,
  firstJson: string,
  files: readonly string[],
): SuiteReport {
  const seconds = first.seconds + again.seconds
  if (again.failed > 0) return { ...first, seconds }
  const elsewhere = (parse(firstJson).testResults ?? []).filter(({ status }) => status !== "failed")
  const tests = elsewhere.flatMap(({ assertionResults = [] }) => assertionResults)
  const passed = tests.filter(({ status }) => status === "passed").length
  const skipped = tests.length - passed
  return {
    name: first.name,
    passed: passed + again.passed,
    failed: 0,
    skipped: skipped + again.skipped,
    seconds,
    explanation: "",
    again: files.map((file) => `${file} (${reasonOf(first.explanation, file)})`),
  }
}

/** The first failed test of a file, in a few words. */
function reasonOf(explanation: string, file: string): string {
  const failed = explanation.split("FAILED ").find((one) => one.includes(file))
  return (failed?.split("\n")[0] ?? "it could not be run").slice(0, 160)
}

/** A file that failed without one failed test could not be loaded. */
function isBroken(file: VitestFile): boolean {
  const tests = file.assertionResults ?? []
  return file.status === "failed" && !tests.some((test) => test.status === "failed")
}

function failures(report: VitestReport): string[] {
  return (report.testResults ?? []).flatMap((file) =>
    (file.assertionResults ?? [])
      .filter((test) => test.status === "failed")
      .map(
        (test) => `FAILED ${test.fullName}\n  ${file.name}\n${test.failureMessages?.join("\n")}`,
      ),
  )
}

function explain(result: CommandResult): string {
  const lines = result.output.trimEnd().split("\n").slice(-tailLines)
  const ending = result.timedOut
    ? `ended after ${result.seconds.toFixed(0)} s: over its time budget`
    : `exit code ${result.code}`
  return [...lines, ending].join("\n")
}

function parse(json: string | undefined): VitestReport {
  if (json === undefined) return {}
  try {
    return JSON.parse(json) as VitestReport
  } catch {
    return {}
  }
}

export function suiteLine(report: SuiteReport): string {
  const mark = report.failed > 0 ? "FAIL" : "ok  "
  const skipped = report.skipped > 0 ? `, ${report.skipped} skipped` : ""
  const failed = report.failed > 0 ? `, ${report.failed} failed` : ""
  const again = report.again === undefined ? "" : `, ${report.again.length} at a second try`
  const counts = `${report.passed} passed${failed}${skipped}${again}`
  return `${mark} ${report.name.padEnd(12)} ${counts} (${report.seconds.toFixed(1)} s)`
}

/** The closing line, which machines read: plain, always the last. */
export function closingLine(reports: readonly SuiteReport[]): string {
  const sum = (pick: (report: SuiteReport) => number) =>
    reports.reduce((total, report) => total + pick(report), 0)
  const passed = sum((report) => report.passed)
  const failed = sum((report) => report.failed)
  return `${passed} passed, ${failed} failed, ${sum((report) => report.skipped)} skipped`
}
