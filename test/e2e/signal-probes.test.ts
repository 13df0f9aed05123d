// The real ways in which signals look at the host: programs, databases, logs.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Probes } from "../../src/contract/probes.ts"
import { localProbes } from "../../src/plane/adapters/local-probes.ts"
import { PostgresRig, postgres } from "./plane/postgres-rig.ts"

let base: string
let probes: Probes
const never = new AbortController().signal

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "spt-probe-"))
  mkdirSync(join(base, "data"))
  probes = localProbes({
    directory: join(base, "data"),
    signalCommands: ["/bin/sh", "/bin/cat", "/bin/none"],
  })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

async function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `it answered ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )
}

describe("a program", () => {
  const shell = (text: string, signal = never) =>
    probes.command({ argv: ["/bin/sh", "-c", text] }, signal)

  it("gives its output and exit code, with no input and a small environment", async () => {
    expect(await shell("echo 42; exit 3")).toEqual({ exitCode: 3, stdout: "42\n" })
    expect((await shell("cat; env | sort | cut -d= -f1 | head -2; pwd")).stdout).toContain("LANG")
    expect((await shell("echo $HOME-$SETPOINT; pwd")).stdout).toBe("-\n/\n")
  })

  it("is never run unless the plane was started with it", async () => {
    const marker = join(base, "marker")
    const refused = errorOf(probes.command({ argv: ["/usr/bin/touch", marker] }, never))
    expect(await refused).toContain("signals may not run it here")
    expect(existsSync(marker)).toBe(false)
    expect(await errorOf(probes.command({ argv: ["/bin/none"] }, never))).toContain("ENOENT")
  })

  it("is killed with everything it started when it is called off", async () => {
    const marker = join(base, "marker")
    const stop = new AbortController()
    const running = errorOf(shell(`(sleep 2; touch ${marker}) & sleep 100`, stop.signal))
    await sleep(300)
    stop.abort()
    expect(await running).toContain("called off")
    await sleep(2500)
    expect(existsSync(marker)).toBe(false)
  })

  it("does not hold the plane by a child that keeps the output open", async () => {
    expect(await shell("sleep 100 & echo 7")).toEqual({ exitCode: 0, stdout: "7\n" })
  })

  it("is killed when it writes too much", async () => {
    expect(await errorOf(shell("while :; do echo 0123456789; done"))).toContain("wrote more than")
  })
})

describe("a log", () => {
  it("gives whole new lines, over rotation and cuts", async () => {
    const path = join(base, "app.log")
    writeFileSync(path, "old\n")
    const first = await probes.log(path, undefined, never)
    expect(first.lines).toEqual([])
    appendFileSync(path, "one\ntwo\nthr")
    const second = await probes.log(path, first.cursor, never)
    expect(second.lines).toEqual(["one", "two"])
    appendFileSync(path, "ee\n")
    const third = await probes.log(path, second.cursor, never)
    expect(third.lines).toEqual(["three"])
    renameSync(path, `${path}.1`)
    writeFileSync(path, "fresh\n")
    const fourth = await probes.log(path, third.cursor, never)
    expect(fourth.lines).toEqual(["fresh"])
    writeFileSync(path, "x\n")
    expect((await probes.log(path, fourth.cursor, never)).lines).toEqual(["x"])
  })

  it("of more than fits gives the newest", async () => {
    const path = join(base, "app.log")
    writeFileSync(path, "")
    const { cursor } = await probes.log(path, undefined, never)
    appendFileSync(path, "line\n".repeat(300_000))
    const part = await probes.log(path, cursor, never)
    expect(part.skipped).toBe(true)
    expect(part.lines.length).toBeLessThan(250_000)
    expect((await probes.log(path, part.cursor, never)).lines).toEqual([])
  })

  it("in the data directory, outside the roots or behind a link to there is not read", async () => {
    const secret = join(base, "data", "token")
    writeFileSync(secret, "secret\n")
    symlinkSync(secret, join(base, "link"))
    expect(await errorOf(probes.log(secret, undefined, never))).toContain("may look at")
    expect(await errorOf(probes.log(join(base, "link"), undefined, never))).toContain("may look at")
    const narrow = localProbes({ directory: join(base, "data"), roots: [join(base, "logs")] })
    writeFileSync(join(base, "else"), "")
    expect(await errorOf(narrow.log(join(base, "else"), undefined, never))).toContain("may look at")
    expect(await errorOf(probes.log(base, undefined, never))).toContain("not a file")
  })
})

describe.skipIf(postgres.missing)("a database", { timeout: 180_000 }, () => {
  let server: PostgresRig
  beforeAll(() => {
    server = new PostgresRig()
  }, 180_000)
  afterAll(() => server.close())
  beforeEach(() => server.connect(join(base, "data"), "main"))

  const sql = (query: string, signal = never, name = "main") => probes.sql(name, query, signal)

  it("gives one number", async () => {
    expect(await sql("select 40 + 2")).toBe("42")
    expect(await sql("select count(*) from pg_database -- all of them")).toMatch(/^[0-9]+$/)
    expect(await sql("select true")).toBe(true)
    expect(await sql("select null::int")).toBeNull()
  })

  it("is never written to", async () => {
    for (const query of [
      "create table t (n int)",
      "select 1; create table t (n int)",
      "select 1) as signal(v); commit; create table t (n int); select (1",
      "with made as (insert into pg_description values (1,1,1,'x') returning 1) select 1 from made",
      "select nextval('s')",
    ]) {
      expect(await errorOf(sql(query))).toContain("cannot read the signal")
    }
    expect(await sql("select count(*) from pg_tables where tablename = 't'")).toBe("0")
  })

  it("must give one row, and few characters of it", async () => {
    expect(await errorOf(sql("select generate_series(1, 1000000)"))).toContain("2 rows, not one")
    expect(await errorOf(sql("select 1 where false"))).toContain("0 rows")
    expect(String(await sql("select repeat('9', 1000000)")).length).toBe(100)
  })

  it("is let go when it is called off", async () => {
    const stop = new AbortController()
    const running = errorOf(sql("select pg_sleep(100)::text", stop.signal))
    await sleep(500)
    stop.abort()
    expect(await running).toContain("called off")
  })

  it("is reached only by a private file, whose password is never told", async () => {
    expect(await errorOf(sql("select 1", never, "none"))).toContain("connections/none.json")
    const file = join(base, "data", "connections", "main.json")
    chmodSync(file, 0o644)
    expect(await errorOf(sql("select 1"))).toContain("0600")
    server.connect(join(base, "data"), "wrong", { password: "battery staple" })
    expect(await errorOf(sql("select 1", never, "wrong"))).not.toContain("battery")
    writeFileSync(join(base, "data", "connections", "bad.json"), "password battery", {
      mode: 0o600,
    })
    expect(await errorOf(sql("select 1", never, "bad"))).not.toContain("battery")
  })
})
