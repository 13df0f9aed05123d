// Gate: hostile requests to a real plane. After each it still answers, its memory stays bounded,
// and nothing that the guest may not see is in anything that came back.

import type { ClientHttp2Session } from "node:http2"
import { connect as connectTls } from "node:tls"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { full } from "../full.ts"
import { definitionBombs } from "./hostile/definition-bombs.ts"
import { type Hostile, hostileBytes, isRefused } from "./hostile/hostile-bytes.ts"
import { hostileMembers, hostilePaths, hostileSites } from "./hostile/hostile-names.ts"
import { canary, HostileRig } from "./hostile/hostile-rig.ts"
import { pause } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 })

const home = "/api/v1/namespaces/open/configmaps"
const growthMax = 300
let rig: HostileRig
let before = 0

beforeAll(async () => {
  rig = new HostileRig()
  await rig.open()
  before = rig.memory()
})
afterAll(() => rig?.close())

const sealed = [canary, Buffer.from(canary).toString("base64")]
function expectNothingHeard(): void {
  for (const secret of sealed) expect(rig.heard.includes(secret)).toBe(false)
  rig.heard = ""
}

async function check({ name, bytes, answer = isRefused }: Hostile): Promise<void> {
  const text = await rig.speak(bytes(rig))
  expect(text.split("\r\n")[0], name).toMatch(answer)
  // One request, one answer: what is hidden in its body is not another one.
  expect((text.match(/HTTP\/1\.1 \d\d\d/g) ?? []).length, name).toBeLessThan(2)
  await rig.isWell()
  expectNothingHeard()
}

/** All of them in test:all; every third one otherwise. */
const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => full || index % 3 === 0)

describe("what is hidden", () => {
  it("is there, and would be found", async () => {
    const secret = await rig.own("GET", "/api/v1/namespaces/private/secrets/kept")
    const map = await rig.own("GET", "/api/v1/namespaces/private/configmaps/kept")
    expect(sealed.some((text) => secret.text.includes(text))).toBe(true)
    expect(sealed.some((text) => map.text.includes(text))).toBe(true)
  })
})

describe("a plane that hears", () => {
  it.each(some(hostileBytes))("$name", check)
  it.each(some(hostilePaths))("$name", check)
  it.each(some(hostileMembers))("$name", check)
  it.each(some(hostileSites))("$name", check)

  it("hidden requests has done none of them, and has no member that everything has", async () => {
    const { text } = await rig.own("GET", home)
    expect(text).not.toContain("smuggled-")
    const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "clean" } }
    const clean = await rig.own("POST", home, made)
    expect(clean.text).not.toContain("polluted")
    expect((await rig.own("GET", "/version")).text).not.toContain("polluted")
  })
})

const ended = (session: ClientHttp2Session) =>
  new Promise<void>((resolve) => {
    if (session.destroyed) resolve()
    else session.once("close", () => resolve())
  })

describe("a plane over HTTP/2", () => {
  const ask = () => ({ ":path": home, authorization: `Bearer ${rig.guest}` })

  it("outlives thousands of requests that are taken back at once", async () => {
    for (let round = 0; round < 5; round++) {
      const session = rig.http2()
      for (let count = 0; count < 2000 && !session.destroyed; count++) {
        const stream = session.request(ask())
        stream.on("error", () => {})
        stream.close(8)
        if (count % 100 === 0) await pause(0)
      }
      await Promise.race([ended(session), pause(300)])
      session.destroy()
    }
    await rig.isWell()
  })

  it("outlives pings, settings and streams that are left open", async () => {
    const session = rig.http2()
    for (let count = 0; count < 3000 && !session.destroyed; count++) {
      session.ping(Buffer.alloc(8), () => {})
      if (count % 10 === 0) session.settings({ initialWindowSize: 65_535 + count }, () => {})
      if (count % 20 === 0) session.request({ ...ask(), ":method": "POST" }).on("error", () => {})
      if (count % 200 === 0) await pause(0)
    }
    await rig.isWell()
    session.destroy()
  })

  it("outlives headers that do not end and frames that are none", async () => {
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    const frame = (type: number, flags: number, stream: number, body: Buffer) => {
      const head = Buffer.alloc(9)
      head.writeUIntBE(body.length, 0, 3)
      head.writeUInt8(type, 3)
      head.writeUInt8(flags, 4)
      head.writeUInt32BE(stream, 5)
      return Buffer.concat([head, body])
    }
    const settings = frame(4, 0, 0, Buffer.alloc(0))
    // A literal header, again and again, in continuations that never say that they end.
    const field = Buffer.concat([
      Buffer.from([0, 1, 0x61, 0x7f, 0x81, 0x0f]),
      Buffer.alloc(2000, 97),
    ])
    const endless = [frame(1, 0, 1, Buffer.from([0x82]))]
    for (let count = 0; count < 5000; count++) endless.push(frame(9, 0, 1, field))
    const odd = [frame(99, 255, 7, Buffer.alloc(9000)), frame(0, 0, 1, Buffer.alloc(10))]
    const size = Buffer.from([0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1])
    for (const frames of [endless, odd, [size]]) {
      await new Promise<void>((resolve) => {
        const socket = connectTls({
          ...{ host: "127.0.0.1", port: rig.port, rejectUnauthorized: false },
          ALPNProtocols: ["h2"],
        })
        const late = setTimeout(() => socket.destroy(), 5000)
        socket.on("error", () => {})
        socket.once("close", () => {
          clearTimeout(late)
          resolve()
        })
        socket.once("secureConnect", () => {
          socket.write(Buffer.concat([Buffer.from(preface), settings, ...frames]))
        })
        socket.resume()
      })
      await rig.isWell()
    }
  })

  it("does not keep for ever what nobody reads", async () => {
    const session = rig.http2()
    for (let count = 0; count < 200; count++) {
      const path = `${home}?watch=1`
      const stream = session.request({ ...ask(), ":path": path })
      stream.on("error", () => {})
      stream.pause()
    }
    for (let count = 0; count < 20; count++) {
      const metadata = { name: `large-${count}` }
      const data = { a: "x".repeat(100_000) }
      await rig.own("POST", home, { apiVersion: "v1", kind: "ConfigMap", metadata, data })
    }
    await rig.isWell()
    session.destroy()
    for (let count = 0; count < 20; count++) await rig.own("DELETE", `${home}/large-${count}`)
  })
})

describe("a plane whose callers take their time", () => {
  it("answers others while a hundred send a byte now and then", async () => {
    const starts = ["", "GET / HT", rig.head("GET", home, "X-A"), `${rig.head("POST", home)}`]
    const slow = await Promise.all(Array.from({ length: 100 }, () => rig.raw()))
    for (const [index, socket] of slow.entries()) {
      socket.on("error", () => {})
      socket.write(starts[index % starts.length] ?? "")
    }
    const body = `${rig.head("POST", home, "Content-Length: 1000\r\n")}\r\n{`
    for (const socket of slow.slice(50)) socket.write(body)
    await rig.isWell()
    for (const socket of slow) socket.destroy()
    await rig.isWell()
  })
})

describe("the page for people", () => {
  const cookie = "Cookie: setpoint=x; setpoint-session=x\r\n"
  const ours = () => `Host: 127.0.0.1:${rig.page}\r\n`
  it.each([
    ["without a session", () => ours()],
    ["with a cookie that nobody gave", () => `${ours()}${cookie}`],
    ["for another host", () => `Host: evil.example\r\n${cookie}`],
    ["from another site", () => `${ours()}${cookie}Origin: http://evil.example\r\n`],
    ["with the token of a guest", () => `${ours()}Authorization: Bearer ${rig.guest}\r\n`],
  ])("shows and does nothing %s", async (_, headers) => {
    expect(rig.page).toBeGreaterThan(0)
    for (const [method, path] of [
      ["GET", "/api/v1/namespaces/private/configmaps"],
      ["GET", "/api/v1/namespaces/private/secrets/kept"],
      ["POST", "/setpoint/v1/stop"],
      ["DELETE", "/api/v1/namespaces/private/configmaps/kept"],
    ]) {
      const head = `${method} ${path} HTTP/1.1\r\n${headers()}`
      const text = await rig.speak(
        `${head}Content-Length: 0\r\nConnection: close\r\n\r\n`,
        rig.page,
      )
      expect(text.split("\r\n")[0], `${method} ${path}`).toMatch(/^(HTTP\/1\.1 (30[0-9]|4\d\d) |$)/)
    }
    expectNothingHeard()
    expect((await rig.own("GET", "/api/v1/namespaces/private/configmaps/kept")).status).toBe(200)
  })
})

describe("definitions that cost", () => {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  it.each(some(definitionBombs))(
    "$name: refused, or cheap to use",
    async ({ definition, kind, spec }) => {
      const made = await rig.own("POST", path, definition)
      expect([201, 400, 413, 422]).toContain(made.status)
      await rig.isWell()
      if (made.status !== 201) return
      const plural = `${kind.toLowerCase()}s`
      const object = { apiVersion: "bombs.dev/v1", kind, metadata: { name: "one" }, spec }
      const used = `/apis/bombs.dev/v1/namespaces/open/${plural}`
      const answer = await rig.own("POST", used, object)
      expect([201, 400, 404, 413, 422]).toContain(answer.status)
      await rig.isWell()
    },
  )
})

describe("after all of it", () => {
  it("the plane is the same process, and has grown by a bounded amount", async () => {
    await rig.isWell()
    expectNothingHeard()
    const grown = rig.memory() - before
    console.log(
      `anonymous memory: ${Math.round(before)} MB before, ${Math.round(grown)} MB more after`,
    )
    expect(grown).toBeLessThan(growthMax)
    expect(rig.plane.log).not.toMatch(/unhandled|uncaught|TypeError|RangeError|out of memory/i)
    for (const secret of sealed) expect(rig.plane.log.includes(secret)).toBe(false)
  })
})
