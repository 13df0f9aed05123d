import { request as startRequest } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { DashboardOptions } from "../../src/api/http/dashboard.ts"
import { type Ground, type KeptSession, Sessions } from "../../src/api/http/sessions.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemRandom } from "../../src/base/system.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { alice } from "../conformance/client-world.ts"
import { type Reply, TlsRig } from "./tls-rig.ts"

let rig: TlsRig
let sessions: Sessions
let clock: SimClock
let rearm = () => {}
const page = (contentType: string, text: string) => ({ contentType, text })
const files: Pick<DashboardOptions, "index" | "assets"> = {
  index: page("text/html; charset=utf-8", "<title>Setpoint</title>"),
  assets: new Map([["/dashboard/assets/app-1.js", page("text/javascript", "1")]]),
}
const read = "/api/v1/namespaces/default/configmaps"
let has = true
const ground: Ground = { text: "it", stands: () => has }
beforeEach(async () => {
  has = true
  clock = new SimClock()
  sessions = new Sessions(clock, systemRandom)
  const byToken = async (token: string) =>
    token === "right" ? { principal: alice, ground } : undefined
  const ways = { version: "1.2.3", byToken }
  rig = await TlsRig.open({ dashboard: { ports: [0], sessions, ways, ...files } })
  rig.extensions.register({
    method: "POST",
    pattern: "/setpoint/v1/act",
    handler: async ({ name }) => ({ name }),
  })
})
afterEach(async () => {
  rearm()
  rearm = () => {}
  await rig.close()
})

function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body = "{}",
): Promise<Reply> {
  const port = rig.server.dashboardPort
  return new Promise((resolve, reject) => {
    const all = { host: `127.0.0.1:${port}`, ...headers }
    const request = startRequest({ host: "127.0.0.1", port, path, method, headers: all }, (got) => {
      const chunks: Buffer[] = []
      got.on("data", (chunk) => chunks.push(chunk))
      got.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: got.statusCode ?? 0, headers: got.headers, text })
      })
    })
    request.once("error", reject)
    request.end(method === "POST" ? body : undefined)
  })
}

async function signIn(): Promise<string> {
  const reply = await ask(`/login?token=${sessions.link(alice, ground)}`)
  expect(reply.status).toBe(303)
  return String(reply.headers["set-cookie"]).split(";")[0] ?? ""
}

describe("the dashboard", () => {
  it("opens by a link that works once, with a cookie that no script gets", async () => {
    const link = sessions.link(alice, ground)
    const first = await ask(`/login?token=${link}`)
    expect(String(first.headers["set-cookie"])).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect((await ask(`/login?token=${link}`)).status).toBe(401)
    expect((await ask("/login?token=guess")).status).toBe(401)
    const cookie = String(first.headers["set-cookie"]).split(";")[0] ?? ""
    expect((await ask("/", { cookie })).text).toContain("<title>Setpoint</title>")
  })

  it("twin: without that protection the link opens a second session", async () => {
    rearm = disarm("login-link-works-once")
    const link = sessions.link(alice, ground)
    expect((await ask(`/login?token=${link}`)).status).toBe(303)
    expect((await ask(`/login?token=${link}`)).status).toBe(303)
  })

  it("ends links after minutes and sessions after half a day", async () => {
    const link = sessions.link(alice, ground)
    const cookie = await signIn()
    await clock.advance(11 * 60_000)
    expect((await ask(`/login?token=${link}`)).status).toBe(401)
    expect((await ask(read, { cookie })).status).toBe(200)
    await clock.advance(12 * 3_600_000)
    expect((await ask(read, { cookie })).status).toBe(401)
  })

  it("ends sessions of those whose way in was taken away", async () => {
    const { headers } = await ask(`/login?token=${sessions.link(alice, ground)}`)
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? ""
    expect((await ask(read, { cookie })).status).toBe(200)
    has = false
    expect((await ask(read, { cookie })).status).toBe(401)
  })

  it("shows nothing and does nothing without a session, whatever else is sent", async () => {
    for (const path of ["/api/v1/configmaps", "/setpoint/v1/status", "/metrics", "/x"]) {
      expect((await ask(path, { authorization: "Bearer t" })).status, path).toBe(401)
    }
  })

  it("answers the API as the one who signed in", async () => {
    const cookie = await signIn()
    const list = await ask("/api/v1/namespaces/default/configmaps", { cookie })
    expect(JSON.parse(list.text)).toMatchObject({ kind: "ConfigMapList" })
    const act = await ask("/setpoint/v1/act", { cookie, "setpoint-dashboard": "1" }, "POST")
    expect(JSON.parse(act.text)).toEqual({ name: "alice" })
  })

  it("changes nothing for forms and pages of others", async () => {
    const cookie = await signIn()
    const post = (headers: Record<string, string>) =>
      ask("/setpoint/v1/act", { cookie, ...headers }, "POST")
    expect((await post({})).status).toBe(403)
    const header = { "setpoint-dashboard": "1" }
    expect((await post({ ...header, origin: "http://evil.example" })).status).toBe(403)
    expect((await post({ ...header, host: "evil.example" })).status).toBe(403)
    expect((await post({ ...header, "sec-fetch-site": "cross-site" })).status).toBe(403)
    const origin = `http://127.0.0.1:${rig.server.dashboardPort}`
    expect((await post({ origin })).status).toBe(200)
  })

  it("tells browsers to load nothing from elsewhere and to show it in no frame", async () => {
    const cookie = await signIn()
    for (const path of ["/", "/loops/a", "/api/v1/configmaps", "/login?token=x"]) {
      const { headers } = await ask(path, { cookie, accept: "text/html" })
      expect(headers["content-security-policy"], path).toContain("default-src 'self'")
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
      expect(headers["x-content-type-options"]).toBe("nosniff")
      expect(headers["cache-control"]).toBe("no-store")
      expect(headers["access-control-allow-origin"]).toBeUndefined()
    }
  })

  it("goes on from a link that is no good by a page that asks for nothing in vain", async () => {
    const { status, text } = await ask("/login?token=guess", { accept: "text/html" })
    expect(status).toBe(200)
    expect(text).toContain("url=/?refused=SPT-API-052")
    const wanted = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, path]) => path)
    expect(wanted).toEqual(["/dashboard/assets/icon.svg"])
  })

  it("gives its own files, which hold nothing of the plane, to anyone on this host", async () => {
    const accept = "text/html,application/xhtml+xml"
    for (const path of ["/", "/loops/default.site", "/objects/a/b?tab=c"]) {
      expect((await ask(path, { accept })).text).toBe("<title>Setpoint</title>")
    }
    const script = await ask("/dashboard/assets/app-1.js")
    expect(script).toMatchObject({ status: 200, text: "1" })
    expect(script.headers["cache-control"]).toContain("immutable")
    expect((await ask("/dashboard/assets/other.js")).status).toBe(401)
    expect((await ask("/metrics", { accept })).status).toBe(401)
  })

  const header = { "setpoint-dashboard": "1" }
  const withToken = (token: string, headers: Record<string, string> = header) =>
    ask("/dashboard/sign-in", headers, "POST", JSON.stringify({ token }))

  it("opens by a token, and closes with it or when they sign out", async () => {
    expect(JSON.parse((await ask("/dashboard/session")).text)).toEqual({
      ...{ user: null, ways: ["token"], version: "" },
    })
    expect((await withToken("right", {})).status).toBe(403)
    const opened = await withToken("right")
    expect(opened.status).toBe(200)
    const cookie = String(opened.headers["set-cookie"]).split(";")[0] ?? ""
    const session = JSON.parse((await ask("/dashboard/session", { cookie })).text)
    expect(session).toMatchObject({ user: { name: "alice" }, version: "1.2.3" })
    expect((await ask(read, { cookie })).status).toBe(200)
    has = false
    expect((await ask(read, { cookie })).status).toBe(401)
    has = true
    const second = await withToken("right")
    const other = String(second.headers["set-cookie"]).split(";")[0] ?? ""
    expect((await ask(read, { cookie: other })).status).toBe(200)
    const out = { cookie: other, ...header }
    expect((await ask("/dashboard/sign-out", out, "POST")).status).toBe(200)
    expect((await ask(read, { cookie: other })).status).toBe(401)
  })

  it("looks at no more tokens after ten that were wrong, for a minute; links go on", async () => {
    for (let at = 0; at < 10; at++) expect((await withToken(`wrong ${at}`)).status).toBe(401)
    const refused = await withToken("right")
    expect(refused.status).toBe(429)
    expect(refused.text).toContain("SPT-API-056")
    expect((await ask(`/login?token=${sessions.link(alice, ground)}`)).status).toBe(303)
    await clock.advance(61_000)
    expect((await withToken("right")).status).toBe(200)
  })

  it("twin: without that protection the eleventh guess is looked at", async () => {
    rearm = disarm("sign-in-is-slowed")
    for (let at = 0; at < 11; at++) expect((await withToken(`wrong ${at}`)).status).toBe(401)
    expect((await withToken("right")).status).toBe(200)
  })

  it("refuses bodies that are no tokens", async () => {
    for (const body of ["[]", "{}", '{"token":1}', '{"token":""}']) {
      expect((await ask("/dashboard/sign-in", header, "POST", body)).status, body).toBe(401)
    }
    const huge = JSON.stringify({ token: "x".repeat(20_000) })
    expect((await ask("/dashboard/sign-in", header, "POST", huge)).status).toBe(413)
  })

  it("knows its sessions again after a restart, but those that ended or lost their ground", () => {
    let kept: readonly KeptSession[] = []
    const book = {
      read: () => kept,
      write: (sessions: readonly KeptSession[]) => {
        kept = sessions
      },
      ground: (text: string) => (text === "it" ? ground : undefined),
    }
    const before = new Sessions(clock, systemRandom, book)
    const [good, ended] = [before.start(alice, ground), before.start(alice, ground)]
    const lost = before.start(alice, { text: "what nobody knows", stands: () => true })
    before.end(ended)
    expect(JSON.stringify(kept)).not.toContain(good)
    const restarted = () => new Sessions(clock, systemRandom, book)
    expect(restarted().principal(good)?.name).toBe("alice")
    expect(restarted().principal(ended)).toBeUndefined()
    expect(restarted().principal(lost)).toBeUndefined()
    has = false
    expect(restarted().principal(good)).toBeUndefined()
  })

  it("opens nothing from a session that would last longer than it", async () => {
    let cookie = await signIn()
    for (let hours = 0; hours < 11; hours++) {
      await clock.advance(3_600_000)
      const secret = cookie.slice(cookie.indexOf("=") + 1)
      const { signedInBy, ...who } = sessions.principal(secret) ?? alice
      const link = sessions.link(who, { ...ground, ...signedInBy })
      const { headers } = await ask(`/login?token=${link}`)
      cookie = String(headers["set-cookie"]).split(";")[0] ?? ""
      expect((await ask(read, { cookie })).status).toBe(200)
    }
    await clock.advance(3_601_000)
    expect((await ask(read, { cookie })).status).toBe(401)
  })

  it("ends a session at its time, whatever restarts came between", async () => {
    let kept: readonly KeptSession[] = []
    const write = (sessions: readonly KeptSession[]) => {
      kept = sessions
    }
    const book = { read: () => kept, write, ground: () => ground }
    const secret = new Sessions(clock, systemRandom, book).start(alice, ground)
    await clock.advance(11 * 3_600_000)
    const again = new Sessions(clock, systemRandom, book)
    expect(again.principal(secret)?.name).toBe("alice")
    await clock.advance(61 * 60_000)
    expect(again.principal(secret)).toBeUndefined()
    expect(new Sessions(clock, systemRandom, book).principal(secret)).toBeUndefined()
  })
})
