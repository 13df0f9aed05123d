import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callWebhook } from "../../src/api/http/call-webhook.ts"
import type { Json } from "../../src/base/json.ts"
import { systemRandom } from "../../src/base/system.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"

let directory: string
let server: Server
let authorities: string
let base: string
const seen: string[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "spt-webhook-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const { certificate, key } = authority.server(["127.0.0.1"])
  authorities = authority.certificate
  server = createServer({ cert: certificate, key }, (request, answer) => {
    seen.push(`${request.method} ${request.url} ${request.headers["content-type"]}`)
    if (request.url === "/slow") return
    if (request.url === "/moved") {
      answer.writeHead(302, { location: "/echo" }).end()
    } else if (request.url === "/large") {
      const part = Buffer.alloc(1 << 20, "x")
      const more = () => {
        while (answer.writable && answer.write(part));
      }
      answer.on("drain", more).on("error", () => {})
      more()
    } else if (request.url === "/text") answer.end("hello")
    else request.pipe(answer)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  base = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

const call = (path: string, body: Json = {}, timeoutMs = 20_000): Promise<Json> =>
  callWebhook({ client: { url: `${base}${path}`, authorities }, body, timeoutMs })

describe("a call to a webhook", () => {
  test("sends JSON and reads JSON, every digit of it", async () => {
    const body = { big: 9007199254740993n, text: "ü", list: [1, null] }
    expect(await call("/echo", body)).toEqual(body)
    expect(seen.at(-1)).toBe("POST /echo application/json")
  })

  test("trusts no certificate but those it was given", async () => {
    const unknown = callWebhook({ client: { url: `${base}/echo` }, body: {}, timeoutMs: 20_000 })
    await expect(unknown).rejects.toThrow(/certificate/)
  })

  test("follows no redirect", async () => {
    seen.length = 0
    await expect(call("/moved")).rejects.toThrow("the server responded with status code 302")
    expect(seen).toHaveLength(1)
  })

  test("gives up on silence, on floods and on what is no JSON", async () => {
    await expect(call("/slow", {}, 200)).rejects.toThrow("no answer within 200 ms")
    await expect(call("/large")).rejects.toThrow("too large")
    await expect(call("/text")).rejects.toThrow("the answer is no JSON")
  })
})
