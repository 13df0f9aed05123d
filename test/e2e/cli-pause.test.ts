// Stops of one object and one provider, and pauses, as a person uses them: a real plane, whole
// commands.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CliRig } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const key = "files.host.setpoint.dev/default/file-1"
let rig: CliRig
beforeAll(async () => {
  rig = new CliRig()
  rig.declareFiles("site", 3)
  await rig.start("up", "site").said(/as declared after/)
})
afterAll(() => rig.close())

const target = (number: number) => rig.path("out", `file-${number}`)
const stopFile = () => rig.path(".setpoint", "stop")
const said = async (...args: string[]) => {
  const { stdout, stderr } = await rig.run(...args)
  return `${stdout}${stderr}`
}
const until = (what: string, ...args: string[]) =>
  waitFor(`${args.join(" ")} says ${what}`, async () => {
    const text = await said(...args)
    return text.includes(what) || text
  })

describe("setpoint pause", () => {
  it("leaves one object alone, shows it everywhere, and resume lets it go on", async () => {
    const paused = await said("pause", "file/file-1", "--for", "2h", "--reason", "being edited")
    expect(paused).toMatch(/STOPPED: all acting of files\S+file-1 until \d{4}-/)
    expect(paused).toContain(`to go on: setpoint resume ${key}`)
    for (const number of [1, 2]) rmSync(target(number))
    await waitFor("the other one is healed", () => existsSync(target(2)))
    await until("STOPPED: all acting stopped of files.host.setpoint.dev/default/file-1", "status")
    await until("waiting/Stopped", "status")
    const told = await said("explain", "file", "file-1")
    expect(told).toContain("being edited")
    expect(told).toContain(`resume ${key}`)
    await until("until", "get", "planes", "local", "-o", "yaml")
    await until("Stopped", "events")
    expect(existsSync(target(1))).toBe(false)
    expect(await said("resume", "file/file-1")).toContain(`acting goes on of ${key}`)
    await waitFor("it is healed", () => existsSync(target(1)))
    expect(existsSync(stopFile())).toBe(false)
  })

  it("ends by itself, and the object is put right then", async () => {
    await said("pause", "file", "file-2", "--for", "2s")
    rmSync(target(2))
    await waitFor("it is healed when the pause is over", () => existsSync(target(2)))
    expect(await said("status")).not.toContain("STOPPED")
    await until("its time is over", "events")
  })

  it.each([
    [["pause", "file/file-1", "--for", "31d"], "at most 30d"],
    [["pause", "file/file-1", "--for", "soon"], "such as 30m"],
    [["pause", "file/nope"], "SPT-STOP-004"],
    [["pause", "nope/file-1"], "no such kind"],
    [["stop", "--provider", "nope"], "there are file"],
    [["stop", "site", "--provider", "file"], "more than one"],
  ])("refuses %j with a reason and stops nothing", async (args, why) => {
    const { code, stderr } = await rig.run(...args)
    expect([code, stderr.includes(why) || stderr]).toEqual([1, true])
    const { stdout } = await rig.run("status", "-o", "json")
    expect(JSON.parse(stdout).stops).toEqual([])
    if (existsSync(stopFile())) expect(readFileSync(stopFile(), "utf8")).not.toContain("nope")
  })
})

describe("setpoint stop", () => {
  it("stops one provider for a time, as data when asked", async () => {
    const stop = ["stop", "--provider", "file", "--for", "1h", "-o", "json"]
    const { stdout } = await rig.run(...stop)
    expect(JSON.parse(stdout)).toMatchObject({
      stops: [{ provider: "file", scope: "all", until: expect.stringMatching(/Z$/) }],
      told: "answered",
    })
    writeFileSync(target(3), "drift")
    await until("waiting/Stopped", "status")
    expect(readFileSync(target(3), "utf8")).toBe("drift")
    expect(await said("resume")).toContain("nothing to lift")
    expect(await said("resume", "--provider", "file")).toContain("goes on of provider file")
    await waitFor("it is healed", () => readFileSync(target(3), "utf8") !== "drift")
  })

  it("stops an object by its whole key while no plane runs; a short name needs one", async () => {
    await rig.close()
    const next = new CliRig()
    next.declareFiles("site", 1)
    try {
      const plane = next.start("up", "site")
      await plane.said(/as declared after/)
      await plane.end()
      const short = await next.run("stop", "--object", "file/file-1")
      expect(short.stderr).toContain("write its whole key")
      expect((await next.run("stop", "--object", key)).code).toBe(0)
      expect(readFileSync(next.path(".setpoint", "stop"), "utf8")).toContain(key)
      rmSync(next.path("out", "file-1"))
      await next.start("up", "site").said(/STOPPED: all acting stopped of files/)
      expect(existsSync(next.path("out", "file-1"))).toBe(false)
    } finally {
      await next.close()
    }
  })
})
