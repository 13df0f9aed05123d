import { afterEach, describe, expect, it } from "vitest"
import { deferred } from "../../src/base/async.ts"
import { disarm } from "../../src/base/protections.ts"
import { Metrics } from "../../src/telemetry/metrics.ts"
import { alice, configMap, configMaps } from "../conformance/client-world.ts"
import { sendHttp2, TlsRig } from "./tls-rig.ts"

let rig: TlsRig
let rearm = () => {}
afterEach(async () => {
  rearm()
  rearm = () => {}
  await rig.close()
})

const path = "/api/v1/namespaces/default/configmaps"

/** Two slots, both taken by mallory until the gate opens; more of his requests wait. */
async function busy() {
  const limits = { requestsAtOnce: 2, requestsPerCaller: 2, watches: 3, watchesPerCaller: 1 }
  rig = await TlsRig.open({ limits }, { m: { name: "mallory", kind: "agent" } })
  const gate = deferred<void>()
  const begun = deferred<void>()
  let count = 0
  rig.extensions.register(
    {
      method: "GET",
      pattern: "/setpoint/v1/hold",
      handler: async () => {
        if (++count === 2) begun.resolve()
        await gate.promise
        return {}
      },
    },
    { method: "POST", pattern: "/setpoint/v1/stop", handler: async () => ({ stopped: true }) },
  )
  const held = [1, 2, 3].map(() => rig.send("/setpoint/v1/hold", {}, { token: "m" }))
  await begun.promise
  return { gate, held }
}

const stop = () => rig.send("/setpoint/v1/stop", {}, { method: "POST", body: "{}", token: "t" })

describe("a plane whose slots are all taken", () => {
  it("still stops, and still says that it is alive", async () => {
    const { gate, held } = await busy()
    const other = rig.send(path, {}, { token: "t" })
    expect(await stop()).toMatchObject({ status: 200, text: expect.stringContaining("stopped") })
    expect((await rig.send("/livez")).text).toBe("ok")
    gate.resolve()
    // Those who waited are answered in their turn.
    expect((await other).status).toBe(200)
    for (const one of await Promise.all(held)) expect(one.status).toBe(200)
  })

  it("twin: without the reserved lane the stop waits too", async () => {
    const { gate, held } = await busy()
    rearm = disarm("reserved-lane")
    let answered = false
    const stopping = stop().then((reply) => {
      answered = true
      return reply
    })
    expect((await rig.send("/livez")).text).toBe("ok")
    expect(answered).toBe(false)
    gate.resolve()
    expect((await stopping).status).toBe(200)
    await Promise.all(held)
  })

  it("gives each caller watches of their own, and says when to come back", async () => {
    const { gate, held } = await busy()
    gate.resolve()
    await Promise.all(held)
    const session = rig.http2()
    await sendHttp2(session, { ":path": "/livez" })
    const open = session.request({ ":path": `${path}?watch=true`, authorization: "Bearer m" })
    await new Promise((resolve) => open.once("response", resolve))
    const second = await rig.send(`${path}?watch=true`, {}, { token: "m" })
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "1"])
    const other = session.request({ ":path": `${path}?watch=true`, authorization: "Bearer t" })
    const answer = await new Promise<object>((resolve) => other.once("response", resolve))
    expect(answer).toMatchObject({ ":status": 200 })
  })
})

describe("a body that never comes", () => {
  it.each(["HTTP/1.1", "HTTP/2"])(
    "gives its slot back when it is answered without: %s",
    async (protocol) => {
      const limits = { requestsAtOnce: 1, requestsPerCaller: 1 }
      rig = await TlsRig.open({ limits, requestMs: 300 })
      const headers = { authorization: "Bearer t", "content-length": "100000" }
      if (protocol === "HTTP/1.1") {
        const socket = await rig.raw()
        const answer = new Promise<string>((resolve) =>
          socket.once("data", (data) => resolve(String(data))),
        )
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}\r\n{`)
        expect(await answer).toContain("503")
      } else {
        const asked = { ...headers, ":path": path, ":method": "POST" }
        const stream = rig.http2().request(asked, { endStream: false })
        stream.on("error", () => {})
        const answer = new Promise<object>((resolve) => stream.once("response", resolve))
        stream.write("{")
        expect(await answer).toMatchObject({ ":status": 503 })
      }
      expect((await rig.send(path, {}, { token: "t" })).status).toBe(200)
    },
  )
})

describe("one connection of HTTP/2", () => {
  it("answers other requests while a long list waits for its reader", async () => {
    rig = await TlsRig.open()
    const text = "x".repeat(900_000)
    for (let count = 0; count < 20; count++) {
      await rig.world.verbs.create(alice, configMaps, configMap(`large-${count}`, { text }))
    }
    const session = rig.http2()
    const list = session.request({ ":path": path, authorization: "Bearer t" })
    await new Promise((resolve) => list.once("response", resolve))
    for (let count = 0; count < 5; count++) {
      expect((await sendHttp2(session, { ":path": "/livez" })).text).toBe("ok")
    }
    let size = 0
    for await (const chunk of list) size += chunk.length
    expect(size).toBeGreaterThan(18_000_000)
  })
})

describe("connections", () => {
  it("of one address are bounded; those that are there stay", async () => {
    rig = await TlsRig.open({ connectionsPerAddress: 3 })
    const some = await Promise.all([rig.raw(), rig.raw(), rig.raw()])
    await expect(rig.raw()).rejects.toThrow()
    some[0]?.destroy()
    await new Promise((resolve) => some[0]?.once("close", resolve))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const again = await rig.raw()
    for (const socket of [...some, again]) socket.destroy()
  })
})

describe("clients that take their time", () => {
  it("are sent away: without a byte, with half a header, with headers one by one", async () => {
    rig = await TlsRig.open({ headersMs: 300 })
    const held = async (begin: string, more: string) => {
      const socket = await rig.raw()
      socket.on("error", () => {})
      const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      socket.resume()
      socket.write(begin)
      const drip = setInterval(() => socket.writable && socket.write(more), 50)
      await ended
      clearInterval(drip)
    }
    const begin = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    await Promise.all([held("", ""), held(begin, ""), held(begin, "X-A: b\r\n")])
    expect((await rig.send("/healthz")).status).toBe(200)
  })
})

describe("/metrics", () => {
  it("counts by verb, resource and status, with names that exist only", async () => {
    rig = await TlsRig.open({ metrics: new Metrics() })
    await rig.send(path, {}, { token: "t" })
    await rig.send(`${path}/none`, {}, { token: "t" })
    for (let round = 0; round < 20; round++) {
      await rig.send(`/apis/evil.example/v1/things${round}`, {}, { token: "t" })
      await rig.send(`/nowhere/${round}`, {}, { token: "t" })
    }
    expect((await rig.send("/metrics")).status).toBe(401)
    const { text, headers } = await rig.send("/metrics", {}, { token: "t" })
    expect(headers["content-type"]).toContain("version=0.0.4")
    const count = (labels: string) => `setpoint_api_requests_total{${labels}}`
    expect(text).toContain(`${count('verb="list",resource="configmaps",code="200"')} 1\n`)
    expect(text).toContain(`${count('verb="get",resource="configmaps",code="404"')} 1\n`)
    expect(text).toContain(`${count('verb="list",resource="other",code="404"')} 20\n`)
    expect(text).not.toMatch(/evil|nowhere|things/)
    expect(text).toContain("setpoint_api_watches_open 0\n")
    expect(text).toContain('setpoint_api_request_duration_seconds_count{verb="list"')
  })
})

describe("health", () => {
  it("tells one check, all of them, or all but some, as Kubernetes does", async () => {
    let problem: string | undefined
    rig = await TlsRig.open({ ready: () => problem })
    expect((await rig.send("/readyz")).text).toBe("ok")
    expect((await rig.send("/readyz?verbose")).text).toBe(
      "[+]ping ok\n[+]plane ok\nreadyz check passed\n",
    )
    problem = "it starts"
    const down = await rig.send("/readyz")
    expect(down.status).toBe(503)
    expect(down.text).toBe("[+]ping ok\n[-]plane failed: it starts\nreadyz check failed\n")
    expect((await rig.send("/readyz/ping")).text).toBe("ok")
    expect((await rig.send("/readyz/plane")).status).toBe(503)
    expect((await rig.send("/readyz?exclude=plane")).text).toBe("ok")
    expect((await rig.send("/readyz/nothing")).status).toBe(404)
    expect((await rig.send("/livez")).text).toBe("ok")
  })
})
