import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import type { StopEntry } from "../../contract/stop.ts"
import { stopFile } from "./stop-file.ts"

let directory = ""
let arm = () => {}
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spt-stop-"))
})
afterEach(() => {
  arm()
  rmSync(directory, { recursive: true, force: true })
})

const path = () => join(directory, "stop")
const entry = (more: Partial<StopEntry> = {}): StopEntry => {
  return { loop: "*", scope: "all", by: "ann", at: "2031-05-01T12:00:00Z", ...more }
}
const everything = { loop: "*", scope: "all" }
const written = (stops: unknown) => writeFileSync(path(), JSON.stringify({ format: 1, stops }))

describe("the stop file", () => {
  it("gives back every entry as it was written", () => {
    const entries = [
      entry({ reason: "why" }),
      entry({ loop: "default.site", scope: "deletes" }),
      entry({ provider: "file", until: "2031-05-01T14:00:00Z" }),
      entry({ object: "files.host.setpoint.dev/default/a" }),
    ]
    stopFile(directory).change(() => entries)
    expect(stopFile(directory).entries()).toEqual(entries)
    stopFile(directory).change(() => [])
    expect(existsSync(path())).toBe(false)
  })

  it.each([
    ["is empty", ""],
    ["is a word", "stop!"],
    ["is cut short", '{"format":1,"stops":[{"loop":"a.b"'],
    ["has no stops", '{"format":1,"stops":[]}'],
    ["is a number", "0"],
    ["is null", "null"],
  ])("stops everything when it %s", (_what, text) => {
    writeFileSync(path(), text)
    expect(stopFile(directory).entries()).toMatchObject([everything])
  })

  it.each([
    ["names nothing", { scope: "deletes" }],
    ["has a scope nobody knows", { loop: "a.b", scope: "some" }],
    ["names two things", { loop: "a.b", provider: "file", scope: "all" }],
    ["names a number", { object: 7, scope: "all" }],
    ["is a text", "a.b"],
  ])("stops everything when an entry %s", (_what, one) => {
    written([one])
    expect(stopFile(directory).entries()).toMatchObject([everything])
  })

  it("understands an entry written by hand with the least there is", () => {
    written([{ object: "files.host.setpoint.dev/default/a", scope: "all" }])
    expect(stopFile(directory).entries()).toMatchObject([{ loop: "*", by: "someone", at: "" }])
  })

  it("stops everything when it is a directory or can't be read", () => {
    mkdirSync(path())
    expect(stopFile(directory).entries()).toMatchObject([everything])
    rmSync(path(), { recursive: true })
    writeFileSync(path(), "")
    chmodSync(path(), 0)
    expect(stopFile(directory).entries()).toMatchObject([everything])
  })

  it("stops everything when it is a link, a pipe or far too long, and never waits for it", () => {
    const stops = () => stopFile(directory).entries().length
    symlinkSync("/nonexistent/stop", path())
    expect(stops()).toBe(1)
    rmSync(path())
    symlinkSync("/dev/zero", path())
    expect(stops()).toBe(1)
    rmSync(path())
    execFileSync("mkfifo", [path()])
    expect(stops()).toBe(1)
    rmSync(path())
    writeFileSync(path(), "")
    truncateSync(path(), 5 * 1024 * 1024 * 1024)
    expect(stops()).toBe(1)
    stopFile(directory).change(() => [])
    expect(stops()).toBe(0)
  })

  it("stops everything where nothing can be written any more: an empty file needs no room", () => {
    const file = new URL("./stop-file.ts", import.meta.url).pathname
    const stop = { loop: "default.site", scope: "all", by: "ann", at: "" }
    const code = [
      `import { stopFile } from ${JSON.stringify(file)}`,
      `const all = stopFile(process.argv[1]).change((now) => [...now, ${JSON.stringify(stop)}])`,
      "process.stdout.write(all.map((one) => one.loop).join())",
    ].join("\n")
    const full = `trap '' XFSZ; ulimit -f 0; exec "$0" --input-type=module -e "$1" "$2"`
    const said = execFileSync("bash", ["-c", full, process.execPath, code, directory])
    expect(String(said)).toBe("*")
    expect(readFileSync(path(), "utf8")).toBe("")
    expect(stopFile(directory).entries()).toMatchObject([{ loop: "*", scope: "all" }])
    expect(readdirSync(directory)).toEqual(["stop"])
  })

  it("stops everything when the directory was taken away", () => {
    const file = stopFile(directory)
    rmSync(directory, { recursive: true })
    expect(file.entries()).toMatchObject([{ ...everything, by: "the data directory" }])
  })

  it("never overwrites what somebody writes while it is being changed", () => {
    const file = stopFile(directory)
    file.change(() => [entry({ loop: "a.b" })])
    let edits = 0
    const left = file.change((standing) => {
      if (edits++ === 0) writeFileSync(path(), "\n") // By echo, between read and replace.
      return standing.filter((one) => one.loop !== "a.b")
    })
    expect([edits, left]).toMatchObject([2, [everything]])
    expect(file.entries()).toMatchObject([everything])
    expect(readdirSync(directory)).toEqual(["stop"])
  })

  it("is private and whole at every moment", () => {
    stopFile(directory).change(() => [entry()])
    expect(JSON.parse(readFileSync(path(), "utf8"))).toMatchObject({ format: 1 })
    expect(readdirSync(directory)).toEqual(["stop"])
  })

  it("twin: without its protection a file that can't be understood stops nothing", () => {
    writeFileSync(path(), "stop!")
    arm = disarm("stop-file-unreadable-stops")
    expect(stopFile(directory).entries()).toEqual([])
  })
})
