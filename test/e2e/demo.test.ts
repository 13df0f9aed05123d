// Every key of the demo, pressed in one real `setpoint demo`, with its effect looked up in the
// world: on the disk, among the processes, at the balancer. Not one request fails from the first
// key to the last.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoActions, otherKeys, tour } from "../../src/cli/demo/keys/keys.ts"
import { processesOf } from "../../src/cli/demo/leftovers.ts"
import { naiveScript } from "../../src/cli/demo/world/naive-loop.ts"
import { dropsOverride } from "../tools.ts"
import { CliRig } from "./cli-server-rig.ts"
import { isAlive, Player } from "./demo/player.ts"
import { ask } from "./plane/process-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const timeout = 240_000
const pageOf = (said: string) => Number(/www\/page-(\d+)/.exec(said)?.[1])
const read = (path: string) => readFileSync(path, "utf8")

describe("the keys of the demo", { timeout }, () => {
  const rig = new CliRig()
  const pressed = new Set<string>()
  let player: Player
  const press = (key: string) => {
    pressed.add(key)
    return player.press(key)
  }

  beforeAll(async () => {
    player = await Player.ready(rig.start("demo"))
  }, timeout)
  afterAll(async () => {
    const { folder } = player
    await rig.close()
    await waitFor("the guardian has cleaned up", () => !existsSync(folder))
  })

  it("starts with 100 files, twice, five replicas behind a balancer, ten GPUs in use", async () => {
    expect(player.count("www")).toBe(100)
    expect(player.count("naive")).toBe(100)
    expect(read(player.page(7))).toBe("<h1>Page 7</h1>\n")
    expect(player.replicas().map(({ version }) => version)).toEqual(Array(5).fill("v1"))
    expect(player.work()).toHaveLength(10)
    const port = Number(/127\.0\.0\.1:(\d+), under load/.exec(player.demo.stdout)?.[1])
    expect(await ask(port)).toMatch(/^v1 \d+\n$/)
  })

  it("prints a link that signs in once, and a kubeconfig", async () => {
    const { stdout } = player.demo
    const link = /dashboard {2}(http\S+)/.exec(stdout)?.[1] ?? ""
    const answer = await fetch(link, { redirect: "manual" })
    expect(answer.status).toBeLessThan(400)
    expect((await fetch(link, { redirect: "manual" })).status).toBeGreaterThanOrEqual(400)
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(stdout)?.[1] ?? ""
    expect(read(kubeconfig)).toContain("server: https://127.0.0.1:")
  })

  it("e edits a config and changes a mode: both are healed, with their cause", async () => {
    const said = await press("e")
    const page = pageOf(said)
    expect(said).toContain(`$ echo 'changed by hand' >> www/page-0${page}.html`)
    expect(said).toContain(`updated File page-0${page} (content)`)
    expect(said).toContain(`$ chmod 777 www/page-0${page + 1}.html`)
    expect(said).toContain(`updated File page-0${page + 1} (mode)`)
    expect(read(player.page(page))).toBe(`<h1>Page ${page}</h1>\n`)
    expect(statSync(player.page(page + 1)).mode & 0o777).toBe(0o644)
  })

  it("k kills two replicas: two others serve, and no request fails", async () => {
    const before = player.replicas().map(({ pid }) => pid)
    const said = await press("k")
    const killed = (/\$ kill -9 (\d+ \d+)/.exec(said)?.[1] ?? "").split(" ").map(Number)
    expect(before).toEqual(expect.arrayContaining(killed))
    const now = player.replicas().map(({ pid }) => pid)
    expect(now).toHaveLength(5)
    expect(now.filter((pid) => before.includes(pid))).toHaveLength(3)
    expect(killed.some(isAlive)).toBe(false)
    expect(said).toMatch(/[1-9]\d* requests meanwhile, 0 failed/)
  })

  it("o shows the naive loop that runs: fourteen lines", async () => {
    const said = await press("o")
    for (const line of naiveScript.trim().split("\n")) expect(said).toContain(line)
    expect(read(player.path("naive.mjs"))).toBe(naiveScript)
    expect(naiveScript.trim().split("\n")).toHaveLength(14)
  })

  it("p plans and finds nothing to do; t shows the three loops", async () => {
    expect(await press("p")).toContain("exit code 0: nothing to do")
    const said = await press("t")
    for (const loop of ["quota", "site", "web"]) expect(said).toContain(`default.${loop}  Enforce`)
    expect(said).toContain("100 of 100 as declared")
  })

  it("r removes 40 manifests: the naive loop loses them, Setpoint holds all", async () => {
    const said = await press("r")
    expect(said).toContain("$ mv site/page-0[1-4]?.yaml away/")
    expect(said).toMatch(/held 40 actions in plan \S+, none executed/)
    expect(player.count("site")).toBe(60)
    expect(player.count("naive")).toBe(60)
    expect(player.count("www")).toBe(100)
  })

  it("a approves after a target changed: refused with the reason; nothing is done", async () => {
    const said = await press("a")
    const page = pageOf(said)
    expect(said).toMatch(/\$ \.\/setpoint approve \S+ --hash [0-9a-f]{64}/)
    expect(said).toContain(`www/page-0${page}.html changed after the plan was made [SPT-PLAN-004]`)
    expect(said).toContain("refused (exit code 1)")
    expect(player.count("www")).toBe(100)
    expect(read(player.page(page))).toMatch(/somebody still needs this\n$/)
  })

  it("y approves what is there now: exactly the 40 are deleted", async () => {
    const said = await press("y")
    expect(said).toMatch(/\$ \.\/setpoint approve \S+ --yes/)
    expect(said).toContain("done: 60 files are left")
    const there = [9, 10, 49, 50].map((page) => existsSync(player.page(page)))
    expect(there).toEqual([true, false, false, true])
    expect(player.count("www")).toBe(60)
  })

  it("b brings the manifests back: the files are made again", async () => {
    expect(await press("b")).toMatch(/all 100 as declared after \d+ ms; nothing is held/)
    expect([player.count("site"), player.count("www")]).toEqual([100, 100])
    expect(read(player.page(10))).toBe("<h1>Page 10</h1>\n")
  })

  it("j rejects: everything stays, also when the same is removed again", async () => {
    await press("r")
    expect(await press("j")).toContain("is Rejected; all 100 files stay")
    await press("b")
    expect(await press("r")).toMatch(/denied: exactly this was rejected before.*; 100 files stay\n/)
    expect([player.count("naive"), player.count("www")]).toEqual([60, 100])
    await press("b")
  })

  it.skipIf(dropsOverride().check.missing)(
    "u makes the source unreadable: the naive loop loses all, Setpoint nothing",
    async () => {
      const said = await press("u")
      expect(said).toContain("$ chmod 000 site")
      expect(said).toContain("permission denied")
      expect([player.count("naive"), player.count("www")]).toEqual([0, 100])
      const healed = await press("e")
      expect(read(player.page(pageOf(healed)))).toMatch(/^<h1>Page/)
      expect(await press("b")).toContain("$ chmod 755 site")
      expect(statSync(player.path("site")).mode & 0o777).toBe(0o755)
      await waitFor("the naive loop makes all anew", () => player.count("naive") === 100)
    },
  )

  it("9 kills the plane in a rollout: it goes on, nothing fails or starts twice", async () => {
    const before = player.replicas().map(({ pid }) => pid)
    const said = await press("9")
    const [killed = 0, plane = 0] = [/kill -9 (\d+)/, /process (\d+) answers/].map((pattern) =>
      Number(pattern.exec(said)?.[1]),
    )
    expect([isAlive(killed), isAlive(plane)]).toEqual([false, true])
    const now = player.replicas()
    expect(now.map(({ version }) => version)).toEqual(Array(5).fill("v2"))
    expect(now.filter(({ pid }) => before.includes(pid))).toEqual([])
    expect(said).toContain("started more than once: 0")
    expect(said).toMatch(/(\d+) of \1 begun before were kept/)
    const places = player.path(".setpoint", "processes")
    const twice = readdirSync(places, { recursive: true }).filter((name) =>
      /run\.2$/.test(`${name}`),
    )
    expect(twice).toEqual([])
  })

  it("f floods the tenant: ten go on untouched, four wait, and explain says why", async () => {
    const ten = player.work().sort()
    const said = await press("f")
    expect(said).toContain("10 run, 4 wait; nobody was stopped")
    expect(said).toContain("tenant ann uses 10 of 10 and it needs 1")
    expect(player.work().sort()).toEqual(ten)
    expect(player.count("quota")).toBe(16)
    await press("f")
    expect(player.work().sort()).toEqual(ten)
    expect(player.count("quota")).toBe(12)
  })

  it("s stops: nothing is healed while web serves on, until c continues", async () => {
    await press("s")
    expect(existsSync(player.path(".setpoint", "stop"))).toBe(true)
    const said = await press("e")
    expect(said).toContain("not healed: all acting stopped everywhere")
    expect(read(player.page(pageOf(said)))).toMatch(/changed by hand\n$/)
    expect(await press("9")).toContain("nothing is rolled out: all acting stopped")
    await press("c")
    expect(read(player.page(pageOf(said)))).toMatch(/^<h1>Page/)
    expect(existsSync(player.path(".setpoint", "stop"))).toBe(false)
  })

  it("d prints another link to the dashboard", async () => {
    const link = /http:\S+/.exec(await press("d"))?.[0] ?? ""
    expect((await fetch(link, { redirect: "manual" })).status).toBeLessThan(400)
  })

  it("? shows the keys, and a wrong key is told; keys wait for their turn", async () => {
    const said = await player.say("x?", /q {2}quit/)
    expect(said).toContain('no key "x" here')
    await player.say("to", /web: \d+ requests, \d+ failed\n[\s\S]*web: \d+ requests, \d+ failed\n/)
  })

  it("lost no request at all, and every key was pressed", () => {
    expect(player.counters.failed).toBe(0)
    expect(player.counters.requests).toBeGreaterThan(100)
    const keys = demoActions.map(({ key }) => key)
    const unreadable = dropsOverride().check.missing ? ["u"] : []
    expect([...pressed, ...unreadable].sort()).toEqual([...keys].sort())
    expect([...keys].filter((key) => !tour.includes(key))).toEqual([])
    expect(new Set([...demoActions, ...otherKeys].map(({ key }) => key)).size).toBe(keys.length + 2)
  })

  it("q ends all that was started, leaves no folder, and says how to go on", async () => {
    const { folder } = player
    player.demo.child.stdin?.write("q")
    const { code, stdout } = await player.demo.finished
    expect(code).toBe(0)
    expect(existsSync(folder)).toBe(false)
    expect(processesOf(folder)).toEqual([])
    expect(stdout).toContain("setpoint up FOLDER --mode Observe")
  })
})
