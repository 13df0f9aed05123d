// Faults of the disk and of the data directory: each ends in a clear reason, with nothing lost,
// nothing deleted and nothing made twice; when the fault is over, the plane converges.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { mountsPrivately, requireTool } from "../tools.ts"
import { MountKeeper } from "./plane/mount-keeper.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const mounts = mountsPrivately()
const nsenter = requireTool("nsenter")

let rig: PlaneRig
let keeper: MountKeeper | undefined
beforeEach(() => {
  rig = new PlaneRig()
  keeper = undefined
})
afterEach(async () => {
  await rig.close()
  keeper?.close()
})

async function mounted(script: string): Promise<MountKeeper> {
  const made = new MountKeeper(script)
  keeper = made
  await made.ready()
  return made
}

const statusOf = async (name: string) => JSON.stringify((await rig.file(name))?.status ?? {})

/** Objects that say this in their status. */
async function saying(names: readonly string[], pattern: RegExp): Promise<number> {
  const texts = await Promise.all(names.map(statusOf))
  return texts.filter((text) => pattern.test(text)).length
}

describe.skipIf(mounts.missing || nsenter.missing)("the disk of the targets (unshare)", () => {
  it("full: says ENOSPC, leaves no pieces, and goes on when there is space", async () => {
    const disk = await mounted(`mount -t tmpfs -o size=1m none ${rig.targets}`)
    const names = rig.declareMany(30, (index) => `${index}:${"x".repeat(60_000)}\n`)
    await rig.start({ prefix: disk.prefix })
    await waitFor("ENOSPC is said", async () => {
      const said = await saying(names, /ENOSPC/)
      return said > 5 || said
    })
    expect(rig.alive).toBe(true)
    const inside = disk.inside(rig.targets)
    const whole = readdirSync(inside).filter((name) => !name.startsWith(".setpoint-"))
    for (const name of whole)
      expect(readFileSync(join(inside, name)).length).toBeGreaterThan(60_000)
    disk.run("mount", "-o", "remount,size=8m", rig.targets)
    await rig.converged(30)
    expect(readdirSync(inside).sort()).toEqual(names)
  })

  itInFull("read-only: says EROFS, and heals when it is writable again", async () => {
    const disk = await mounted(`mount -t tmpfs none ${rig.targets}`)
    rig.declareMany(3)
    await rig.start({ prefix: disk.prefix })
    await rig.converged(3)
    rmSync(disk.inside(rig.target("f0000")))
    disk.run("mount", "-o", "remount,ro", rig.targets)
    rig.declare("late", "late\n")
    await waitFor("EROFS is said", async () => /EROFS/.test(await statusOf("late")))
    disk.run("mount", "-o", "remount,rw", rig.targets)
    await rig.converged(4)
    expect(readdirSync(disk.inside(rig.targets))).toHaveLength(4)
  })

  it("unmounted: makes nothing on the empty mount point, and goes on when it is back", async () => {
    const disk = await mounted(`mount -t tmpfs none ${rig.targets}`)
    const names = rig.declareMany(5)
    await rig.start({ prefix: disk.prefix })
    await rig.converged(5)
    disk.run("mount", "--bind", "/", "/mnt")
    disk.run("umount", rig.targets)
    await rig.call("POST", "look")
    await waitFor("the doubt is said", async () => {
      const said = await saying(names, /another file system|unmounted/)
      return said === 5 || said
    })
    await pause(500)
    expect(readdirSync(rig.targets)).toEqual([])
    expect(rig.alive).toBe(true)
  })
})

describe.skipIf(mounts.missing || nsenter.missing)(
  "the disk of the data directory (unshare)",
  () => {
    it("full: says why, loses nothing, and goes on when there is space", async () => {
      const disk = await mounted(
        `mkdir -p ${rig.data}\nmount -t tmpfs -o size=1m,mode=0700 none ${rig.data}`,
      )
      rig.insideMounts = true
      rig.declareMany(300)
      const ended = rig.launch({ prefix: disk.prefix })
      const said = /full|ENOSPC|no space/i
      await waitFor("it says that the disk is full", () => said.test(rig.errors) || rig.errors)
      await pause(500)
      console.log(`full data directory: the plane is ${rig.alive ? "alive" : "ended"}`)
      if (!rig.alive) expect((await ended).code).toBe(1)
      const made = readdirSync(rig.targets).filter((name) => !name.startsWith("."))
      await pause(500)
      const later = readdirSync(rig.targets).filter((name) => !name.startsWith("."))
      expect(later).toEqual(made) // What can't be noted is not done.
      const fullAt = Date.now()
      disk.run("mount", "-o", "remount,size=64m", rig.data)
      if (!rig.alive) await rig.start({ prefix: disk.prefix })
      await rig.converged(300)
      expect(readdirSync(rig.targets)).toHaveLength(300)
      const noted = new Set(
        (await rig.history()).flatMap(({ event, time }) =>
          event.type === "intent" && Date.parse(time) <= fullAt
            ? event.actions.map((one) => one.target)
            : [],
        ),
      )
      console.log(`${made.length} of 300 were made before it was full, ${noted.size} noted`)
      expect(made.filter((name) => !noted.has(`file:${rig.target(name)}`))).toEqual([])
    })

    itInFull("read-only: does not start, says why, and starts when it is writable", async () => {
      const disk = await mounted(
        `mkdir -p ${rig.data}\nmount -t tmpfs -o size=64m,mode=0700 none ${rig.data}`,
      )
      rig.insideMounts = true
      rig.declareMany(3)
      await rig.start({ prefix: disk.prefix })
      await rig.converged(3)
      await rig.end("SIGTERM")
      disk.run("mount", "-o", "remount,ro", rig.data)
      const refused = await rig.launch({ prefix: disk.prefix })
      expect(refused.code).toBe(1)
      expect(refused.errors).toMatch(/cannot .*(EROFS|read-only|readonly)/i)
      disk.run("mount", "-o", "remount,rw", rig.data)
      await rig.start({ prefix: disk.prefix })
      await rig.converged(3)
    })
  },
)

describe("the data directory", () => {
  beforeEach(async () => {
    rig.declareMany(5)
    await rig.start()
    await rig.converged(5)
  })

  async function refusesToStart(pattern: RegExp): Promise<void> {
    const before = readdirSync(rig.targets)
    const { code, errors } = await rig.launch()
    expect(errors).toMatch(pattern)
    expect(errors).toMatch(/\[SPT-/)
    expect(code).toBe(1)
    expect(readdirSync(rig.targets)).toEqual(before)
  }

  it("serves one plane: the second ends with a clear error and harms nothing", async () => {
    const second = new PlaneRig()
    const first = rig
    try {
      Object.defineProperty(second, "data", { value: first.data })
      const { code, errors } = await second.launch()
      expect(code).toBe(1)
      expect(errors).toMatch(/cannot .*(in use|another|already)/i)
      rmSync(first.target("f0001"))
      await first.converged(5)
    } finally {
      Object.defineProperty(second, "data", { value: join(second.base, "data") })
      await second.close()
    }
  })

  itInFull("is refused when it lost its store", async () => {
    await rig.end("SIGKILL")
    for (const name of ["store.db", "store.db-wal", "store.db-shm"]) {
      rmSync(join(rig.data, name), { force: true })
    }
    await refusesToStart(/cannot open/)
  })

  itInFull("is refused when its store was cut short", async () => {
    await rig.end("SIGTERM")
    truncateSync(join(rig.data, "store.db"), 8192)
    await refusesToStart(/cannot/)
  })

  itInFull("emptied, starts as a new plane that owns nothing and deletes nothing", async () => {
    await rig.end("SIGKILL")
    rmSync(rig.data, { recursive: true })
    await rig.start()
    await rig.converged(5)
    await waitFor("it says that it is not ours", async () =>
      /"owned":false/.test(await statusOf("f0000")),
    )
    rmSync(rig.manifest("f0000"))
    await waitFor("the object goes", async () => (await rig.file("f0000")) === undefined)
    expect(readdirSync(rig.targets)).toHaveLength(5)
  })

  itInFull("taken away while the plane runs: nothing is done that could not be noted", async () => {
    const { client } = rig
    renameSync(rig.data, `${rig.data}-moved`)
    rmSync(rig.target("f0002"))
    await pause(1500)
    expect(readdirSync(rig.targets)).toHaveLength(4)
    client.close()
    renameSync(`${rig.data}-moved`, rig.data)
    await waitFor("it goes on when the directory is back", () => existsSync(rig.target("f0002")))
    await rig.converged(5)
    rmSync(rig.data, { recursive: true })
    rmSync(rig.target("f0003"))
    await pause(1500)
    expect(readdirSync(rig.targets)).toHaveLength(4)
    expect((await rig.end("SIGTERM")).signal).toBeNull()
  })
})

describe("SIGTERM with work in flight", () => {
  itInFull("ends in order, and the next start does the rest", async () => {
    const names = rig.declareMany(200)
    const started = rig.start()
    const made = () => readdirSync(rig.targets).length
    await waitFor("work is under way", () => made() > 20 || made())
    await started
    const ended = await rig.end("SIGTERM")
    expect(ended).toMatchObject({ code: 0, signal: null })
    console.log(`ended after ${made()} of 200`)
    expect(readdirSync(rig.targets).filter((name) => name.startsWith("."))).toEqual([])
    await rig.start()
    await rig.converged(200)
    expect(readdirSync(rig.targets).sort()).toEqual(names)
  })
})
