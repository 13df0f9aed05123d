// Logs in pages: nothing twice, nothing left out, over rotations and restarts.

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
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

/** Whatever there is, as long as it is more than one byte. */
async function rotate(run: number): Promise<void> {
  const size = statSync(logOf(place, run), { throwIfNoEntry: false })?.size ?? 0
  await logFiles.keep(place, run, { maxBytes: Math.ceil(size / 2), keep: 1000 })
}

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

  test("that grew too large is set aside, and old pieces are dropped", async () => {
    for (let index = 0; index < 9; index++) {
      write(1, `${index}${"x".repeat(5000)}\n`)
      await logFiles.keep(place, 1, limits)
    }
    write(1, "end\n")
    const pieces = logPieces(place)
    expect(pieces).toHaveLength(4)
    expect(readLog(place, whole).text.replaceAll("x", "")).toBe("6\n7\n8\nend\n")
    write(2, "next run\n")
    await logFiles.keep(place, 2, { ...limits, keep: 1 })
    expect(logPieces(place).map(({ run }) => run)).toEqual([1, 2])
  })

  test("is set aside while all else goes on, and what is written meanwhile stays", async () => {
    const mebibyte = 1_048_576
    write(1, `${"x".repeat(24 * mebibyte)}\n`)
    let turns = 0
    const turn = () => {
      turns++
      if (turns % 10 === 0 && turns <= 100) write(1, `${turns}\n`)
      if (going) setImmediate(turn)
    }
    let going = true
    setImmediate(turn)
    const kept = logFiles.keep(place, 1, { maxBytes: 16 * mebibyte, keep: 3 })
    await logFiles.keep(place, 1, { maxBytes: 16 * mebibyte, keep: 3 }) // Once is enough.
    await kept
    going = false
    expect(turns).toBeGreaterThan(10)
    const pieces = logPieces(place)
    expect(pieces).toHaveLength(2)
    const text = pieces.map(({ path }) => readFileSync(path, "utf8")).join("")
    const written = Array.from({ length: Math.min(10, Math.floor(turns / 10)) }, (_, index) => {
      return `${10 * (index + 1)}\n`
    })
    expect(text.slice(24 * mebibyte + 1)).toBe(written.join(""))
  })

  test("that grew while no plane ran is not copied whole, and says what is lost", async () => {
    write(1, `${"a".repeat(500_000)}\n${"b".repeat(3000)}\n`)
    await logFiles.keep(place, 1, limits)
    const [piece] = logPieces(place)
    expect(piece?.size).toBeLessThan(2 * limits.maxBytes)
    const { text } = readLog(place, whole)
    expect(text).toMatch(/^setpoint: 498\d+ bytes of this log are lost: .*\na+\nb+\n$/)
  })

  test("is cut also when there is no space to set it aside, and says so", async () => {
    write(1, "x".repeat(5000))
    symlinkSync("/dev/full", `${logOf(place, 1)}.1.new`)
    await logFiles.keep(place, 1, limits)
    const { text } = readLog(place, whole)
    expect(text).toMatch(/^setpoint: 5000 bytes of this log are lost: .*ENOSPC.*\n$/)
    expect(readdirSync(logsOf(place))).toEqual(["1.log"])
  })

  test("refuses positions that are none", () => {
    for (const after of ["", "1", "1.2", "1.2.x", "../1.1.1", "9".repeat(99)]) {
      expect(() => readLog(place, { ...whole, after })).toThrow("there is no such position")
    }
    expect(readLog(place, { ...whole, after: "7.7.7" }).text).toBe("")
  })

  test("is read completely, in order and once, however it is cut and rotated", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 })
    const step = fc.oneof(
      fc.record({ write: text }),
      fc.constant({ rotate: true }),
      fc.constant({ restart: true }),
      fc.record({ read: fc.integer({ min: 8, max: 64 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
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
          else await rotate(run)
        }
        while (read(64)) {}
        expect(seen).toBe(written)
      }),
      { numRuns: 200 },
    )
  })
})
