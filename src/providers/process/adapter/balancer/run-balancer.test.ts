// The program itself, in a process of its own: its file replaced, broken and gone, its health, and
// how it ends.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { BalancerConfig } from "../../balancer/balancer-config.ts"
import { type Answering, answering, ask, freePort } from "./testing/loopback.ts"

const main = fileURLToPath(new URL("../../../../cli/main.ts", import.meta.url))

describe("setpoint balancer", () => {
  const folder = mkdtempSync(join(tmpdir(), "spt-"))
  const file = join(folder, "front.json")
  let child: ChildProcess
  let [port, health] = [0, 0]
  let a: Answering
  let b: Answering
  const held: (() => void)[] = []

  const replaceFile = (text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  const configure = (backends: readonly Answering[]) => {
    const config: BalancerConfig = {
      ...{ format: 1, listen: { address: "127.0.0.1", port } },
      ...{ connectionsMax: 10, connectTimeoutMs: 500, waitMs: 60_000, drainMs: 60_000 },
      ...{ ejectMs: 100, retryBeforeFirstByte: false },
      backends: backends.map((one) => ({ name: one.name, address: "127.0.0.1", port: one.port })),
    }
    replaceFile(JSON.stringify(config))
  }
  const state = async (): Promise<string> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${health}/`)
      return `${answer.status} ${await answer.text()}`
    } catch {
      return ""
    }
  }
  const until = async (text: string) => {
    while (!(await state()).includes(text)) await new Promise((done) => setTimeout(done, 10))
  }

  beforeAll(async () => {
    a = await answering("a", (socket, line) => {
      if (line === "slow") held.push(() => socket.end("a: slow\n"))
      else socket.end(`a: ${line}\n`)
    })
    b = await answering("b")
    port = await freePort()
    health = await freePort()
    const args = [main, "balancer", "--config", file, "--health", String(health)]
    child = spawn(process.execPath, args, { stdio: "ignore" })
    await until("503")
  })
  afterAll(async () => {
    child.kill("SIGKILL")
    await Promise.all([a.die(), b.die()])
    rmSync(folder, { recursive: true, force: true })
  })

  it("waits for its first file, and says so", async () => {
    expect(await state()).toContain("cannot read")
    configure([a])
    await until('200 {"ready":true')
    expect(await ask(port, "hi\n")).toBe("a: hi\n")
  })

  it("keeps its last good file when the next one is broken or gone", async () => {
    replaceFile("{ nonsense")
    await until("cannot use")
    expect(await ask(port, "hi\n")).toBe("a: hi\n")
    rmSync(file)
    await until("cannot read")
    expect(await ask(port, "hi\n")).toBe("a: hi\n")
  })

  it("follows a file that is replaced", async () => {
    configure([b])
    await until('"name":"b"')
    expect(await ask(port, "hi\n")).toBe("b: hi\n")
  })

  it("lets its clients finish on SIGTERM", async () => {
    configure([a])
    await until('"name":"a"')
    const slow = ask(port, "slow\n")
    while (held.length === 0) await new Promise((done) => setTimeout(done, 10))
    const ended = new Promise((done) => child.once("exit", done))
    child.kill("SIGTERM")
    while ((await ask(port, "new\n")) !== "reset") await new Promise((done) => setTimeout(done, 10))
    for (const answer of held) answer()
    expect(await slow).toBe("a: slow\n")
    expect(await ended).toBe(0)
  })
})
