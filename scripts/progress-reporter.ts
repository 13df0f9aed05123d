// Writes down what a test run is doing, line by line, so that a run that had to be ended can still
// say which files and tests were going on, what had failed by then, and how long each file took.

import { appendFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export type ProgressLine =
  | { readonly at: "begun" | "ended"; readonly file: string; readonly ms: number }
  | { readonly at: "test"; readonly file: string; readonly name: string }
  | { readonly at: "failed"; readonly file: string; readonly name: string; readonly why: string }

export class ProgressReporter implements Reporter {
  readonly #log: string
  readonly #started = performance.now()

  constructor(log: string) {
    this.#log = log
  }

  onTestModuleStart(module: TestModule): void {
    this.#write({ at: "begun", file: module.relativeModuleId, ms: this.#ms() })
  }

  onTestModuleEnd(module: TestModule): void {
    this.#write({ at: "ended", file: module.relativeModuleId, ms: this.#ms() })
  }

  onTestCaseReady(test: TestCase): void {
    this.#write({ at: "test", file: test.module.relativeModuleId, name: test.fullName })
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    if (result.state !== "failed") return
    const why = result.errors.map((error) => error.message).join("\n")
    this.#write({ at: "failed", file: test.module.relativeModuleId, name: test.fullName, why })
  }

  #ms(): number {
    return Math.round(performance.now() - this.#started)
  }

  #write(line: ProgressLine): void {
    appendFileSync(this.#log, `${JSON.stringify(line)}\n`)
  }
}

/** What was going on and what had failed when the log ends; empty when everything had ended. */
export function unfinished(log: string): string[] {
  const running = new Map<string, string>()
  const failed: string[] = []
  for (const text of log.split("\n").filter((line) => line !== "")) {
    const line = JSON.parse(text) as ProgressLine
    if (line.at === "begun") running.set(line.file, "before its first test")
    if (line.at === "test") running.set(line.file, line.name)
    if (line.at === "ended") running.delete(line.file)
    if (line.at === "failed") failed.push(`FAILED ${line.name}\n  ${line.file}\n${line.why}`)
  }
  return [...failed, ...[...running].map(([file, name]) => `still going on: ${file}: ${name}`)]
}

/** The files that took longest, as "12.3 s test/e2e/quota.test.ts". */
export function slowest(log: string, count: number): string[] {
  const begun = new Map<string, number>()
  const took: { readonly file: string; readonly ms: number }[] = []
  for (const text of log.split("\n").filter((line) => line !== "")) {
    const line = JSON.parse(text) as ProgressLine
    if (line.at === "begun") begun.set(line.file, line.ms)
    if (line.at === "ended")
      took.push({ file: line.file, ms: line.ms - (begun.get(line.file) ?? 0) })
  }
  const sorted = took.sort((a, b) => b.ms - a.ms).slice(0, count)
  return sorted.map(({ file, ms }) => `${(ms / 1000).toFixed(1)} s ${file}`)
}
