// Gate: a rollback of a real folder converges, stays while the folder still holds the bad revision,
// also over kill -9, and moves on when the folder changes. By the real command line.

import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { at, isArray, type Json } from "../../src/base/json.ts"
import { itInFull } from "../full.ts"
import { program } from "../program.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

let rig: PlaneRig
beforeEach(() => {
  rig = new PlaneRig()
})
afterEach(() => rig.close())

function setpoint(...args: string[]): { code: number | null; out: string; err: string } {
  const env = { ...process.env, XDG_CONFIG_HOME: join(rig.base, "config"), NO_COLOR: "1" }
  const command = [program, "--data", rig.data, ...args]
  const ran = spawnSync(process.execPath, command, { env, cwd: rig.base, encoding: "utf8" })
  return { code: ran.status, out: ran.stdout, err: ran.stderr }
}

/** Of the targets themselves: a write under way has a file of its own beside its target. */
const contents = (): string[] =>
  readdirSync(rig.targets)
    .filter((name) => !name.startsWith("."))
    .sort()
    .map((name) => readFileSync(rig.target(name), "utf8"))

async function kept(names: readonly string[]): Promise<void> {
  await waitFor(`checkpoints ${names.join(", ")}`, async () => {
    const answer: Json = await rig.call("GET", `checkpoints?loop=${rig.loop}`)
    const all = at(answer, "checkpoints")
    const found = isArray(all) ? all.map((one) => String(at(one, "name"))) : []
    return names.every((name) => found.includes(name)) || found.join(", ")
  })
}

async function reads(content: string): Promise<void> {
  await waitFor(`the targets read ${content}`, () => {
    const now = contents()
    return now.every((text) => text.startsWith(content)) || now.join("|")
  })
}

async function badRevision(): Promise<void> {
  rig.declareMany(5, (index) => `good ${index}\n`)
  await rig.start()
  await rig.loosen()
  await rig.converged(5)
  await kept(["last-good"])
  rig.declareMany(5, (index) => `bad ${index}\n`)
  await reads("bad")
  await kept(["last-good", "last-good-1"])
}

describe("a rollback of a real folder", () => {
  it("converges, stays over kill -9 while the folder is bad, and moves on with it", async () => {
    await badRevision()
    const same = setpoint("rollback", "site")
    expect(same.code).toBe(1)
    expect(same.err).toContain("what it declares now is the same")
    expect(same.err).toContain("--to last-good-1")
    const tried = setpoint("rollback", "site", "--to", "last-good-1", "--dry-run")
    expect(tried.code).toBe(2)
    expect(tried.out).toContain("~ File f0000")
    expect(tried.out).toContain('"bad 0\\n" -> "good 0\\n"')
    expect(contents()[0]).toBe("bad 0\n")
    const done = setpoint("rollback", "site", "--to", "last-good-1", "--reason", "wrong branch")
    expect(done.err).toBe("")
    expect(done.code).toBe(0)
    expect(done.out).toContain("rolled back default.site to last-good-1: 5 changed")
    await reads("good")
    await rig.end("SIGKILL")
    await rig.start()
    await rig.converged(5)
    await rig.call("POST", "look")
    await reads("good")
    expect(setpoint("plan", rig.site)).toMatchObject({ code: 0 })
    const noKey = join(rig.base, "no-key")
    const blind = setpoint("plan", rig.site, "--key-file", noKey)
    // What it can not know it says, and counts it as a difference.
    expect(blind).toMatchObject({ code: 2, err: "" })
    expect(blind.out).toContain("which is not in the key file; what is stored is taken as it is")
    expect(existsSync(noKey)).toBe(false)
    const status = setpoint("status").out
    expect(status).toMatch(/ROLLED BACK {2}rolled back to last-good-1 by \S+: wrong branch/)
    expect(setpoint("explain", "file", "f0001").out).toContain("rolled back to last-good-1")
    const loop = setpoint("get", "loop", "site", "-o", "yaml").out
    expect(loop).toContain("checkpoint: last-good-1")
    writeFileSync(rig.target("f0002"), "drift\n")
    await reads("good")
    rig.declareMany(5, (index) => `better ${index}\n`)
    await reads("better")
    expect(setpoint("status").out).not.toContain("ROLLED BACK")
    const history = setpoint("history").out
    expect(history).toMatch(/rolled back to last-good-1 by .*set aside: wrong branch/)
    expect(history).toContain("rollback to last-good-1 ended: the source moved on to revision")
    expect(history).toContain("cause: rollback: rolled back to last-good-1")
    await waitFor("the events", () => {
      const events = setpoint("events").out
      return (events.includes("RolledBack") && events.includes("RollbackEnded")) || events
    })
  })

  itInFull(
    "keeps the rolled-back state when the folder is gone, and is ended by a person",
    async () => {
      await badRevision()
      expect(setpoint("rollback", "site", "--to", "last-good-1").code).toBe(0)
      await reads("good")
      rmSync(rig.site, { recursive: true })
      rmSync(rig.target("f0003"))
      await waitFor("drift is healed", () => existsSync(rig.target("f0003")))
      await reads("good")
      mkdirSync(rig.site)
      rig.declareMany(5, (index) => `bad ${index}\n`)
      await rig.call("POST", "look")
      await reads("good")
      const ended = setpoint("rollback", "--end", "site")
      expect(ended.out).toContain("the source is used again")
      await reads("bad")
      expect(setpoint("rollback", "--end", "site").err).toContain("none stands")
    },
  )
})

describe("checkpoints on the command line", () => {
  itInFull("are made, listed, shown, compared and deleted", async () => {
    rig.declareMany(3)
    await rig.start()
    await rig.converged(3)
    expect(setpoint("checkpoint", "create", "site", "first", "--reason", "known").code).toBe(0)
    rig.declare("f0001", "edited\n")
    await waitFor("the edit", () => readFileSync(rig.target("f0001"), "utf8") === "edited\n")
    const list = setpoint("checkpoint", "list", "site").out
    expect(list).toMatch(/default\.site +first +3 +[0-9a-f]{12} .* known/)
    expect(setpoint("checkpoint", "show", "site", "first").out).toMatch(/File +f0001 +[0-9a-f]{12}/)
    const diff = setpoint("checkpoint", "diff", "site", "first")
    expect(diff.code).toBe(2)
    expect(diff.out).toContain("~ File f0001")
    expect(diff.out).toContain("first -> now: 1 changed")
    expect(setpoint("checkpoint", "diff", "site", "first", "first").code).toBe(0)
    const json = JSON.parse(setpoint("checkpoint", "list", "-o", "json").out)
    expect(json.checkpoints.map((one: { name: string }) => one.name)).toContain("first")
    expect(setpoint("checkpoint", "delete", "site", "first").code).toBe(0)
    const gone = setpoint("checkpoint", "show", "site", "first")
    expect(gone.code).toBe(1)
    expect(gone.err).toContain("cannot find checkpoint first of loop default.site")
  })
})

describe("backups by itself", () => {
  itInFull("are verified, shown in status, and can be restored", async () => {
    const backups = join(rig.base, "backups")
    rig.declareMany(3)
    await rig.start({ args: ["--backup-to", backups, "--backup-every", "1m"] })
    await rig.converged(3)
    const files = () => (existsSync(backups) ? readdirSync(backups) : [])
    await waitFor("a good backup", () => files().some((name) => name.endsWith(".db")))
    const [name = ""] = files()
    const file = join(backups, name)
    expect(statSync(file).mode & 0o077).toBe(0)
    await waitFor("status", () => setpoint("status").out.includes(`last good backup`))
    const good = setpoint("backup", "--verify", file)
    expect(good.out).toMatch(/^good: plane \S+ at revision \d+/)
    await rig.end("SIGTERM")
    const restored = setpoint("--data", join(rig.base, "again"), "restore", file)
    expect(restored.err).toBe("")
    const bytes = readFileSync(file)
    bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 600)
    writeFileSync(join(rig.base, "bad.db"), bytes)
    const bad = setpoint("backup", "--verify", join(rig.base, "bad.db"))
    expect(bad.code).toBe(1)
    expect(bad.err).toContain("cannot trust the backup")
    const none = setpoint("backup", "--verify", join(rig.base, "none.db"))
    expect(none.err).toContain("there is no such file")
  })

  itInFull("that fail are a warning and an event", async () => {
    rig.declareMany(1)
    writeFileSync(join(rig.base, "file"), "")
    await rig.start({ args: ["--backup-to", join(rig.base, "file", "backups")] })
    expect(setpoint("status").out).toMatch(/BACKUP FAILED \S+: .*file/)
    await waitFor("the event", () => setpoint("events").out.includes("BackupFailed"))
  })

  it("are refused inside the data directory", () => {
    const to = join(rig.data, "backups")
    const refused = setpoint("up", rig.site, "--backup-to", to)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("would be lost with it")
  })
})
