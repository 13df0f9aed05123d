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

/** A vitest run with its JSON report, or undefined when there is none. */
export function reportTests(
  name: string,
  result: CommandResult,
  json: string | undefined,
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
  const explanation = green && !nothing ? "" : [...reasons, explain(result)].join("\n\n")
  return { name, ...counts, seconds: result.seconds, explanation }
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
  const time = `${report.seconds.toFixed(1)} s`
  return `${mark} ${report.name.padEnd(12)} ${report.passed} passed${failed}${skipped} (${time})`
}

/** The closing line, which machines read: plain, always the last. */
export function closingLine(reports: readonly SuiteReport[]): string {
  const sum = (pick: (report: SuiteReport) => number) =>
    reports.reduce((total, report) => total + pick(report), 0)
  const passed = sum((report) => report.passed)
  const failed = sum((report) => report.failed)
  return `${passed} passed, ${failed} failed, ${sum((report) => report.skipped)} skipped`
}
