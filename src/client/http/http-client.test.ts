import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { configMap, configMaps, faultOf } from "../../../test/conformance/client-world.ts"
import { httpClient } from "./http-client.ts"

let server: Server | undefined
const closers: (() => void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) close()
  server?.closeAllConnections()
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)))
  server = undefined
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function clientOf(handler: Handler, options: object = {}) {
  server = createServer(handler)
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const client = httpClient({ url: `http://127.0.0.1:${port}`, token: "t", ...options })
  closers.push(() => client.close())
  return client
}

const at = (name: string, version: number) => {
  const object = configMap(name)
  const resourceVersion = String(version)
  return { ...object, metadata: { ...object.metadata, resourceVersion } }
}
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`
const ref = { ...configMaps, namespace: "default", name: "a" }

describe("the HTTP client", () => {
  it("says that it could not reach the plane, and where", async () => {
    const client = httpClient({ socketPath: "/nonexistent/api.sock", token: "t" })
    const fault = await faultOf(client.get(ref))
    expect(fault).toMatchObject({ code: "SPT-CLIENT-002", fault: "retry" })
    expect(fault.message).toContain("/nonexistent/api.sock")
  })

  it("never takes an error for an absence", async () => {
    const answers = [
      [404, "404 page not found"],
      [502, "<html>"],
      [200, "not json"],
      [200, "[]"],
      [200, '{"kind":'],
    ] as const
    let next = 0
    const client = await clientOf((_, response) => {
      const [status, text] = answers[next++] ?? [500, ""]
      response.writeHead(status).end(text)
    })
    for (const [status] of answers) {
      expect(await faultOf(client.get(ref)), `after ${status}`).toMatchObject({
        code: "SPT-CLIENT-003",
      })
    }
  })

  it("gives up on an answer that does not come, or is too large", async () => {
    const slow = await clientOf(() => {}, { timeoutMs: 100 })
    expect(await faultOf(slow.get(ref))).toMatchObject({ code: "SPT-CLIENT-004" })
    server?.closeAllConnections()
    server?.close()
    const large = await clientOf((_, response) => response.end(`"${"x".repeat(5000)}"`), {
      answerBytesMax: 1000,
    })
    expect(await faultOf(large.get(ref))).toMatchObject({ code: "SPT-CLIENT-003" })
  })

  it("goes on with a watch that ended after the last event that came whole", async () => {
    const asked: string[] = []
    const client = await clientOf((request, response) => {
      const query = new URL(request.url ?? "", "http://x").searchParams
      asked.push(query.get("resourceVersion") ?? "")
      // The first stream breaks within an event.
      if (asked.length === 1) {
        response.write(line("ADDED", at("a", 5)))
        response.end(line("MODIFIED", at("a", 7)) + line("MODIFIED", at("b", 8)).slice(0, 20))
      } else if (asked.length === 2) {
        response.write(line("MODIFIED", at("b", 8)))
        response.end(line("BOOKMARK", { metadata: { resourceVersion: "30" } }))
      } else response.write(line("DELETED", at("a", 31)))
    })
    const stop = new AbortController()
    const seen: string[] = []
    for await (const event of client.watch(configMaps, {
      resourceVersion: "4",
      signal: stop.signal,
    })) {
      if (event.type === "BOOKMARK") continue
      seen.push(`${event.type} ${event.object.metadata.name}`)
      if (event.type === "DELETED") stop.abort()
    }
    expect(seen).toEqual(["ADDED a", "MODIFIED a", "MODIFIED b", "DELETED a"])
    expect(asked).toEqual(["4", "7", "30"])
  })

  it("throws what a watch reports as an error", async () => {
    const status = { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired", message: "x" }
    const client = await clientOf((_, response) => response.end(line("ERROR", status)))
    const signal = new AbortController().signal
    const events = client.watch(configMaps, { resourceVersion: "4", signal })
    const read = async () => {
      for await (const _ of events);
    }
    expect(await faultOf(read())).toMatchObject({ status: 410 })
  })
})
