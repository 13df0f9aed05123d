import { afterEach, expect, it } from "vitest"
import type { ApiRequest, ApiResponse } from "../../src/api/http/exchange.ts"
import { bodyOf, FrontRig } from "./front-rig.ts"

let rig: FrontRig
afterEach(() => rig.close())

const until = (holds: () => boolean) =>
  expect.poll(holds, { timeout: 20_000, interval: 5 }).toBe(true)

function say(answer: ApiResponse, text: string): void {
  answer.writeHead(200, { "content-length": Buffer.byteLength(text) })
  answer.end(text)
}

/** What a connection hears, as text. */
async function connection(): Promise<{ write(text: string): void; heard(): string; left: number }> {
  const socket = await rig.raw()
  socket.on("error", () => {})
  let text = ""
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString()
  })
  return {
    write: (more) => void socket.write(more),
    heard: () => text,
    get left() {
      return socket.writableLength
    },
  }
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

it("takes a few requests of a client that reads no answer, and reads no more", async () => {
  const waiting: (() => void)[] = []
  const urls: (string | undefined)[] = []
  rig = await FrontRig.open(({ url }, answer) => {
    if (url === "/well") return say(answer, "well")
    urls.push(url)
    waiting.push(() => say(answer, `answer to ${url}.`))
  })
  const [client, other] = [await connection(), await connection()]
  const count = 600
  const fill = `X-Fill: ${"x".repeat(30_000)}\r\n`
  for (let at = 0; at < count; at++) client.write(get(`/${at}`, fill))
  await until(() => waiting.length === 8)
  for (let round = 1; round <= 50; round++) {
    other.write(get("/well"))
    await until(() => other.heard().split("well").length === round + 1)
  }
  expect(waiting.length).toBe(8)
  expect(client.left).toBeGreaterThan(count * 10_000)
  // The more are answered, the more are read; never are more than a few under way.
  for (let answered = 0; answered < count; answered++) {
    if (waiting.length === 0) await until(() => waiting.length > 0)
    expect(waiting.length).toBeLessThanOrEqual(8)
    waiting.shift()?.()
  }
  await until(() => client.heard().includes(`answer to /${count - 1}.`))
  expect(urls).toEqual(Array.from({ length: count }, (_, at) => `/${at}`))
})

it("tells all requests of a connection that it is gone", async () => {
  let open = 0
  rig = await FrontRig.open((_asked, answer) => {
    open++
    answer.once("close", () => open--)
    answer.writeHead(200, {})
    answer.flushHeaders()
  })
  const socket = await rig.raw()
  socket.write(get("/a") + get("/b") + get("/c"))
  await until(() => open === 3)
  socket.destroy()
  await until(() => rig.count("disconnected") === 1)
  await until(() => open === 0)
})

it("remembers small headers for a connection, and no large ones", async () => {
  const got: (string | undefined)[] = []
  rig = await FrontRig.open(({ headers, rawHeaders }, answer) => {
    got.push(`${headers["x-fill"]?.length} ${rawHeaders.length}`)
    say(answer, "ok.")
  })
  const client = await connection()
  let count = 0
  for (const length of [100, 100, 9000, 9000, 100, 100]) {
    client.write(get("/", `X-Fill: ${"x".repeat(length)}\r\n`))
    count++
    await until(() => client.heard().split("ok.").length === count + 1)
  }
  expect(got).toEqual(["100 4", "100 4", "9000 4", "9000 4", "100 4", "100 4"])
  expect(rig.requests.map((message) => message[6] !== undefined)).toEqual([
    ...[true, false, true, true, true, false],
  ])
})

it("keeps the bytes of many first requests at once, beside others", async () => {
  rig = await FrontRig.open((asked: ApiRequest, answer) => {
    if (asked.method === "GET") return say(answer, "ok.")
    void bodyOf(asked).then((body) => say(answer, body.toString()))
  })
  const clients = await Promise.all(Array.from({ length: 64 }, () => connection()))
  for (const [at, client] of clients.entries()) {
    const body = `å${at}日.`
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
    const post = `POST / HTTP/1.1\r\nHost: localhost\r\n${length}\r\n${body}`
    client.write([get("/") + get("/") + post, post + get("/"), post][at % 3] ?? "")
  }
  for (const [at, client] of clients.entries()) {
    await until(() => client.heard().includes(`å${at}日.`))
  }
})
