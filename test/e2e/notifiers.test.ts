// Notifiers on a real plane, with a real receiver: a held plan, a stop, a broken invariant, a
// source that can't be read, an object that needs someone; told once each, over kill -9 and an
// outage of the receiver too, and their ends.

import { createHmac } from "node:crypto"
import { renameSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

class Receiver {
  readonly received: Received[] = []
  #server: Server | undefined
  port = 0
  status = 204

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part) => {
        body += String(part)
      })
      request.on("end", () => {
        if (this.status === 204) {
          this.received.push({ path: request.url ?? "", headers: request.headers, body })
        }
        response.writeHead(this.status).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve))
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async close(): Promise<void> {
    const server = this.#server
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined))
  }

  at(path: string): readonly Record<string, Json>[] {
    const own = this.received.filter((one) => one.path === path)
    return own.map(({ body }) => JSON.parse(body) as Record<string, Json>)
  }
}

const group = { group: "setpoint.dev", version: "v1alpha1" } as const
const notifiers = { ...group, resource: "notifiers" }
const namespace = "default"

describe("a notifier", () => {
  const rig = new PlaneRig()
  const receiver = new Receiver()

  beforeAll(async () => {
    await receiver.open()
    for (let number = 0; number < 20; number++) rig.declare(`f${number}`, "x\n")
    await rig.start()
    await rig.converged(20)
    const secret = (name: string, data: Record<string, string>): ApiObject => {
      const encoded = Object.entries(data).map(([key, value]) => [key, btoa(value)])
      const metadata = { name, namespace }
      return { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) }
    }
    const secrets = { group: "", version: "v1", resource: "secrets" }
    const address = `http://127.0.0.1:${receiver.port}/secret-path-5731`
    await rig.client.create(secrets, secret("hook", { url: address, key: "sign", auth: "tok" }))
    await make("plain", { url: `http://127.0.0.1:${receiver.port}/plain` })
    await make("secret", {
      urlFrom: { name: "hook", key: "url" },
      signingKeyFrom: { name: "hook", key: "key" },
      headersFrom: [{ header: "authorization", valueFrom: { name: "hook", key: "auth" } }],
      format: "Template",
      template: '{"text":"${state} ${type} ${subject}"}',
    })
  })
  afterAll(async () => {
    await rig.close()
    await receiver.close()
  })

  const make = (name: string, webhook: JsonObject) =>
    rig.client.create(notifiers, {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Notifier", metadata: { name, namespace } },
      spec: { webhook, for: "0s" },
    })
  const statusOf = async (name: string) =>
    (await rig.client.get({ ...notifiers, namespace, name }))?.status ?? {}
  const told = (type: string, state = "firing") =>
    receiver.at("/plain").filter((one) => one.type === type && one.state === state)
  const tells = (type: string, state = "firing", count = 1) =>
    waitFor(
      `${count} ${state} ${type}`,
      () => told(type, state).length >= count || receiver.received.length,
    )

  it("tells of a held plan, and of its end, once", async () => {
    for (let number = 0; number < 12; number++) rmSync(rig.manifest(`f${number}`))
    await tells("Held")
    expect(told("Held")[0]).toMatchObject({ loop: "default.site", version: 1 })
    expect(told("Held")[0]?.message).toContain("12 deletes")
    await waitFor("it is remembered", async () => Object(await statusOf("plain")).count === 1)
    await rig.end("SIGKILL")
    await rig.start()
    for (let number = 0; number < 12; number++) rig.declare(`f${number}`, "x\n")
    await tells("Held", "resolved")
    expect(told("Held")).toHaveLength(1)
  })

  it("signs, takes its address from a Secret, and shows nothing of it", async () => {
    await waitFor("it came", () => receiver.at("/secret-path-5731").length >= 2)
    const first = receiver.received.find(({ path }) => path === "/secret-path-5731")
    expect(first?.headers.authorization).toBe("tok")
    const hmac = createHmac("sha256", "sign")
      .update(first?.body ?? "")
      .digest("hex")
    expect(first?.headers["setpoint-signature"]).toBe(`sha256=${hmac}`)
    expect(first?.body).toMatch(/^\{"text":"firing Held plan site-\w+"\}$/)
    const shown = JSON.stringify(await statusOf("secret")) + rig.output
    expect(shown).not.toContain("secret-path-5731")
  })

  it("tells of a stop while it holds everything else, and of the resume", async () => {
    await rig.client.call("POST", "/setpoint/v1/stop", { scope: "all", reason: "a drill" })
    await tells("Stopped")
    expect(String(told("Stopped")[0]?.message)).toContain("a drill")
    await rig.client.call("POST", "/setpoint/v1/resume", { scope: "all" })
    await tells("Stopped", "resolved")
  })

  it("tells of a source that can't be read, after the receiver came back", async () => {
    receiver.status = 503
    renameSync(rig.site, `${rig.site}-away`)
    await waitFor("it says that it fails", async () => {
      return Object(await statusOf("plain")).state === "Failing"
    })
    expect(String(Object(await statusOf("plain")).message)).toContain("answered 503")
    receiver.status = 204
    await tells("SourceFailing")
    renameSync(`${rig.site}-away`, rig.site)
    await tells("SourceFailing", "resolved")
  })

  it("tells of a broken invariant, and of objects that need someone", async () => {
    await rig.client.create(
      { ...group, resource: "invariants" },
      {
        ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Invariant" },
        metadata: { name: "never", namespace },
        spec: { loop: "site", expression: "size(objects) > 100", kinds: ["File"], for: "0s" },
      },
    )
    await tells("InvariantBroken")
    // Two objects for one file: only a person can say which is meant.
    rig.declare("twin", "x\n", { path: rig.target("f1") })
    await tells("Stalled")
    expect(told("Stalled")[0]?.next).toContain("setpoint explain")
  })

  it("is tried by hand, and says what is wrong with what is asked", async () => {
    await rig.client.call("POST", "/setpoint/v1/notifiers/test", { namespace, name: "plain" })
    await waitFor("the test came", () =>
      receiver.at("/plain").some((one) => one.subject === "test"),
    )
    const none = rig.client.call("POST", "/setpoint/v1/notifiers/test", { namespace, name: "no" })
    await expect(none).rejects.toMatchObject({ code: "SPT-NOTE-001" })
    const bad = (webhook: JsonObject) => make("bad", webhook)
    await expect(bad({})).rejects.toMatchObject({ status: 422 })
    await expect(bad({ url: "ftp://example.com/" })).rejects.toMatchObject({ status: 422 })
    await expect(bad({ url: "https://me:pw@example.com/" })).rejects.toMatchObject({ status: 422 })
    const template = { url: "https://example.com/", format: "Template", template: "${no}" }
    await expect(bad(template)).rejects.toMatchObject({ status: 422 })
    const header = { header: "Host", valueFrom: { name: "hook", key: "auth" } }
    const headers = { url: "https://example.com/", headersFrom: [header] }
    await expect(bad(headers)).rejects.toMatchObject({ status: 422 })
  })
})
