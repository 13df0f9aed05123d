import { generateKeyPairSync, X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { deferred } from "../../src/base/async.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemRandom } from "../../src/base/system.ts"
import { localTls } from "../../src/plane/adapters/local-tls.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { configMap, configMaps } from "../conformance/client-world.ts"
import { sendHttp2, TlsRig } from "./tls-rig.ts"

const path = "/api/v1/namespaces/default/configmaps"
let rig: TlsRig
let rearm = () => {}
beforeEach(async () => {
  rig = await TlsRig.open({}, { m: { name: "mallory", kind: "agent" } })
})
afterEach(async () => {
  rearm()
  rearm = () => {}
  await rig.close()
})

describe("the port with TLS", () => {
  it("speaks HTTP/1.1 and HTTP/2, and takes bodies over both", async () => {
    const make = (name: string) => JSON.stringify(configMap(name))
    const over1 = await rig.send(path, {}, { method: "POST", body: make("a"), token: "t" })
    expect(over1.status).toBe(201)
    const session = rig.http2()
    const authorization = "Bearer t"
    const over2 = await sendHttp2(
      session,
      { ":path": path, ":method": "POST", authorization, "content-type": "application/json" },
      make("b"),
    )
    expect(over2.status).toBe(201)
    const list = await sendHttp2(session, { ":path": path, authorization })
    expect(list.text).toContain('"b"')
    expect(session.alpnProtocol).toBe("h2")
    expect(session.remoteSettings.maxConcurrentStreams).toBeGreaterThanOrEqual(250)
  })

  it("answers errors over HTTP/2 too, also when the body is too large to be read", async () => {
    const session = rig.http2()
    const authorization = "Bearer t"
    const headers = { ":path": path, ":method": "POST", authorization }
    expect((await sendHttp2(session, { ":path": path })).status).toBe(401)
    const large = await sendHttp2(session, headers, `"${"x".repeat(4 * 1024 * 1024)}"`)
    expect(large.status).toBe(413)
    expect((await sendHttp2(session, { ":path": path, authorization })).status).toBe(200)
  })

  it("knows whoever holds a certificate of its authority, and nobody by another", async () => {
    const who = async (pair: typeof rig.owner | undefined) => {
      const review = "/setpoint/v1/whoami"
      return JSON.parse((await rig.send(review, {}, pair === undefined ? {} : { pair })).text)
    }
    rig.extensions.register({
      method: "GET",
      pattern: "/setpoint/v1/whoami",
      handler: async ({ name, groups = [] }) => ({ name, groups: [...groups] }),
    })
    expect(await who(rig.owner)).toEqual({ name: "ann", groups: ["system:masters"] })
    const over2 = await sendHttp2(rig.http2(rig.owner), { ":path": "/setpoint/v1/whoami" })
    expect(JSON.parse(over2.text)).toEqual({ name: "ann", groups: ["system:masters"] })
    const elsewhere = mkdtempSync(join(tmpdir(), "spt-tls-other-"))
    try {
      const now = () => Date.now()
      const other = openAuthority({ directory: elsewhere, random: systemRandom, now })
      const forged = other.client("x.pem", { commonName: "ann", organizations: ["system:masters"] })
      expect(await who(forged)).toMatchObject({ code: 401 })
      expect(await who(undefined)).toMatchObject({ code: 401 })
    } finally {
      rmSync(elsewhere, { recursive: true, force: true })
    }
  })

  it("knows them also on a connection that resumes an earlier one", async () => {
    const { certificate: cert, key } = rig.owner
    const ask = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const first = await rig.raw({ cert, key })
    const session = new Promise<Buffer>((resolve) => first.once("session", resolve))
    first.write(ask)
    const saved = await session
    first.destroy()
    const second = await rig.raw({ cert, key, session: saved })
    expect(second.isSessionReused()).toBe(true)
    second.write(ask)
    const answer = await new Promise<string>((resolve) =>
      second.once("data", (data) => resolve(String(data))),
    )
    expect(answer).toContain("200 OK")
    second.destroy()
  })

  it("refuses versions of TLS older than 1.2, and plain text", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const
    await expect(rig.raw(old)).rejects.toThrow(/protocol|alert|version/i)
    const fine = await rig.raw({ maxVersion: "TLSv1.2" })
    expect(fine.getProtocol()).toBe("TLSv1.2")
    fine.destroy()
    await expect(fetch(`http://127.0.0.1:${rig.port}/healthz`)).rejects.toThrow()
  })

  it("shows a new certificate to new connections without ending the old ones", async () => {
    const before = await rig.raw()
    const pair = rig.owner
    rig.server.tls?.renew(pair)
    const after = await rig.raw({ rejectUnauthorized: false })
    const shown = new X509Certificate(after.getPeerCertificate().raw)
    expect(shown.subject).toContain("CN=ann")
    before.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [answer] = await Promise.all([
      new Promise<string>((resolve) => before.once("data", (data) => resolve(String(data)))),
    ])
    expect(answer).toContain("200 OK")
    before.destroy()
    after.destroy()
  })
})

describe("a certificate that does not fit its key", () => {
  const shown = async () => {
    const socket = await rig.raw({ rejectUnauthorized: false })
    const { subject } = new X509Certificate(socket.getPeerCertificate().raw)
    socket.destroy()
    return subject
  }

  it("is not taken, and what is shown stays", async () => {
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const key = String(other.export({ type: "pkcs8", format: "pem" }))
    const { certificate } = rig.owner
    expect(() => rig.server.tls?.renew({ certificate, key })).toThrow("key values mismatch")
    expect(await shown()).toContain("CN=setpoint")
    rig.server.tls?.renew(rig.owner)
    expect(await shown()).toContain("CN=ann")
  })

  it("is shown a day after its key was put right", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spt-tls-pair-"))
    try {
      const now = () => Date.now()
      const authority = openAuthority({ directory, random: systemRandom, now })
      const certificateFile = join(directory, "certificate.pem")
      const keyFile = join(directory, "key.pem")
      const write = (certificate: string, key: string) => {
        writeFileSync(certificateFile, certificate)
        writeFileSync(keyFile, key)
      }
      const [first, second] = [authority.server(["localhost"]), rig.owner]
      write(first.certificate, first.key)
      const tls = localTls(authority, { certificateFile, keyFile })
      const clock = new SimClock()
      const listener = rig.server.tls
      if (listener === undefined) throw new Error("there is no port")
      const told: unknown[] = []
      const kept = tls.keep(listener, clock, (why) => told.push(why))
      const day = 86_400_000
      write(second.certificate, first.key)
      await clock.advance(day)
      expect(await shown()).toContain("CN=setpoint")
      expect(tls.current()).toBe(first.certificate)
      expect(String(told)).toContain("key values mismatch")
      write(second.certificate, second.key)
      await clock.advance(day)
      expect(await shown()).toContain("CN=ann")
      expect(tls.current()).toBe(second.certificate)
      expect(told).toHaveLength(1)
      kept.close()
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

describe("requests that are not meant for us", () => {
  it("are refused when their Host is not ours, over both protocols", async () => {
    const foreign = { host: "evil.example" }
    expect((await rig.send("/healthz", foreign)).status).toBe(403)
    expect((await rig.send("/healthz", { host: `127.0.0.1:${rig.port}` })).status).toBe(200)
    const session = rig.http2()
    const over2 = { ":path": "/healthz", ":authority": "evil.example" }
    expect((await sendHttp2(session, over2)).status).toBe(403)
  })

  it("are refused when a page of another site made them", async () => {
    const from = (origin: string) => rig.send("/healthz", { origin })
    expect((await from("https://evil.example")).status).toBe(403)
    expect((await from("null")).status).toBe(403)
    expect((await from(`https://localhost:${rig.port}`)).status).toBe(200)
    expect((await rig.send("/healthz", { "sec-fetch-site": "cross-site" })).status).toBe(403)
    const preflight = await rig.send(
      path,
      { origin: "https://evil.example" },
      { method: "OPTIONS" },
    )
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined()
    expect(preflight.status).toBe(403)
  })

  it("twin: without the check a foreign Host is answered", async () => {
    rearm = disarm("host-is-checked")
    expect((await rig.send("/healthz", { host: "evil.example" })).status).toBe(200)
  })

  it("twin: without the check a foreign page is answered", async () => {
    rearm = disarm("origin-is-checked")
    expect((await rig.send("/healthz", { origin: "https://evil.example" })).status).toBe(200)
  })
})

describe("bytes that two readers could read differently", () => {
  const head = "Host: localhost\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\n"
  const forms: readonly (readonly [string, string])[] = [
    [
      "a length and chunks",
      `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["two lengths", `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    ["a length that is no number", `${head}Content-Length: +2\r\n\r\n{}`],
    ["a coding besides chunked", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["a folded header", `${head}X-A: b\r\n c: d\r\nContent-Length: 2\r\n\r\n{}`],
    ["a space before the colon", `${head}Content-Length : 2\r\n\r\n{}`],
    ["a header without a name", `${head}: x\r\nContent-Length: 2\r\n\r\n{}`],
    ["a zero byte in a header", `${head}X-A: b\0c\r\nContent-Length: 2\r\n\r\n{}`],
    ["line ends without carriage return", `${head.replaceAll("\r", "")}Content-Length: 2\n\n{}`],
    ["a chunk size with a sign", `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`],
  ]
  it.each(forms)("are refused: %s", async (_, rest) => {
    const hidden = `GET ${path} HTTP/1.1\r\n${head}\r\n`
    const answer = await rig.speak(`POST ${path} HTTP/1.1\r\n${rest}${hidden}`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it("are refused: a request without Host, and headers that are too large", async () => {
    expect(await rig.speak("GET /healthz HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /)
    const large = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ${"x".repeat(70_000)}\r\n\r\n`
    expect(await rig.speak(large)).toMatch(/^HTTP\/1\.1 431 /)
  })
})

describe("ending", () => {
  it("lets requests finish, ends watches in peace, and says goodbye over HTTP/2", async () => {
    const gate = deferred<void>()
    const begun = deferred<void>()
    let under = 0
    rig.extensions.register({
      method: "GET",
      pattern: "/setpoint/v1/slow",
      handler: async () => {
        if (++under === 2) begun.resolve()
        await gate.promise
        return { slow: true }
      },
    })
    const session = rig.http2()
    const authorization = "Bearer t"
    const goodbye = new Promise<number>((resolve) => session.once("goaway", resolve))
    await sendHttp2(session, { ":path": "/healthz" })
    const watch = sendHttp2(session, { ":path": `${path}?watch=true`, authorization })
    const slow = sendHttp2(session, { ":path": "/setpoint/v1/slow", authorization })
    const slow1 = rig.send("/setpoint/v1/slow", {}, { token: "t" })
    await begun.promise
    await rig.world.verbs.create({ name: "x", kind: "human" }, configMaps, configMap("late"))
    const closed = rig.server.close(10_000)
    expect(await goodbye).toBe(0)
    expect((await watch).status).toBe(200)
    gate.resolve()
    expect(JSON.parse((await slow).text)).toEqual({ slow: true })
    const answered = await slow1
    expect([answered.status, JSON.parse(answered.text)]).toEqual([200, { slow: true }])
    await closed
    await expect(rig.raw()).rejects.toThrow()
  })

  it("says that it is not ready before it ends, and answers until then", async () => {
    await rig.close()
    const clock = new SimClock()
    rig = await TlsRig.open({ clock })
    let isClosed = false
    const closed = rig.server.close(1000, 400).then(() => {
      isClosed = true
    })
    const ready = await rig.send("/readyz")
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("it is ending")])
    expect((await rig.send(path, {}, { token: "t" })).status).toBe(200)
    while (!isClosed) {
      await clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await closed
    await expect(rig.send("/readyz")).rejects.toThrow()
  })

  it("does not wait for ever for what does not end", async () => {
    rig.extensions.register({
      method: "GET",
      pattern: "/setpoint/v1/never",
      handler: () => new Promise(() => {}),
    })
    const session = rig.http2()
    const headers = { ":path": "/setpoint/v1/never", authorization: "Bearer t" }
    const over2 = sendHttp2(session, headers).catch(() => "cut")
    const over1 = rig.send("/setpoint/v1/never", {}, { token: "t" }).catch(() => "cut")
    await rig.send("/healthz")
    await rig.server.close(100)
    expect(await over1).toBe("cut")
    await over2
  })
})
