// Gate: a source that is empty, gone, unreadable or broken changes nothing: the last good revision
// stays in force, drift is still healed by it, and status says why.

import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { dropsOverride, mountsPrivately, requireTool } from "../tools.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const count = 20
const permissions = dropsOverride()
const mounts = mountsPrivately()
const nsenter = requireTool("nsenter")

let rig: PlaneRig
let names: string[] = []
beforeEach(() => {
  rig = new PlaneRig()
  names = rig.declareMany(count)
})
afterEach(() => rig.close())

async function sourceSays(state: string, pattern: RegExp): Promise<void> {
  await waitFor(`the source is ${state}`, async () => {
    const { source } = await rig.loopStatus()
    const said = `${source?.state}: ${source?.issues?.join("; ")}`
    return (source?.state === state && pattern.test(said)) || said
  })
}

/** The last good revision is in force: all targets are there, none is marked, drift is healed. */
async function lastGoodStands(): Promise<void> {
  const [first = ""] = names
  rmSync(rig.target(first))
  await waitFor("drift is healed by the last good revision", () => existsSync(rig.target(first)))
  await rig.call("POST", "look")
  expect(readdirSync(rig.targets).sort()).toEqual(names)
  const files = await rig.files()
  expect(files.filter((file) => file.metadata.deletionTimestamp !== undefined)).toEqual([])
  expect(files).toHaveLength(count)
}

describe("a source that can't be believed", () => {
  it("holds everything when the folder is emptied", async () => {
    await rig.start()
    await rig.converged(count)
    for (const name of names) rmSync(rig.manifest(name))
    await waitFor("a plan holds the deletes", async () => {
      const plan = await rig.pendingPlan()
      return plan?.summary === `${count} deletes` || (plan?.summary ?? "no plan")
    })
    const plan = await rig.pendingPlan()
    expect(plan?.reasons.map((reason) => reason.code)).toContain("EmptySet")
    expect(readdirSync(rig.targets)).toHaveLength(count)
    const files = await rig.files()
    expect(files.filter((file) => file.metadata.deletionTimestamp !== undefined)).toEqual([])
  })

  it("keeps the last good revision when the folder is gone", async () => {
    await rig.start()
    await rig.converged(count)
    rmSync(rig.site, { recursive: true })
    await sourceSays("unreadable", /site/)
    await lastGoodStands()
    mkdirSync(rig.site)
    rig.declareMany(count)
    await sourceSays("good", /good/)
  })

  it("keeps it when one file is broken, and says where", async () => {
    await rig.start()
    await rig.converged(count)
    rmSync(rig.manifest(names[3] ?? ""))
    writeFileSync(join(rig.site, "broken.yaml"), "apiVersion: host.setpoint.dev/v1\nkind: [File\n")
    await sourceSays("invalid", /broken\.yaml:\d+:\d+/)
    await lastGoodStands()
    rmSync(join(rig.site, "broken.yaml"))
    await rig.converged(count - 1)
    expect(existsSync(rig.target(names[3] ?? ""))).toBe(false)
  })

  itInFull("keeps it over a restart when the source is broken meanwhile", async () => {
    await rig.start()
    await rig.converged(count)
    await rig.end("SIGKILL")
    rmSync(rig.manifest(names[0] ?? ""))
    writeFileSync(join(rig.site, "broken.yaml"), "{")
    rmSync(rig.target(names[1] ?? ""))
    await rig.start()
    await sourceSays("invalid", /broken\.yaml/)
    await waitFor("drift is healed", () => existsSync(rig.target(names[1] ?? "")))
    await lastGoodStands()
  })
})

describe.skipIf(permissions.check.missing)("a source without permission (setpriv)", () => {
  beforeEach(async () => {
    await rig.start({ prefix: permissions.prefix })
    await rig.converged(count)
  })

  it("keeps the last good revision when the folder can't be read", async () => {
    chmodSync(rig.site, 0o000)
    await sourceSays("unreadable", /EACCES/)
    await lastGoodStands()
    chmodSync(rig.site, 0o755)
    await sourceSays("good", /good/)
  })

  itInFull("keeps it when one file can't be read", async () => {
    const file = rig.manifest(names[5] ?? "")
    chmodSync(file, 0o000)
    await sourceSays("unreadable", /f0005\.yaml.*EACCES/)
    await lastGoodStands()
    chmodSync(file, 0o644)
    await sourceSays("good", /good/)
  })

  itInFull("keeps it when a folder below can't be read", async () => {
    mkdirSync(join(rig.site, "more"))
    await rig.call("POST", "look")
    chmodSync(join(rig.site, "more"), 0o000)
    await sourceSays("unreadable", /more.*EACCES/)
    await lastGoodStands()
    chmodSync(join(rig.site, "more"), 0o755)
    await sourceSays("good", /good/)
  })
})

describe.skipIf(mounts.missing || nsenter.missing)("a source on a mount (unshare)", () => {
  const mount = () => `mkdir -p ${rig.base}/copy
cp ${rig.site}/* ${rig.base}/copy/
rm ${rig.site}/*
mount -t tmpfs none ${rig.site}
cp ${rig.base}/copy/* ${rig.site}/`

  it("keeps the last good revision when it is unmounted", async () => {
    await rig.start({ mounts: mount() })
    await rig.converged(count)
    const unmounted = spawnSync("nsenter", ["-t", String(rig.pid), "-m", "umount", rig.site])
    expect(String(unmounted.stderr)).toBe("")
    await rig.call("POST", "look")
    await sourceSays("unreadable", /mount/)
    await lastGoodStands()
    expect(await rig.pendingPlan()).toBeUndefined()
  })

  it("deletes nothing when the plane starts on the empty mount point", async () => {
    await rig.start({ mounts: mount() })
    await rig.converged(count)
    await rig.end("SIGTERM")
    await rig.start()
    await rig.call("POST", "look")
    expect(readdirSync(rig.targets)).toHaveLength(count)
    const files = await rig.files()
    expect(files.filter((file) => file.metadata.deletionTimestamp !== undefined)).toEqual([])
    expect((await rig.pendingPlan())?.summary).toBe(`${count} deletes`)
  })
})
