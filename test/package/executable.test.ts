// The single executable on a machine without Node: its environment has no PATH that leads to one.

import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { InstalledPlane } from "./installed-plane.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "spte-"))
const executable = join(folder, "setpoint")
const tools = join(folder, "tools")
let plane: InstalledPlane

beforeAll(() => {
  const args = [join(root, "scripts/build-executable.ts"), executable]
  const built = spawnSync(process.execPath, args, { cwd: root, timeout: 280_000 })
  if (built.status !== 0) throw new Error(String(built.stderr))
  console.log(String(built.stdout).trim().replace(/^\S+/, "executable:"))
  mkdirSync(tools)
  for (const name of ["sh", "cat", "sleep"]) symlinkSync(`/bin/${name}`, join(tools, name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  plane = new InstalledPlane(executable, tools)
})
afterEach(() => plane.close())

describe("the single executable, where there is no Node", () => {
  it("keeps a file, shows its dashboard, and goes on after kill -9", async () => {
    expect(plane.tell("--version").out).toMatch(/^\d+\.\d+\.\d+\n$/)
    await plane.up()
    expect(plane.output).not.toMatch(/warning|experimental/i)
    await plane.heals()
    const status = plane.tell("status", "-o", "json")
    expect(status).toMatchObject({ code: 0, error: "" })
    expect(JSON.parse(status.out)).toBeTypeOf("object")
    const page = await plane.page()
    expect(page).toContain("<title>Setpoint")
    expect(page).not.toContain("not built")
    const copy = join(plane.base, "copy.db")
    expect(plane.tell("backup", copy)).toMatchObject({ code: 0, error: "" })
    expect(plane.tell("backup", "--verify", copy)).toMatchObject({ code: 0, error: "" })
    await plane.end("SIGKILL")
    await plane.up()
    await plane.heals()
    expect(await plane.end("SIGTERM")).toBe(0)
  })

  it("keeps processes by a shim of its own, and they outlive it", async () => {
    const spec = { command: ["/bin/sleep", "1000"] }
    plane.manifest("process.setpoint.dev/v1", "Process", "sleeper", spec)
    await plane.up()
    const shown = () => JSON.parse(plane.tell("get", "process", "sleeper", "-o", "json").out)
    const pid = () => Number(shown().status?.pid ?? shown().status?.outputs?.pid ?? 0)
    await waitFor("the process runs", () => pid() > 0 || JSON.stringify(shown().status))
    const before = pid()
    expect(readdirSync(join(plane.data, "processes")).join()).toMatch(/shim-[0-9a-f]{16}\.sh/)
    await plane.end("SIGKILL")
    expect(process.kill(before, 0)).toBe(true)
    await plane.up()
    await waitFor("it is known again", () => pid() === before || JSON.stringify(shown().status))
  })

  it("runs a provider in TypeScript that has nothing installed", async () => {
    expect(plane.tell("new", "provider", "pebble", "--dir", join(plane.base, "own")).code).toBe(0)
    await plane.up("--provider", join(plane.base, "own", "pebble.ts"))
    expect(plane.tell("get", "pebbles").error).not.toContain("error")
  })

  it("is the Node of what it starts: a text, and a script in a file", async () => {
    const env = { PATH: tools }
    const told = (...args: readonly string[]) =>
      String(spawnSync(executable, args, { env, timeout: 60_000 }).stdout)
    const text = "console.log(process.argv.slice(1).join(), typeof require('node:net').connect)"
    expect(told("-e", text, "--", "a", "b")).toBe("a,b function\n")
    writeFileSync(join(folder, "one.mjs"), 'console.log("ran", ...process.argv.slice(2))')
    expect(told("--script", join(folder, "one.mjs"), "x")).toBe("ran x\n")
  })

  it("starts itself as the balancer of a set, and as the Node of its replicas", async () => {
    const base = await freePorts()
    const script = join(plane.base, "server.mjs")
    writeFileSync(script, serverText)
    const command = [executable, "--script", script]
    const probes = { startup: { tcp: {}, periodSeconds: 0.1, failureThreshold: 600 } }
    const set = { replicas: 1, ports: { base }, template: { command, probes } }
    plane.manifest("process.setpoint.dev/v1", "ProcessSet", "web", set)
    plane.manifest("process.setpoint.dev/v1", "Balancer", "front", {
      listen: { port: base + 5 },
      backends: { set: "web" },
      configFile: join(plane.base, "front.json"),
      health: { base: base + 6 },
    })
    await plane.up()
    const answer = async () => {
      try {
        return await (await fetch(`http://127.0.0.1:${base + 5}/`)).text()
      } catch (error) {
        return String(error)
      }
    }
    await waitFor("a replica answers", async () => (await answer()) === "served" || answer())
  })
})

const serverText = `import { createServer } from "node:http"
createServer((_, answer) => answer.end("served")).listen(process.env.SETPOINT_PORT, "127.0.0.1")
`

/** The first of ten ports of which the one in the middle is free; others are tried by a plane. */
async function freePorts(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return Math.min(60_000, (typeof address === "object" ? (address?.port ?? 0) : 0) - 5)
}
