import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { scheduleProblem } from "./cron-schedule.ts"
import { cronText, readCron } from "./cron-text.ts"

describe("a schedule", () => {
  it.each([
    ...["* * * * *", "*/5 0-6,22 1,15 jan-mar mon-fri", "0 4 * * 7", "59 23 31 12 0", "@daily"],
    ...["@reboot", "0-30/10 * * * SUN", "5 4 * Feb *"],
  ])("%s is one", (text) => expect(scheduleProblem(text)).toBeUndefined())

  it.each([
    ...["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *"],
    ...["* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "5/2 * * * *", "a * * * *"],
    ...["* * * foo *", "@often", "*/x * * * *", "1, * * * *", "-1 * * * *", "1-2-3 * * * *"],
    ...["*  * * * *", "* * * * *\nroot evil", "1/2/3 * * * *"],
  ])("%j is none", (text) => expect(scheduleProblem(text)).toBeTypeOf("string"))
})

describe("a cron file", () => {
  it("reads back as it was written", () => {
    const word = fc.stringMatching(/^[a-z0-9%$|;&'"/.-]{1,12}$/)
    const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "))
    const jobs = fc.array(
      fc.record({
        schedule: fc.constantFrom("* * * * *", "@hourly", "*/5 1-3 * jan mon-fri"),
        user: fc.constantFrom("root", "www-data"),
        command,
      }),
      { minLength: 1, maxLength: 5 },
    )
    const environment = fc.dictionary(
      fc.stringMatching(/^[A-Z_]{1,8}$/),
      fc.stringMatching(/^[a-z0-9 =@.]{0,12}$/),
      { maxKeys: 3 },
    )
    fc.assert(
      fc.property(environment, jobs, (variables, list) => {
        const table = { environment: { ...variables }, jobs: list }
        expect(readCron(cronText(table))).toEqual(table)
      }),
      { numRuns: 300 },
    )
  })

  it("shows a line that cron can't read as something nobody declared", () => {
    const { jobs } = readCron("# ours\nnonsense\n* * * * * root ok\n")
    expect(jobs).toEqual([
      { schedule: "?", user: "?", command: "nonsense" },
      { schedule: "* * * * *", user: "root", command: "ok" },
    ])
  })
})
