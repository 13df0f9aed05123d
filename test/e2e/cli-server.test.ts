// The commands that run, watch, stop and keep a plane, as a person uses them.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { CliRig } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

let rig: CliRig
beforeEach(() => {
  rig = new CliRig()
})
afterEach(() => rig.close())

const loop = (name: string, path: string) =>
  [
    "apiVersion: setpoint.dev/v1alpha1",
    "kind: Loop",
    `metadata: {name: ${name}}`,
    `spec: {mode: Enforce, source: {directory: {path: ${path}}}}`,
    "",
  ].join("\n")

const status = async () => JSON.parse((await rig.run("status", "-o", "json")).stdout)

describe("setpoint up", () => {
  it("keeps the folder, says what it did, and ends in order when told", async () => {
    rig.declareFiles("My Site", 3)
    const plane = rig.start("up", "My Site")
    await plane.said(/3 of 3 as declared/)
    expect(plane.stdout).toMatch(/loop {3}default\.my-site {2}Enforce {2}keeps /)
    expect(readFileSync(rig.path("out", "file-2"), "utf8")).toBe("text 2\n")
    writeFileSync(rig.path("out", "file-1"), "by hand")
    await plane.said(/updated File file-1 \(content\): someone changed content/)
    expect(await plane.end()).toMatchObject({ code: 0 })
    const again = rig.start("up", "My Site", "--mode", "Observe")
    await again.said(/default\.my-site {2}Observe/)
  })

  it("refuses a folder that is missing, a file or nameless before it makes anything", async () => {
    writeFileSync(rig.path("file"), "")
    mkdirSync(rig.path("---"))
    for (const [path, why] of [
      ["nowhere", "there is no such folder"],
      ["file", "it is not a folder"],
      ["./---", "holds no letter or digit"],
    ] as const) {
      const { code, stderr } = await rig.run("up", path)
      expect(code).toBe(1)
      expect(stderr).toContain(why)
    }
    expect(existsSync(rig.path(".setpoint"))).toBe(false)
  })

  it("takes Loop objects at the top, relative to it, and makes no loop of its own", async () => {
    rig.declareFiles("all/parts", 2)
    writeFileSync(rig.path("all", "loops.yaml"), loop("parts", "./parts"))
    const plane = rig.start("up", "all")
    await plane.said(/2 of 2 as declared/)
    const ids = (await status()).loops.map((one: { id: string }) => one.id)
    expect(ids).toContain("default.parts")
    expect(ids).not.toContain("default.all")
  })

  it("refuses a Loop inside its own source, with its line", async () => {
    rig.declareFiles("site", 1)
    writeFileSync(rig.path("site", "loop.yaml"), `# a comment\n${loop("site", "./elsewhere")}`)
    const mixed = await rig.run("up", "site")
    expect(mixed.code).toBe(1)
    expect(mixed.stderr).toMatch(/site\/loop\.yaml:2:1: a Loop can't lie in a folder of other/)
    mkdirSync(rig.path("self"))
    writeFileSync(rig.path("self", "loop.yaml"), loop("self", "."))
    const { code, stderr } = await rig.run("up", "self")
    expect(code).toBe(1)
    expect(stderr).toMatch(/self\/loop\.yaml:1:1: Loop self would lie inside its own source/)
    expect(existsSync(rig.path(".setpoint"))).toBe(false)
  })

  itInFull("never points a loop that keeps one folder to another", async () => {
    rig.declareFiles("a/site", 1)
    mkdirSync(rig.path("b", "site"), { recursive: true })
    const plane = rig.start("up", "a/site")
    await plane.said(/1 of 1 as declared/)
    await plane.end()
    const { code, stderr } = await rig.run("up", "b/site")
    expect(code).toBe(1)
    expect(stderr).toContain("SPT-CLI-005")
    expect(existsSync(rig.path("out", "file-1"))).toBe(true)
  })

  itInFull("refuses a second plane on the same directory and names the first", async () => {
    const plane = rig.start("serve")
    await plane.said(/^plane /)
    const { code, stderr } = await rig.run("serve")
    expect(code).toBe(1)
    expect(stderr).toContain(`process ${plane.child.pid}`)
  })

  it("answers wrong usage with 64", async () => {
    for (const args of [["frob"], ["serve", "--store", "etcd://x"], ["up", "--mode", "Maybe"]]) {
      expect(await rig.run(...args)).toMatchObject({ code: 64 })
    }
  })
})

describe("setpoint stop and resume", () => {
  itInFull(
    "stops a plane that does not run yet, and only a running one can be resumed",
    async () => {
      rig.declareFiles("site", 2)
      mkdirSync(rig.path(".setpoint"))
      const stopped = await rig.run("stop", "--reason", "wait for me")
      expect(stopped).toMatchObject({ code: 0 })
      expect(readFileSync(rig.path(".setpoint", "stop"), "utf8")).toContain("wait for me")
      const refused = await rig.run("resume")
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr).toContain("SPT-CLI-006")
      const plane = rig.start("up", "site")
      await plane.said(/STOPPED: all acting stopped everywhere by .*: wait for me/)
      await waitFor("both are looked at", async () => (await status()).loops.length === 3)
      expect(existsSync(rig.path("out", "file-1"))).toBe(false)
      expect((await rig.run("resume")).stdout).toContain("acting goes on everywhere")
      await waitFor("the files are made", () => existsSync(rig.path("out", "file-2")))
      expect(existsSync(rig.path(".setpoint", "stop"))).toBe(false)
    },
  )

  itInFull("ends by itself when the plane is blocked, with the stop written", async () => {
    const plane = rig.start("serve")
    await plane.said(/^plane /)
    plane.child.kill("SIGSTOP")
    const { code, stdout } = await rig.run("stop")
    expect(code).toBe(0)
    expect(stdout).toContain("it obeys the file all the same")
    expect(existsSync(rig.path(".setpoint", "stop"))).toBe(true)
    plane.child.kill("SIGCONT")
  })

  it("stops one loop or only deletes, shows it, and refuses a loop that is not there", async () => {
    rig.declareFiles("site", 1)
    const plane = rig.start("up", "site")
    await plane.said(/1 of 1 as declared/)
    await rig.run("stop", "site", "--deletes")
    const { stops } = await status()
    expect(stops).toMatchObject([{ loop: "default.site", scope: "deletes" }])
    const wrong = await rig.run("stop", "default.nope")
    expect(wrong).toMatchObject({ code: 1 })
    expect((await status()).stops).toHaveLength(1)
    expect((await rig.run("resume")).stdout).toContain(
      "still STOPPED: deletes in loop default.site",
    )
    await rig.run("resume", "site", "--deletes")
    expect((await status()).stops).toHaveLength(0)
    await plane.said(/resume deletes in loop default\.site/)
  })

  it("makes no directory for a plane that is not there", async () => {
    expect(await rig.run("stop", "--data", "nowhere")).toMatchObject({ code: 1 })
    expect(existsSync(rig.path("nowhere"))).toBe(false)
  })
})

describe("setpoint status and doctor", () => {
  it("shows people and machines how loops stand, and fails without a plane", async () => {
    rig.declareFiles("site", 2)
    const plane = rig.start("up", "site")
    await plane.said(/2 of 2 as declared/)
    const { code, stdout } = await rig.run("status")
    expect(code).toBe(0)
    expect(stdout).toMatch(/default\.site {2}Enforce {2}2 of 2 as declared/)
    expect((await rig.run("status", "-o", "yaml")).stdout).toContain("id: default.site")
    const doctor = await rig.run("doctor")
    expect(doctor).toMatchObject({ code: 0 })
    expect(doctor.stdout).toMatch(/ok +plane +running \(process \d+\) and answering/)
    await plane.end()
    expect(await rig.run("status")).toMatchObject({ code: 1 })
  })

  it("finds a damaged store", async () => {
    rig.declareFiles("site", 20)
    const plane = rig.start("up", "site")
    await plane.said(/20 of 20 as declared/)
    await plane.end()
    expect((await rig.run("doctor")).stdout).toMatch(/ok +journal +\d+ entries/)
    truncateSync(rig.path(".setpoint", "store.db"), 8192)
    const { code, stdout } = await rig.run("doctor")
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail +store/m)
  })
})

describe("setpoint backup and restore", () => {
  itInFull(
    "copies a running plane; a restored one is marked until it has observed all",
    async () => {
      rig.declareFiles("site", 3)
      const plane = rig.start("up", "site")
      await plane.said(/3 of 3 as declared/)
      expect(await rig.run("backup", "copy.db")).toMatchObject({ code: 0 })
      expect(await rig.run("backup", "copy.db")).toMatchObject({ code: 1 })
      await plane.end()
      expect(await rig.run("restore", "copy.db", "--data", "again")).toMatchObject({ code: 0 })
      expect(await rig.run("restore", "copy.db", "--data", "again")).toMatchObject({ code: 1 })
      renameSync(rig.path("site"), rig.path("elsewhere"))
      const restored = rig.start("serve", "--data", "again")
      await restored.said(/restored from a backup/)
      const again = async () =>
        JSON.parse((await rig.run("status", "--data", "again", "-o", "json")).stdout)
      const before = await again()
      expect(before.restored).toBe(true)
      const site = before.loops.find(({ id }: { id: string }) => id === "default.site")
      expect(site.source.state).toBe("unreadable")
      renameSync(rig.path("elsewhere"), rig.path("site"))
      await waitFor("everything was observed", async () => (await again()).restored === false)
      expect(readFileSync(rig.path("out", "file-3"), "utf8")).toBe("text 3\n")
    },
  )
})
