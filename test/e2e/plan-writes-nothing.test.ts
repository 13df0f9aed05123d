// `setpoint plan` writes nothing: not to the store, not to the disk, not to a target. Traced at the
// system calls, with a control that the same judgement must flag.

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { program } from "../program.ts"
import { requireTool } from "../tools.ts"
import { CliRig, type RunningCommand } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"
import { findWrites, tracedCalls } from "./plane/write-trace.ts"

const strace = requireTool("strace")
const count = 20

let rig: CliRig

beforeEach(() => {
  rig = new CliRig()
  rig.declareFiles("site", count)
})

afterEach(() => rig.close())

function traced(...args: readonly string[]) {
  const file = join(tmpdir(), `spt-trace-${process.pid}`)
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env
  const env = { ...rest, XDG_CONFIG_HOME: rig.path("config") }
  const options = [
    "-f",
    "-y",
    "-qq",
    "-s",
    "200",
    "-e",
    `trace=${tracedCalls.map((call) => `?${call}`).join(",")}`,
  ]
  // What goes through a ring of the kernel's can't be traced: without one, every call is seen.
  const visible = ["-e", "inject=io_uring_setup:error=ENOSYS"]
  const result = spawnSync(
    "strace",
    [...options, ...visible, "-o", file, process.execPath, program, ...args],
    {
      cwd: rig.folder,
      env,
      encoding: "utf8",
      timeout: 50_000,
    },
  )
  const trace = readFileSync(file, "utf8")
  rmSync(file)
  return { ...result, writes: findWrites(trace), calls: trace.split("\n").length }
}

/** Every file below with its content and everything lstat says but the time of reading. */
function everything(): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const { mode, size, ino, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
      const content = entry.isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : ""
      found.set(path, [mode, size, ino, mtimeNs, ctimeNs, content].join(" "))
      if (entry.isDirectory()) walk(path)
    }
  }
  walk(rig.folder)
  return found
}

async function converged(): Promise<RunningCommand> {
  const plane = rig.start("up", "site")
  await plane.said(/as declared after/)
  // What it converged to and what it says of it is written a moment later; then it rests.
  let before = ""
  const rests = async () => {
    const { stdout } = await rig.run("status", "-o", "json")
    const { revision, loops } = JSON.parse(stdout)
    const kept = loops.some((loop: { lastGood: unknown }) => loop.lastGood !== null)
    const now = `${kept} ${revision}`
    const same = kept && now === before
    before = now
    return same || now
  }
  await waitFor("the plane rests", rests, { everyMs: 1500 })
  return plane
}

function expectQuietPlan(): void {
  const before = everything()
  const plan = traced("plan")
  expect(plan.writes).toEqual([])
  expect(plan.calls).toBeGreaterThan(count)
  expect(everything()).toEqual(before)
  expect([plan.status, plan.stdout, plan.stderr]).toEqual([
    0,
    `nothing to do: ${count} of ${count} objects are as declared\n`,
    "",
  ])
}

describe.skipIf(strace.missing)("what a plan writes (strace)", () => {
  it("is nothing before there is a plane, and no data directory is made", () => {
    const before = everything()
    const plan = traced("plan", "site")
    expect(plan.writes).toEqual([])
    expect(everything()).toEqual(before)
    expect(existsSync(rig.path(".setpoint"))).toBe(false)
    expect(plan.status).toBe(2)
    expect(plan.stdout).toMatch(/plan: 20 to create; 0 as declared\n$/)
  })

  it("is nothing while a plane runs, and the plan is empty after convergence", async () => {
    const plane = await converged()
    expectQuietPlan()
    expect((await plane.end()).code).toBe(0)
    expectQuietPlan()
  })

  itInFull("is nothing after a plane was killed, and drift is seen", async () => {
    const plane = await converged()
    await plane.end("SIGKILL")
    expect(existsSync(rig.path(".setpoint", "store.db-wal"))).toBe(true)
    expectQuietPlan()
    writeFileSync(rig.path("out", "file-3"), "something else\n")
    const before = everything()
    const plan = traced("plan")
    expect(plan.writes).toEqual([])
    expect(everything()).toEqual(before)
    expect(plan.status).toBe(2)
    expect(plan.stdout).toContain('~ content: "something else\\n" -> "text 3\\n"')
    expect(plan.stdout).toContain("someone changed it; declared at site/file-3.json:1")
  })

  it("would be found: a command that writes is flagged", () => {
    const run = traced("new", "provider", "sample")
    expect(run.status).toBe(0)
    const flagged = run.writes.join("\n")
    expect(flagged).toMatch(/mkdir.*sample/)
    expect(flagged).toMatch(/openat.*sample\.ts.*O_WRONLY/)
    expect(flagged).toMatch(/write\(\d+<.*sample\.ts>/)
  })
})

describe("the judgement of a trace", () => {
  it.each([
    'openat(AT_FDCWD, "/a", O_RDWR|O_CLOEXEC) = 3</a>',
    '12 openat(AT_FDCWD, "/a", O_RDONLY|O_CREAT, 0600) = -1 EACCES (Permission denied)',
    '12 unlink("/a") = 0',
    '12 chmod("/a", 0600) = 0',
    '12 rename("/a", "/b") = 0',
    '12 pwrite64(7</d/store.db-shm>, "x", 1, 0) = 1',
    '[pid 12] write(7</a>, "x", 1) = 1',
    "12 mmap(NULL, 32768, PROT_READ|PROT_WRITE, MAP_SHARED, 7</d/store.db-shm>, 0) = 0x7f",
    "12 ftruncate(7</a>, 0) = 0",
  ])("flags %s", (line) => expect(findWrites(line)).toEqual([line]))

  it.each([
    'openat(AT_FDCWD, "/a", O_RDONLY|O_CLOEXEC) = 3</a>',
    'openat(AT_FDCWD, "/dev/null", O_RDWR) = 3</dev/null>',
    '12 write(1<pipe:[99]>, "x", 1) = 1',
    '12 write(5<anon_inode:[eventfd]>, "x", 8) = 8',
    "12 mmap(NULL, 32768, PROT_READ, MAP_SHARED, 7</d/store.db-shm>, 0) = 0x7f",
    "12 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f",
    "12 +++ exited with 0 +++",
  ])("lets %s pass", (line) => expect(findWrites(line)).toEqual([]))
})
