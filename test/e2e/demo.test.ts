// Every key of the demo, pressed in a real `setpoint demo`, with its effect looked up on the disk.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { helpLines } from "../../src/cli/demo/run-demo.ts"
import { dropsOverride } from "../tools.ts"
import { CliRig, type RunningCommand } from "./cli-server-rig.ts"

/** A demo that is played by writing keys to its input. */
class Player {
  readonly demo: RunningCommand
  #seen = 0

  constructor(demo: RunningCommand) {
    this.demo = demo
  }

  get folder(): string {
    return /Setpoint demo in (\S+)/.exec(this.demo.stdout)?.[1] ?? "unknown"
  }

  /** What it said since the last key, once that holds the pattern. */
  async press(key: string, pattern: RegExp): Promise<string> {
    this.#seen = this.demo.stdout.length
    this.demo.child.stdin?.write(key)
    await this.demo.said(new RegExp(`^[^]{${this.#seen}}[^]*${pattern.source}`))
    return this.demo.stdout.slice(this.#seen)
  }

  page(number: number): string {
    return join(this.folder, "www", `page-${String(number).padStart(3, "0")}.html`)
  }

  files(): number {
    return readdirSync(join(this.folder, "www")).length
  }

  manifests(): number {
    return readdirSync(join(this.folder, "site")).length
  }
}

const processId = (text: string) => Number(/process (\d+)/.exec(text)?.[1])
const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

describe("the keys of the demo", () => {
  const rig = new CliRig()
  let player: Player
  beforeAll(async () => {
    player = new Player(rig.start("demo"))
    await player.demo.said(/q {2}quit/)
  })
  afterAll(() => rig.close())

  it("starts with 100 real files", () => {
    expect(player.files()).toBe(100)
    expect(readFileSync(player.page(7), "utf8")).toBe("<h1>Page 7</h1>\n")
  })

  it("e edits a file, which is healed with its cause", async () => {
    const said = await player.press("e", /healed in \d+ ms; history: .*\n/)
    expect(said).toContain("$ echo 'changed by hand' > www/page-051.html")
    expect(said).toContain("updated File page-051 (content)")
    expect(readFileSync(player.page(51), "utf8")).toBe("<h1>Page 51</h1>\n")
  })

  it("c changes a mode, which is healed", async () => {
    const said = await player.press("c", /healed in \d+ ms; history: .*\n/)
    expect(said).toContain("$ chmod 777 www/page-052.html")
    expect(said).toContain("(mode)")
    expect(statSync(player.page(52)).mode & 0o777).toBe(0o644)
  })

  it("d deletes a file, which is made again", async () => {
    const said = await player.press("d", /healed in \d+ ms; history: .*\n/)
    expect(said).toContain("$ rm www/page-053.html")
    expect(existsSync(player.page(53))).toBe(true)
  })

  it("p plans and finds nothing to do", async () => {
    const said = await player.press("p", /exit code \d+: .*\n/)
    expect(said).toContain("exit code 0: nothing to do")
  })

  it("t shows the status", async () => {
    await player.press("t", /default\.site {2}Enforce {2}100 of 100 as declared/)
  })

  it("r removes 40 manifests: all are held and none is executed", async () => {
    const said = await player.press("r", /files are still there.*\n/)
    expect(said).toMatch(/held 40 actions in plan \S+, none executed/)
    expect(player.manifests()).toBe(60)
    expect(player.files()).toBe(100)
  })

  it("a approves: exactly the 40 are deleted", async () => {
    const said = await player.press("a", /files are left\n/)
    expect(said).toMatch(/\$ \.\/setpoint approve \S+/)
    expect(said).toMatch(/done: 60 files are left/)
    expect(player.files()).toBe(60)
    const there = [9, 10, 49, 50].map((page) => existsSync(player.page(page)))
    expect(there).toEqual([true, false, false, true])
  })

  it("b brings the manifests back: the files are made again", async () => {
    await player.press("b", /all 100 as declared after \d+ ms; nothing is held/)
    expect(player.manifests()).toBe(100)
    expect(player.files()).toBe(100)
  })

  it("j rejects: everything stays, also when the same is removed again", async () => {
    await player.press("r", /files are still there.*\n/)
    const said = await player.press("j", /files stay\n/)
    expect(said).toMatch(/\$ \.\/setpoint reject \S+/)
    expect(said).toMatch(/is Rejected; all 100 files stay/)
    await player.press("b", /all 100 as declared after \d+ ms; nothing is held/)
    await player.press("r", /denied: exactly this was rejected before.*; 100 files stay\n/)
    await player.press("b", /all 100 as declared after \d+ ms; nothing is held/)
  })

  it("s stops: e heals nothing until g goes on", async () => {
    await player.press("s", /e, c and d heal nothing/)
    const said = await player.press("e", /not healed: all acting stopped everywhere.*\n/)
    const page = Number(/page-(\d+)/.exec(said)?.[1])
    expect(readFileSync(player.page(page), "utf8")).toBe("changed by hand\n")
    await player.press("g", /all 100 as declared after \d+ ms/)
    expect(readFileSync(player.page(page), "utf8")).toBe(`<h1>Page ${page}</h1>\n`)
    expect(existsSync(join(player.folder, ".setpoint", "stop"))).toBe(false)
  })

  it("k kills the plane; a new process goes on, and a stop survives", async () => {
    await player.press("s", /e, c and d heal nothing/)
    const said = await player.press("k", /the stop survived.*\n/)
    const killed = Number(/kill -9 (\d+)/.exec(said)?.[1])
    expect(isAlive(killed)).toBe(false)
    expect(processId(said)).not.toBe(killed)
    expect(isAlive(processId(said))).toBe(true)
    await player.press("g", /all 100 as declared after \d+ ms/)
  })

  it("? shows the keys, and a wrong key is told", async () => {
    await player.press("?", /q {2}quit and clean up/)
    await player.press("x", /no key "x" here/)
  })

  it("q ends the plane and leaves nothing behind", async () => {
    const { folder } = player
    const plane = Number(readFileSync(join(folder, ".setpoint", "lock.pid"), "utf8"))
    player.demo.child.stdin?.write("q")
    expect(await player.demo.finished).toMatchObject({ code: 0 })
    expect(existsSync(folder)).toBe(false)
    expect(isAlive(plane)).toBe(false)
  })
})

describe.skipIf(dropsOverride().check.missing)("an unreadable source in the demo", () => {
  const rig = new CliRig()
  afterAll(() => rig.close())

  it("u makes it unreadable and nothing is lost, f makes it good again", async () => {
    const player = new Player(rig.start("demo"))
    await player.demo.said(/q {2}quit/)
    const said = await player.press("u", /nothing deleted\n/)
    expect(said).toContain("$ chmod 000 site")
    expect(said).toContain("permission denied")
    expect(player.files()).toBe(100)
    await player.press("f", /source good again after \d+ ms/)
    expect(statSync(join(player.folder, "site")).mode & 0o777).toBe(0o755)
    await player.press("u", /nothing deleted\n/)
    const { folder } = player
    player.demo.child.stdin?.end()
    expect(await player.demo.finished).toMatchObject({ code: 0 })
    expect(existsSync(folder)).toBe(false)
  })
})

describe("the demo with nobody there", () => {
  let rig: CliRig
  afterEach(() => rig.close())

  it("shows itself around through all keys and ends well", async () => {
    rig = new CliRig()
    const { code, stdout } = await rig.run("demo")
    expect(code).toBe(0)
    for (const key of "ecdrajbufsgkpt") expect(stdout).toContain(`\n[${key}] `)
    expect(stdout).not.toContain("error:")
    expect(existsSync(/Setpoint demo in (\S+)/.exec(stdout)?.[1] ?? "/")).toBe(false)
  }, 120_000)

  it("cleans up when it is told to end by a signal, and keeps the folder when asked", async () => {
    rig = new CliRig()
    const demo = rig.start("demo", "--keep")
    await demo.said(/q {2}quit/)
    expect(await demo.end("SIGTERM")).toMatchObject({ code: 0 })
    const folder = /^kept (\S+)/m.exec(demo.stdout)?.[1] ?? ""
    expect(readdirSync(join(folder, "www"))).toHaveLength(100)
    rmSync(folder, { recursive: true })
  })
})

describe("the demo's screen", () => {
  it("fits any width", () => {
    for (const columns of [1, 20, 40, 80, 300]) {
      const lines = helpLines(columns)
      const widest = Math.max(...lines.map((line) => line.length))
      expect(widest).toBeLessThanOrEqual(Math.max(columns, 40))
    }
  })
})
