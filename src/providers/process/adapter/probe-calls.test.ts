// Probes against real servers and programs.

import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import type { ProbeSpec } from "../process-spec.ts"
import { nodeProbeCalls } from "./probe-calls.ts"

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function listen(server: Server): Promise<number> {
  open.push(server)
  server.on("connection", (socket) => socket.on("error", () => {})) // Probes hang up early.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const timing = { initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 3 }
const subject = { port: undefined, env: { WORD: "yes" }, cwd: "/", user: undefined }
const ask = (probe: Partial<ProbeSpec>, port?: number) =>
  nodeProbeCalls.ask({ ...timing, timeoutSeconds: 30, ...probe }, { ...subject, port })

const host = "127.0.0.1"
const no = (why: unknown) => ({ yes: false, why })
const yes = { yes: true }

describe("a TCP probe", () => {
  test("says yes when somebody listens, and why not otherwise", async () => {
    const port = await listen(createServer((socket) => socket.destroy()))
    expect(await ask({ tcp: { host, port } })).toEqual(yes)
    expect(await ask({ tcp: { host } }, port)).toEqual(yes)
    expect(await ask({ tcp: { host } })).toEqual(no(expect.stringContaining("a port")))
    open.pop()?.close()
    expect(await ask({ tcp: { host, port } })).toEqual(no("ECONNREFUSED"))
  })
})

describe("an HTTP probe", () => {
  test("says yes from 200 to 399, sends its headers, and reads no endless answer", async () => {
    const port = await listen(
      createHttpServer((request, response) => {
        const status = Number(request.url?.slice(1))
        response.writeHead(request.headers.word === "x" ? status : 500)
        response.write("endless") // Never ended.
      }),
    )
    const get = (status: number) =>
      ask({ http: { host, path: `/${status}`, headers: { word: "x" } } }, port)
    expect(await get(200)).toEqual(yes)
    expect(await get(302)).toEqual(yes)
    expect(await get(404)).toEqual(no("HTTP status 404"))
    expect(await ask({ http: { host, path: "/200" } }, port)).toEqual(no("HTTP status 500"))
  })

  test("says no when it can't be sent, and harms nobody later", async () => {
    const port = await listen(createServer(() => {}))
    const unsendable = { "a b": "x", "": "x", "x\n": "x", trailer: "x" }
    for (const [name, value] of Object.entries(unsendable)) {
      const http = { host, path: "/", headers: { [name]: value } }
      const answer = await ask({ http, timeoutSeconds: 0.05 }, port)
      expect(answer).toEqual(no(expect.stringContaining("it can't be sent: ")))
    }
    await new Promise((resolve) => setTimeout(resolve, 100)) // Every deadline is over by then.
  })

  test("gives up on a server that never answers", async () => {
    const port = await listen(createServer(() => {}))
    const http = { host, path: "/", port }
    expect(await ask({ http, timeoutSeconds: 0.05 })).toEqual(no("no answer in 0.05 s"))
  })

  test("counts an answer that came in time although the plane was busy", async () => {
    const port = await listen(createServer((socket) => socket.end("HTTP/1.0 204 ok\r\n\r\n")))
    const answer = ask({ tcp: { host, port }, timeoutSeconds: 0.05 })
    const until = performance.now() + 300
    while (performance.now() < until) {}
    expect(await answer).toEqual(yes)
  })
})

describe("a program as probe", () => {
  const run = (script: string, timeoutSeconds = 30) =>
    ask({ exec: { command: ["sh", "-c", script] }, timeoutSeconds })

  test("says yes with exit code 0, and has the process's environment", async () => {
    expect(await run('test "$WORD" = yes')).toEqual(yes)
    expect(await run("exit 3")).toEqual(no("it ended with 3"))
    expect(await ask({ exec: { command: ["/no/such"] } })).toEqual(no("ENOENT"))
  })

  test("is ended with its children when it takes too long", async () => {
    expect(await run("sleep 1000 & wait", 0.1)).toEqual(no("no answer in 0.1 s"))
  })
})
