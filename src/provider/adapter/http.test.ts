import { createServer, type RequestListener, type Server } from "node:http"
import { afterEach, describe, expect, it } from "vitest"
import { createHttp } from "./http.ts"

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
}

const signal = () => new AbortController().signal
const unanswered = { code: "SPT-PROV-007", fault: "retry" }

describe("HTTP for providers", () => {
  it("sends method, headers and body, and gives back status, headers and body", async () => {
    const url = await serve((request, response) => {
      request.setEncoding("utf8")
      request.on("data", (text: string) => {
        response.writeHead(201, { etag: '"1"' }).end(`${request.method} ${text} ${request.url}`)
      })
    })
    const request = { method: "put", url: `${url}/a?b=c`, body: "grüße", headers: { "x-a": "1" } }
    const response = await createHttp().request(request, signal())
    expect(response).toMatchObject({ status: 201, body: "PUT grüße /a?b=c" })
    expect(response.headers.etag).toBe('"1"')
  })

  it("does not follow redirects", async () => {
    const url = await serve((_, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
    })
    expect((await createHttp().request({ method: "GET", url }, signal())).status).toBe(302)
  })

  it("refuses to change anything with a reading handle, before it leaves", async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end()
    })
    const http = createHttp({ readOnly: true })
    for (const method of ["PUT", "POST", "DELETE", "patch"]) {
      await expect(http.request({ method, url }, signal())).rejects.toMatchObject({
        code: "SPT-PROV-008",
      })
    }
    expect(requests).toBe(0)
    await http.request({ method: "HEAD", url }, signal())
    expect(requests).toBe(1)
  })

  it("throws when nobody answers in time, or the caller gives up", async () => {
    const url = await serve(() => {})
    const http = createHttp()
    await expect(
      http.request({ method: "GET", url, timeoutMs: 30 }, signal()),
    ).rejects.toMatchObject({ ...unanswered, message: expect.stringContaining("in time") })
    const abort = new AbortController()
    const pending = http.request({ method: "GET", url }, abort.signal)
    abort.abort()
    await expect(pending).rejects.toMatchObject({
      ...unanswered,
      message: expect.stringContaining("called off"),
    })
  })

  it("throws when the connection is refused, lost or cut in the middle of an answer", async () => {
    const http = createHttp()
    const lost = await serve((request) => request.socket.destroy())
    const cut = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("only this")
      setImmediate(() => response.destroy())
    })
    for (const url of ["http://127.0.0.1:1/", lost, cut]) {
      await expect(http.request({ method: "GET", url }, signal())).rejects.toMatchObject(unanswered)
    }
  })

  it("throws when the answer is longer than allowed", async () => {
    const url = await serve((_, response) => response.end("x".repeat(2000)))
    const http = createHttp({ bodyBytesMax: 1000 })
    await expect(http.request({ method: "GET", url }, signal())).rejects.toMatchObject({
      ...unanswered,
      message: expect.stringContaining("longer than 1000 bytes"),
    })
  })

  it("refuses what is no address, and never shows user, password or query", async () => {
    const http = createHttp()
    for (const url of ["nonsense", "file:///etc/passwd", "ftp://example.com/"]) {
      await expect(http.request({ method: "GET", url }, signal())).rejects.toMatchObject({
        code: "SPT-PROV-009",
      })
    }
    const url = "http://me:secret@127.0.0.1:1/path?token=secret"
    await expect(http.request({ method: "GET", url }, signal())).rejects.toMatchObject({
      message: expect.not.stringContaining("secret"),
    })
  })
})
