import { createHmac } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import { HookDoor } from "./serve-hook.ts"
import { isHookFrom } from "./verify-hook.ts"

const token = "0123456789abcdef"
const hmac = (body: string, key = token) => createHmac("sha256", key).update(body).digest("hex")

describe("the signature of a webhook", () => {
  const from = (headers: Readonly<Record<string, string>>, body = "body", known?: string) =>
    isHookFrom({ headers, body: Buffer.from(body) }, known ?? token)

  it("is taken as GitHub, Gitea, Forgejo and GitLab send it", () => {
    expect(from({ "x-hub-signature-256": `sha256=${hmac("body")}` })).toBe(true)
    expect(from({ "x-gitea-signature": hmac("body") })).toBe(true)
    expect(from({ "x-gitlab-token": token })).toBe(true)
  })

  it("counts for no other body, no other token, and no token that can be guessed", () => {
    expect(from({ "x-hub-signature-256": `sha256=${hmac("other")}` })).toBe(false)
    expect(from({ "x-hub-signature-256": `sha256=${hmac("body", "another token here")}` })).toBe(
      false,
    )
    expect(from({ "x-gitlab-token": "short" }, "body", "short")).toBe(false)
    expect(isHookFrom({ headers: { "x-gitlab-token": "" }, body: Buffer.of() }, "")).toBe(false)
    expect(isHookFrom({ headers: {}, body: Buffer.of() }, undefined)).toBe(false)
  })

  it("is never found in what somebody made up", () => {
    const name = fc.constantFrom("x-hub-signature-256", "x-gitea-signature", "x-gitlab-token")
    const text = fc.oneof(fc.string(), fc.stringMatching(/^(sha256=)?[0-9a-f]{64}$/))
    fc.assert(
      fc.property(name, text, fc.string(), (header, value, body) => {
        expect(from({ [header]: value }, body)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })
})

describe("the door for webhooks", () => {
  let server: Server
  let taken: string[] = []

  beforeEach(async () => {
    taken = []
    const door = new HookDoor(systemClock, async (namespace, loop) => {
      taken.push(`${namespace}/${loop}`)
      return loop === "known"
    })
    server = createServer((request, response) => {
      if (!door.serve(request, response)) response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })

  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const send = async (path: string, body: string | Buffer<ArrayBuffer> = "{}", method = "POST") => {
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/setpoint/v1/hooks/git${path}`
    const answer = await fetch(url, { method, ...(method === "POST" ? { body } : {}) })
    return `${answer.status} ${await answer.text()}`
  }

  it("says yes or no and nothing else, for one path alone", async () => {
    expect(await send("/default/known")).toBe("202 ")
    expect(await send("/default/unknown")).toBe("401 ")
    expect(await send("/default/known", "", "GET")).toBe("404 ")
    expect(await send("/default/known/more")).toBe("404 ")
    expect(await send("/default/..%2Fknown")).toBe("404 ")
    expect(taken).toEqual(["default/known", "default/unknown"])
  })

  it("takes no body above its limit", async () => {
    const answer = send("/default/known", Buffer.alloc(2 * 1024 * 1024)).catch(() => "cut")
    expect(await answer).toMatch(/^(413 |cut)/)
    expect(taken).toEqual([])
  })

  it("lets nobody keep the plane busy, and would without its protection", async () => {
    const answers = async () =>
      (await Promise.all(Array.from({ length: 140 }, () => send("/default/x")))).map((one) => one)
    expect((await answers()).filter((one) => one === "429 ").length).toBeGreaterThanOrEqual(20)
    const rearm = disarm("hooks-are-bounded")
    try {
      expect((await answers()).filter((one) => one === "429 ")).toEqual([])
    } finally {
      rearm()
    }
  })
})
