// Logs in pages: nothing twice, nothing left out, over rotations and restarts.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { logPieces, readLog } from "../../../provider/adapter/process-logs.ts"
import { logOf, logsOf } from "../../../provider/adapter/process-place.ts"
import { logFiles } from "./log-files.ts"

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "setpoint-logs-"))
  mkdirSync(logsOf(place))
})
afterEach(() => rmSync(place, { recursive: true }))

const write = (run: number, text: string) => appendFileSync(logOf(place, run), text)
const whole = { bytesMax: 1_000_000 }
const limits = { maxBytes: 4096, keep: 3 }

describe("a log", () => {
  test("of a process that never ran is empty, and can be followed from its beginning", () => {
    const page = readLog(place, whole)
    expect(page).toMatchObject({ text: "", more: false })
    write(1, "first\n")
    expect(readLog(place, { ...whole, after: page.next }).text).toBe("first\n")
  })

  test("is that of the last run, of the one before, or its last lines", () => {
    write(1, "a\nb\n")
    write(2, "c\nd\ne")
    expect(readLog(place, whole).text).toBe("c\nd\ne")
    expect(readLog(place, { ...whole, previous: true }).text).toBe("a\nb\n")
    expect(readLog(place, { ...whole, tail: 2 }).text).toBe("d\ne")
    expect(readLog(place, { ...whole, tail: 0 }).text).toBe("")
    expect(readLog(place, { ...whole, tail: 99 }).text).toBe("c\nd\ne")
    write(2, "\n")
    expect(readLog(place, { ...whole, tail: 1 }).text).toBe("e\n")
  })

  test("that grew too large is set aside, and old pieces are dropped", () => {
    for (let index = 0; index < 9; index++) {
      write(1, `${index}${"x".repeat(5000)}\n`)
      logFiles.keep(place, 1, limits)
    }
    write(1, "end\n")
    const pieces = logPieces(place)
    expect(pieces).toHaveLength(4)
    expect(readLog(place, whole).text.replaceAll("x", "")).toBe("6\n7\n8\nend\n")
    write(2, "next run\n")
    logFiles.keep(place, 2, { ...limits, keep: 1 })
    expect(logPieces(place).map(({ run }) => run)).toEqual([1, 2])
  })

  test("refuses positions that are none", () => {
    for (const after of ["", "1", "1.2", "1.2.x", "../1.1.1", "9".repeat(99)]) {
      expect(() => readLog(place, { ...whole, after })).toThrow("there is no such position")
    }
    expect(readLog(place, { ...whole, after: "7.7.7" }).text).toBe("")
  })

  test("is read completely, in order and once, however it is cut and rotated", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 })
    const step = fc.oneof(
      fc.record({ write: text }),
      fc.constant({ rotate: true }),
      fc.constant({ restart: true }),
      fc.record({ read: fc.integer({ min: 8, max: 64 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        rmSync(logsOf(place), { recursive: true })
        mkdirSync(logsOf(place))
        let [run, written, seen, next] = [1, "", "", "1.1.0"]
        const read = (bytesMax: number) => {
          const page = readLog(place, { after: next, bytesMax })
          seen += page.text
          next = page.next
          return page.more
        }
        for (const one of steps) {
          if ("write" in one) {
            write(run, one.write)
            written += one.write
          } else if ("restart" in one) run++
          else if ("read" in one) read(one.read)
          else logFiles.keep(place, run, { maxBytes: 1, keep: 1000 })
        }
        while (read(64)) {}
        expect(seen).toBe(written)
      }),
      { numRuns: 200 },
    )
  })
})
