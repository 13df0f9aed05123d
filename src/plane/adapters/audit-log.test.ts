import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { AuditLine } from "../../api/http/audit-request.ts"
import { auditFiles, openAuditLog, readAuditLines } from "./audit-log.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spt-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const line = (id: string): AuditLine => ({
  ...{ id, time: "2026-01-02T03:04:05Z", user: "bob", kind: "human", source: "socket" },
  ...{ verb: "create", resource: "files", code: 201 },
})
const ids = () => [...readAuditLines(directory, 0)].map(({ id }) => id)

describe("the log of requests", () => {
  it("keeps lines that come together, in their order, each before its answer", async () => {
    const log = openAuditLog({ directory, now: () => 1 })
    const told = ["a", "b", "c"].map((id) => log.write(line(id)))
    expect([...readAuditLines(directory, 0)]).toEqual([])
    await told[2]
    expect([...readAuditLines(directory, 0)].map(({ id }) => id)).toEqual(["a", "b", "c"])
    await Promise.all(told)
    await log.write(line("d"))
    void log.write(line("e"))
    log.close()
    expect([...readAuditLines(directory, 0)].map(({ id }) => id).join("")).toBe("abcde")
  })

  it("has every line that was written, in files of the owner's alone", async () => {
    const log = openAuditLog({ directory, now: () => 1 })
    await Promise.all(["a", "b", "c"].map((id) => log.write(line(id))))
    log.close()
    const again = openAuditLog({ directory, now: () => 2 })
    await again.write(line("d"))
    again.close()
    expect(ids()).toEqual(["a", "b", "c", "d"])
    const [file = ""] = auditFiles(directory)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("loses only the line that a crash cut off, not the one after it", async () => {
    const log = openAuditLog({ directory, now: () => 1 })
    await log.write(line("a"))
    log.close()
    const [file = ""] = auditFiles(directory)
    appendFileSync(file, JSON.stringify(line("cut")).slice(0, 20))
    const again = openAuditLog({ directory, now: () => 2 })
    await again.write(line("b"))
    again.close()
    expect(ids()).toEqual(["a", "b"])
  })

  it("is bounded in size and number of files, and forgets the oldest first", async () => {
    let time = 1
    const limits = { fileBytesMax: 500, filesMax: 3 }
    const log = openAuditLog({ directory, now: () => time++, ...limits })
    for (let index = 0; index < 60; index++) await log.write(line(`n${index}`))
    log.close()
    const files = auditFiles(directory)
    expect(files.length).toBe(3)
    for (const file of files) expect(statSync(file).size).toBeLessThanOrEqual(500)
    expect(ids().at(-1)).toBe("n59")
    expect(ids()).not.toContain("n0")
  })

  it("passes over a line that a crash cut off", async () => {
    const log = openAuditLog({ directory, now: () => 1 })
    await log.write(line("a"))
    log.close()
    const [file = ""] = auditFiles(directory)
    writeFileSync(file, '{"id":"cut', { flag: "a" })
    expect(ids()).toEqual(["a"])
  })

  it("says when nothing can be written, and when it can again", async () => {
    symlinkSync(join(directory, "nowhere", "deep"), join(directory, "audit"))
    const log = openAuditLog({ directory, now: () => 1 })
    expect(log.trouble()).toBeDefined()
    await expect(log.write(line("a"))).rejects.toThrow()
    rmSync(join(directory, "audit"))
    expect(log.trouble()).toBeUndefined()
    await log.write(line("b"))
    log.close()
    expect(ids()).toEqual(["b"])
    expect(readdirSync(join(directory, "audit"))).toHaveLength(1)
  })
})
