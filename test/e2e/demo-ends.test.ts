// However the demo ends, nothing of it stays: no process, no folder. And what it looks like on a
// real terminal.

import { existsSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { demoActions, otherKeys } from "../../src/cli/demo/keys/keys.ts"
import { processesOf, removeDemo, removeKilledDemo } from "../../src/cli/demo/leftovers.ts"
import { counterLine, helpLines, wrapLine } from "../../src/cli/demo/screen.ts"
import { typedName } from "../../src/cli/demo/typed-name.ts"
import { itInFull } from "../full.ts"
import { program } from "../program.ts"
import { requireTool } from "../tools.ts"
import { CliRig } from "./cli-server-rig.ts"
import { Player } from "./demo/player.ts"
import { TerminalRun } from "./demo/terminal-run.ts"
import { waitFor } from "./plane/wait-for.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const timeout = 240_000
const gone = (folder: string) =>
  waitFor("nothing is left", () => {
    const left = processesOf(folder)
    return (left.length === 0 && !existsSync(folder)) || `${left} ${existsSync(folder)}`
  })

describe("a demo that ends", { timeout }, () => {
  let rig: CliRig
  afterEach(() => rig.close())

  /** As soon as there is something to clean up. */
  const begun = async (...args: readonly string[]) => {
    rig = new CliRig()
    const player = new Player(rig.start("demo", ...args))
    await player.demo.said(/\$ \.\/setpoint up loops/)
    await waitFor("the plane runs", () => processesOf(player.folder).length >= 2)
    return player
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s leaves nothing", async (signal) => {
    const player = await begun()
    expect(await player.demo.end(signal)).toMatchObject({ code: 0 })
    expect(processesOf(player.folder)).toEqual([])
    expect(existsSync(player.folder)).toBe(false)
  })

  it("by kill -9 leaves nothing", async () => {
    const player = await begun()
    await player.demo.end("SIGKILL")
    await gone(player.folder)
  })

  it("keeps the folder, and nothing else, when asked", async () => {
    const player = await begun("--keep")
    await player.demo.end("SIGTERM")
    const folder = /^kept (\S+)/m.exec(player.demo.stdout)?.[1] ?? ""
    expect(existsSync(`${folder}/naive.mjs`)).toBe(true)
    expect(processesOf(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  })

  it("takes nothing but a demo's folder away", async () => {
    rig = new CliRig()
    expect(await removeKilledDemo(rig.folder)).toBe(false)
    expect(existsSync(rig.folder)).toBe(true)
    await removeDemo(rig.path("setpoint-demo-nowhere"))
  })

  it("begins a tour where nobody presses keys", async () => {
    rig = new CliRig()
    const demo = rig.start("demo")
    demo.child.stdin?.end()
    await demo.said(/nobody presses keys here[\s\S]*\[e\] [\s\S]*web: \d+ requests, 0 failed/)
    await demo.end("SIGTERM")
    await gone(new Player(demo).folder)
  })

  itInFull("goes through all keys in a tour and ends well", async () => {
    rig = new CliRig()
    const { code, stdout } = await rig.run("demo")
    expect(code).toBe(0)
    for (const { key } of demoActions) expect(stdout).toContain(`\n[${key}] `)
    expect(stdout).not.toMatch(/[1-9]\d* failed/)
  })
})

const script = requireTool("script")

describe.skipIf(script.missing)("the demo on a terminal", { timeout }, () => {
  let run: TerminalRun
  afterEach(() => run.close())

  it("shows one screen, a live counter, and ends by Ctrl-C in the middle of a key", async () => {
    run = new TerminalRun([process.execPath, program, "demo"], { columns: 80, rows: 24 })
    await run.shows(/q {2}quit[\s\S]*web \d+ requests, 0 failed/)
    const { folder } = run
    const screen = run.screen()
    expect(screen).toHaveLength(24)
    for (const text of ["Setpoint demo in", "/login?token=", "export KUBECONFIG=", "k  kill two"]) {
      expect(screen.join("\n")).toContain(text)
    }
    const counted = () => Number(/web (\d+) requests/.exec(run.screen().join("\n"))?.[1])
    const before = counted()
    await waitFor("it counts", () => counted() > before)
    run.press("9")
    await run.shows(/\$ sed -i/)
    run.press("\u0003")
    await run.ended
    await gone(folder)
  })

  it("ends when the terminal goes away", async () => {
    run = new TerminalRun([process.execPath, program, "demo"], { columns: 80, rows: 24 })
    await run.shows(/\$ \.\/setpoint up loops/)
    const { folder } = run
    await waitFor("the plane runs", () => processesOf(folder).length >= 2)
    run.hangUp()
    await gone(folder)
  })
})

describe("the demo's lines", () => {
  it("name the program as it can be typed here", () => {
    expect(typedName("/nowhere", root)).toBe("bin/setpoint")
    expect(typedName(`/nowhere:${root}bin`, root)).toBe("setpoint")
    expect(typedName("", "/nowhere")).toBe("setpoint")
  })

  it("fit any width", () => {
    for (const columns of [1, 20, 40, 80, 300]) {
      const lines = helpLines([...demoActions, ...otherKeys], columns)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(
        Math.max(columns, 42),
      )
      const counters = { requests: 1, failed: 0, files: 100, naive: 60, waiting: "the plane" }
      expect(counterLine(counters, columns).length).toBeLessThan(Math.max(columns, 2))
    }
    const wrapped = wrapLine("  one two three four five", 16)
    expect(wrapped).toEqual(["  one two three", "    four five"])
    const link = `http://127.0.0.1:7444/login?token=${"0".repeat(64)}`
    expect(wrapLine(`  ${link}`, 40)).toEqual([`  ${link}`])
    expect(wrapLine(`  see ${link} and sign in`, 40)).toEqual([
      ...["  see", `    ${link}`, "    and sign in"],
    ])
  })
})
