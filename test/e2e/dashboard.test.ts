import { request as startRequest } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Sessions } from "../../src/api/http/sessions.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemRandom } from "../../src/base/system.ts"
import { statusPages } from "../../src/plane/adapters/status-page.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { alice } from "../conformance/client-world.ts"
import { type Reply, TlsRig } from "./tls-rig.ts"

let rig: TlsRig
let sessions: Sessions
let clock: SimClock
let rearm = () => {}
beforeEach(async () => {
  clock = new SimClock()
  sessions = new Sessions(clock, systemRandom)
  rig = await TlsRig.open({ dashboard: { ports: [0], sessions, pages: statusPages } })
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
    request.end(method === "POST" ? "{}" : undefined)
  })
}

async function signIn(): Promise<string> {
  const reply = await ask(`/login?token=${sessions.link(alice)}`)
  expect(reply.status).toBe(303)
  return String(reply.headers["set-cookie"]).split(";")[0] ?? ""
}

describe("the dashboard", () => {
  it("opens by a link that works once, with a cookie that no script gets", async () => {
    const link = sessions.link(alice)
    const first = await ask(`/login?token=${link}`)
    expect(String(first.headers["set-cookie"])).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect((await ask(`/login?token=${link}`)).status).toBe(401)
    expect((await ask("/login?token=guess")).status).toBe(401)
    const cookie = String(first.headers["set-cookie"]).split(";")[0] ?? ""
    expect((await ask("/", { cookie })).text).toContain("<title>Setpoint</title>")
    expect((await ask("/status.js", { cookie })).headers["content-type"]).toContain("javascript")
  })

  it("twin: without that protection the link opens a second session", async () => {
    rearm = disarm("login-link-works-once")
    const link = sessions.link(alice)
    expect((await ask(`/login?token=${link}`)).status).toBe(303)
    expect((await ask(`/login?token=${link}`)).status).toBe(303)
  })

  it("ends links after minutes and sessions after half a day", async () => {
    const link = sessions.link(alice)
    const cookie = await signIn()
    await clock.advance(11 * 60_000)
    expect((await ask(`/login?token=${link}`)).status).toBe(401)
    expect((await ask("/status.css", { cookie })).status).toBe(200)
    await clock.advance(12 * 3_600_000)
    expect((await ask("/status.css", { cookie })).status).toBe(401)
  })

  it("ends sessions of those whose way in was taken away", async () => {
    let has = true
    const { headers } = await ask(`/login?token=${sessions.link(alice, () => has)}`)
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? ""
    expect((await ask("/status.css", { cookie })).status).toBe(200)
    has = false
    expect((await ask("/status.css", { cookie })).status).toBe(401)
  })

  it("shows nothing and does nothing without a session, whatever else is sent", async () => {
    expect((await ask("/")).status).toBe(401)
    for (const path of ["/status.js", "/api/v1/configmaps", "/setpoint/v1/status"]) {
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
    for (const path of ["/", "/status.js", "/api/v1/configmaps", "/login?token=x"]) {
      const { headers } = await ask(path, { cookie })
      expect(headers["content-security-policy"], path).toContain("default-src 'self'")
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
      expect(headers["x-content-type-options"]).toBe("nosniff")
      expect(headers["cache-control"]).toBe("no-store")
      expect(headers["access-control-allow-origin"]).toBeUndefined()
    }
    for (const { text } of statusPages.values()) {
      expect(text).not.toMatch(/innerHTML|<script>|https?:\/\/|\son[a-z]+=/)
    }
  })
})
