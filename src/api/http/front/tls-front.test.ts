import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { Worker } from "node:worker_threads"
import { expect, it } from "vitest"
import { deferred } from "../../../base/async.ts"
import { systemRandom } from "../../../base/system.ts"
import { openAuthority } from "../../../plane/adapters/pki/authority.ts"
import { startWorker } from "../../../store/engines/start-worker.ts"
import type { ApiResponse } from "../exchange.ts"
import { listenInFront } from "./tls-front.ts"

const names = ["localhost", "127.0.0.1"]

function get(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, ca, servername: "localhost", agent: false })
    asked.once("error", reject)
    asked.once("response", (response) => {
      response.setEncoding("utf8")
      response.once("data", resolve)
      response.once("error", reject)
    })
    asked.end()
  })
}

it("listens on the same port again when its thread died, and tells those who waited", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-front-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const fronts: Worker[] = []
  const gone: string[] = []
  const front = await listenInFront(
    {
      ...{ host: "127.0.0.1", ports: [0], ...authority.server(names) },
      ...{ clientAuthority: authority.certificate, isOurs: () => true },
    },
    (asked, response) => {
      if (fronts.length > 1) {
        response.writeHead(200, {})
        response.end(asked.socket.remoteAddress ?? "")
        return
      }
      response.once("close", () => gone.push("gone"))
      void fronts[0]?.terminate()
    },
    (data) => {
      const worker = startWorker("front-worker", import.meta.url, data)
      fronts.push(worker)
      return worker
    },
  )
  try {
    const port = front.port ?? 0
    await expect(get(port, authority.certificate)).rejects.toThrow()
    const again = async (): Promise<string> => {
      for (;;) {
        const text = await get(port, authority.certificate).catch(() => undefined)
        if (text !== undefined) return text
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    expect(await again()).toBe("127.0.0.1")
    expect([gone, fronts.length, front.port]).toEqual([["gone"], 2, port])
  } finally {
    const stopped = front.stop()
    front.closeAll()
    await stopped
    rmSync(directory, { recursive: true, force: true })
  }
})

it("ends when it is told to, also while no new thread of it can listen", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-front-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const stopped = deferred<void>()
  const fronts: Worker[] = []
  const front = await listenInFront(
    {
      ...{ host: "127.0.0.1", ports: [0], ...authority.server(names) },
      ...{ clientAuthority: authority.certificate, isOurs: () => true },
    },
    () => {},
    (data) => {
      const isFirst = fronts.length === 0
      const worker = startWorker("front-worker", import.meta.url, {
        ...data,
        ...(isFirst ? {} : { key: "none" }),
      })
      fronts.push(worker)
      if (!isFirst) queueMicrotask(() => front.stop().then(stopped.resolve))
      return worker
    },
  )
  try {
    void fronts[0]?.terminate()
    await stopped.promise
    expect(fronts.length).toBe(2)
  } finally {
    front.closeAll()
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Node loads it into the thread before ours: a mistake beside all that we could catch. */
const throwing = "data:text/javascript,setInterval(() => { throw new Error('beside it all') }, 50)"

it("loses no other connection by what one brings about inside node", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-front-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on("warning", note)
  const front = await listenInFront(
    {
      ...{ host: "127.0.0.1", ports: [0], ...authority.server(names) },
      ...{ clientAuthority: authority.certificate, isOurs: () => true },
    },
    (_, response) => {
      response.writeHead(200, { "content-length": 2 })
      response.end("ok")
    },
    (workerData) => {
      const entry = new URL("./front-worker.ts", import.meta.url)
      const worker = new Worker(entry, { workerData, execArgv: ["--import", throwing] })
      worker.stderr.resume()
      return worker
    },
  )
  try {
    const ports = new Set<number | undefined>()
    for (let asked = 0; asked < 20; asked++) {
      ports.add(await localPortOf(front.port ?? 0, authority.certificate, agent))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(ports.size).toBe(1)
    expect(warnings.filter((text) => text.includes("connections were lost"))).toEqual([])
  } finally {
    process.off("warning", note)
    agent.destroy()
    const stopped = front.stop()
    front.closeAll()
    await stopped
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Of the client's end of the connection over which it was answered. */
function localPortOf(port: number, ca: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, ca, servername: "localhost", agent })
    asked.once("error", reject)
    asked.once("response", (response) => {
      const { localPort } = response.socket
      response.resume()
      response.once("end", () => resolve(localPort))
    })
    asked.end()
  })
}

it("tells of all that was under way when its client left, whatever waited behind it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-front-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const open = new Set<ApiResponse>()
  let begun = 0
  const front = await listenInFront(
    {
      ...{ host: "127.0.0.1", ports: [0], ...authority.server(names) },
      ...{ clientAuthority: authority.certificate, isOurs: () => true },
    },
    (_asked, response) => {
      begun++
      open.add(response)
      response.writeHead(200, {})
      response.flushHeaders()
      // Nothing is read while requests wait, so only what is written shows that nobody is there.
      const ticking = setInterval(() => response.write("x\n"), 20)
      response.once("close", () => {
        clearInterval(ticking)
        open.delete(response)
      })
    },
  )
  try {
    for (let round = 1; round <= 3; round++) {
      const trust = { ca: authority.certificate, servername: "localhost" }
      const socket = connect({ host: "127.0.0.1", port: front.port ?? 0, ...trust })
      socket.on("error", () => {})
      socket.resume()
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(9))
      await expect.poll(() => begun, { timeout: 20_000 }).toBe(8 * round)
      socket.destroy()
      await expect.poll(() => open.size, { timeout: 20_000 }).toBe(0)
    }
  } finally {
    front.closeAll()
    await front.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
