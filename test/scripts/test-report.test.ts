// Promises of the test runner: what can't be counted is a failure, and a hanging suite is ended.

import { describe, expect, it } from "vitest"
import { runCommand } from "../../scripts/run-command.ts"
import {
  closingLine,
  failedFiles,
  isTriedTwice,
  reportCommand,
  reportTests,
  secondTry,
  suiteLine,
} from "../../scripts/test-report.ts"

const done = { code: 0, output: "", timedOut: false, seconds: 1 }
const json = (extra: object) =>
  JSON.stringify({ success: true, numPassedTests: 3, numPendingTests: 1, ...extra })

describe("counting", () => {
  it("counts passed and skipped tests of a green run", () => {
    const report = reportTests("unit", done, json({}))
    expect(report).toMatchObject({ passed: 3, failed: 0, skipped: 1, explanation: "" })
    expect(suiteLine(report)).toMatch(/^ok {3}unit +3 passed, 1 skipped/)
  })

  it.each([
    ["a missing report", done, undefined],
    ["a broken report", done, "{"],
    ["no test at all", done, json({ numPassedTests: 0, numPendingTests: 0 })],
    ["an exit code", { ...done, code: 1 }, json({})],
    ["a spent budget", { ...done, timedOut: true }, json({})],
    ["a report that says so", done, json({ success: false })],
    ["a file that does not load", done, json({ testResults: [{ name: "x", status: "failed" }] })],
  ])("takes %s for a failure", (_, result, text) => {
    const report = reportTests("unit", result, text)
    expect(report.failed).toBeGreaterThan(0)
    expect(report.explanation).not.toBe("")
  })

  it("shows the failing test and the end of the output", () => {
    const test = { status: "failed", fullName: "does it", failureMessages: ["it did not"] }
    const text = json({ numFailedTests: 1, testResults: [{ name: "f", assertionResults: [test] }] })
    const report = reportTests("unit", { ...done, code: 1, output: "last words" }, text)
    for (const part of ["does it", "it did not", "last words"]) {
      expect(report.explanation).toContain(part)
    }
  })

  it("ends with a plain line of sums", () => {
    const green = reportCommand("build", done)
    const red = reportCommand("lint", { ...done, code: 2 })
    expect(closingLine([green, red])).toBe("1 passed, 1 failed, 0 skipped")
  })
})

describe("running", () => {
  it("ends a hanging command together with its children", async () => {
    const result = await runCommand(["sh", "-c", "echo begun; sleep 600 & wait"], { seconds: 0.5 })
    expect(result).toMatchObject({ timedOut: true, output: "begun\n" })
  })

  it("reports a command that can't be started", async () => {
    const result = await runCommand(["no-such-program"], { seconds: 10 })
    expect(result.code).toBe(null)
    expect(result.output).toContain("ENOENT")
  })
})

describe("a second try", () => {
  const test = (status: string) => ({ status, fullName: "one", failureMessages: [] })
  const results = [
    { name: "/r/test/e2e/a.test.ts", status: "passed", assertionResults: [test("passed")] },
    {
      ...{ name: "/r/test/e2e/b.test.ts", status: "failed" },
      assertionResults: [test("failed"), test("passed")],
    },
  ]
  const text = json({ numPassedTests: 2, numFailedTests: 1, success: false, testResults: results })
  const first = reportTests("e2e", { ...done, code: 1 }, text)
  const files = failedFiles(text, "/r/")

  it("is of the files that failed, and counts every test once and says so", () => {
    expect(files).toEqual(["test/e2e/b.test.ts"])
    const again = reportTests("e2e", done, json({ numPassedTests: 2, numPendingTests: 0 }))
    const report = secondTry(first, again, text, files)
    expect(report).toMatchObject({ passed: 3, failed: 0, skipped: 0 })
    expect(report.again).toEqual(["test/e2e/b.test.ts (one)"])
    expect(suiteLine(report)).toMatch(/^ok .*3 passed, 1 at a second try/)
  })

  it("does not make a failure good that comes again", () => {
    const report = secondTry(first, first, text, files)
    expect(report).toMatchObject({ failed: 1, explanation: first.explanation })
  })

  it.each([
    ["test/e2e/demo.test.ts", true],
    ["test/dashboard/plans.test.ts", true],
    ["test/e2e/store-kill-rig.test.ts", false],
    ["test/e2e/plane-stop.test.ts", false],
    ["test/e2e/secrets-canary.test.ts", false],
    ["test/sim/crash.test.ts", false],
    ["src/ledger/ledger.test.ts", false],
  ])("of %s is given: %s", (path, given) => {
    expect(isTriedTwice(path)).toBe(given)
  })
})
