// Diagnosis on real files: a directory that may not be written to, an update and a delete that
// can't be done, the words that people read, and the way out. The plane runs without the
// capability that lets root ignore permissions.

import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { at } from "../../src/base/json.ts"
import { itInFull } from "../full.ts"
import { program } from "../program.ts"
import { dropsOverride } from "../tools.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const permissions = dropsOverride()

let rig: PlaneRig
beforeEach(async () => {
  rig = new PlaneRig()
  for (const name of ["a", "b", "c", "d"]) rig.declare(name, `${name}\n`)
  await rig.start({ prefix: permissions.prefix })
  await rig.converged(4)
})
afterEach(() => rig.close())

function setpoint(...words: readonly string[]): { code: number | null; text: string } {
  const options = { encoding: "utf8", timeout: 60_000 } as const
  const args = [program, "--data", rig.data, ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { code: status, text: stdout + stderr }
}

const status = async (name: string) => (await rig.file(name))?.status
const readyReason = async (name: string): Promise<string> =>
  JSON.stringify((await status(name))?.conditions ?? "gone")

describe.skipIf(permissions.check.missing)("a directory that may not be written to", () => {
  it("is a matter of permission in status, explain and events, and heals by itself", async () => {
    chmodSync(rig.targets, 0o555)
    rig.declare("a", "changed\n")
    const denied = async () => {
      const found = JSON.stringify((await status("a"))?.diagnosis ?? "none")
      return (found.includes('"Permission"') && found.includes("errno EACCES")) || found
    }
    await waitFor("a is diagnosed", denied)
    const told = setpoint("explain", "file", "a")
    expect(told.code).toBe(0)
    expect(told.text).toContain("Why it does not converge:\n  Permission, for ")
    expect(told.text).toContain("- errno EACCES")
    expect(told.text).toContain("give the plane the right to change it")
    expect(setpoint("status").text).toContain("1 Permission")
    expect(setpoint("events").text).toMatch(/Warning +NotConverging +file\/a +Permission: /)
    const before = (await rig.file("a"))?.metadata.resourceVersion
    await pause(1500) // Several attempts; none of them writes.
    expect((await rig.file("a"))?.metadata.resourceVersion).toBe(before)
    chmodSync(rig.targets, 0o755)
    await rig.converged(4)
    expect(readFileSync(rig.target("a"), "utf8")).toBe("changed\n")
    // The loop counts it as converged a moment before its status is written.
    await waitFor("the diagnosis is gone", async () => {
      const { diagnosis } = (await status("a")) ?? {}
      return diagnosis === undefined || JSON.stringify(diagnosis)
    })
  })

  itInFull(
    "keeps a delete from ending; a person releases it and the file stays known",
    async () => {
      const ref = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
      const site = { ...ref, namespace: "default", name: "site" }
      await rig.client.patch(site, "merge", { spec: { deletionDeadline: "1s" } })
      chmodSync(rig.targets, 0o555)
      rmSync(rig.manifest("b"))
      const overdue = async () => {
        const reason = await readyReason("b")
        return reason.includes("DeletionOverdue") || reason
      }
      await waitFor("the delete of b is overdue", overdue)
      const told = setpoint("explain", "file/b")
      expect(told.text).toContain("File b is being deleted.")
      expect(told.text).toContain(
        `setpoint release file b --orphan --reason TEXT --data ${rig.data}`,
      )
      const bare = setpoint("release", "file", "b", "--reason", "its disk is read-only")
      expect([bare.code, bare.text]).toEqual([1, expect.stringContaining("SPT-OWN-003")])
      const release = () =>
        setpoint("release", "file", "b", "--orphan", "--reason", "its disk is read-only")
      const released = async () => {
        const { code, text } = release() // Refused while an act is under way.
        return code === 0 || text
      }
      await waitFor("b is released", released)
      expect(await rig.file("b")).toBeUndefined()
      chmodSync(rig.targets, 0o755)
      await rig.call("POST", "look")
      await rig.converged(3)
      expect(existsSync(rig.target("b"))).toBe(true)
      const orphans = JSON.parse(setpoint("inventory", "--orphans", "-o", "json").text)
      expect(orphans.items).toMatchObject([
        { target: `file:${rig.target("b")}`, cause: "Released", why: "its disk is read-only" },
      ])
      const owned = JSON.parse(setpoint("inventory", "site", "-o", "json").text)
      expect(owned.items).toHaveLength(3)
      expect(owned).toMatchObject({ total: 3, orphans: 1 })
      for (const item of owned.items)
        expect(Date.parse(String(at(item, "since")))).toBeGreaterThan(0)
      await rig.end("SIGKILL")
      await rig.start()
      const target = `file:${rig.target("b")}`
      const forgot = setpoint("inventory", "forget", target, "--reason", "deleted by hand")
      expect(forgot.text).toContain("is forgotten")
      expect(setpoint("inventory", "--orphans").text).toContain("no orphans")
      expect(setpoint("history").text).toContain("reason: its disk is read-only")
    },
  )
})
