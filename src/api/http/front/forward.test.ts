import { Agent, createServer, type IncomingHttpHeaders, request, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { deferred } from "../../../base/async.ts"
import { systemClock } from "../../../base/system.ts"
import { Deadlines } from "../deadlines.ts"
import type { ApiRequest, ApiResponse } from "../exchange.ts"
import type { OnRequest } from "../listener.ts"
import { AnswerBox } from "./answer-box.ts"
import { Exchanges } from "./exchanges.ts"
import { Forwarder } from "./forward.ts"
import type { FromFront, ToFront } from "./messages.ts"
import { Outbox } from "./outbox.ts"
import { Unread, type UnreadLimits } from "./unread.ts"

const bodyMax = 1024 * 1024

/** Both sides in one thread, over a line that copies like the one between two. */
class Pair {
  readonly server: Server
  /** What node itself said of each request. */
  readonly seen: { headers: IncomingHttpHeaders; raw: readonly string[] }[] = []
  readonly agent = new Agent({ keepAlive: true, maxSockets: 1 })

  private constructor(onRequest: OnRequest, limits?: UnreadLimits) {
    const exchanges: Exchanges = new Exchanges(
      new AnswerBox({
        postMessage: (value, moved) => {
          const copy = structuredClone(value, { transfer: [...moved] }) as ToFront[]
          setImmediate(() => {
            for (const message of copy) forwarder.hear(message as never)
            forwarder.flush()
          })
        },
      }),
      onRequest,
    )
    const outbox = new Outbox<FromFront>({
      postMessage: (value, moved) => {
        const copy = structuredClone(value, { transfer: [...moved] }) as FromFront[]
        setImmediate(() => {
          for (const message of copy) exchanges.hear(message)
        })
      },
    })
    const deadlines = new Deadlines(systemClock, 60_000)
    const forwarder = new Forwarder(outbox, bodyMax, deadlines, new Unread(limits))
    this.server = createServer((asked, answer) => {
      this.seen.push({ headers: { ...asked.headers }, raw: [...asked.rawHeaders] })
      forwarder.forward(asked, answer)
    })
  }

  static async open(onRequest: OnRequest, limits?: UnreadLimits): Promise<Pair> {
    const pair = new Pair(onRequest, limits)
    await new Promise<void>((resolve) => pair.server.listen(0, "127.0.0.1", resolve))
    return pair
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Reads nothing of the answer until `read` is called. */
  send(body: string | Buffer, headers: Record<string, string> = {}, method = "POST") {
    const answer = deferred<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>()
    const chunked = "transfer-encoding" in headers
    const length = chunked ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const asked = request({
      ...{ host: "127.0.0.1", port: this.port, method, agent: this.agent },
      headers: { ...length, ...headers },
    })
    asked.once("error", answer.reject)
    asked.once("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.once("error", answer.reject)
      response.once("end", () => {
        const { statusCode: status = 0, headers: head } = response
        answer.resolve({ status, headers: head, bytes: Buffer.concat(chunks) })
      })
    })
    asked.end(body)
    return answer.promise
  }

  close(): void {
    this.agent.destroy()
    this.server.close()
    this.server.closeAllConnections()
  }
}

function bodyOf(asked: ApiRequest): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    asked.on("data", (chunk) => chunks.push(Buffer.from(chunk)))
    asked.on("end", () => resolve(Buffer.concat(chunks)))
  })
}

function echo(asked: ApiRequest, answer: ApiResponse): void {
  void bodyOf(asked).then((bytes) => {
    answer.writeHead(200, { "content-length": bytes.byteLength, "set-cookie": ["a=1", "b=2"] })
    answer.end(bytes)
  })
}

/** The content of answers that stand one behind the other; of HTTP/1.0 all there is. */
function bodiesOf(bytes: Buffer): string[] {
  const bodies: string[] = []
  let rest = bytes
  while (rest.length > 0) {
    const start = rest.indexOf("\r\n\r\n") + 4
    const isChunked = rest.subarray(0, start).toString().toLowerCase().includes("encoding: chunked")
    rest = rest.subarray(start)
    if (!isChunked) return [...bodies, rest.toString()]
    const parts: Buffer[] = []
    for (let size = -1; size !== 0; ) {
      const end = rest.indexOf("\r\n")
      size = Number.parseInt(rest.toString("latin1", 0, end), 16)
      parts.push(rest.subarray(end + 2, end + 2 + size))
      expect(rest.toString("latin1", end + 2 + size, end + 4 + size)).toBe("\r\n")
      rest = rest.subarray(end + 2 + size + 2)
    }
    bodies.push(Buffer.concat(parts).toString())
  }
  return bodies
}

let pair: Pair
afterEach(() => pair.close())

describe("requests that another thread answers", () => {
  it("come with exactly the headers that node read, whatever came before", async () => {
    const got: Pair["seen"] = []
    pair = await Pair.open((asked, answer) => {
      got.push({ headers: asked.headers, raw: asked.rawHeaders })
      echo(asked, answer)
    })
    await pair.send("a")
    await pair.send("b")
    await pair.send("longer")
    await pair.send("longer", { accept: "x" })
    await pair.send("again", { accept: "x" })
    await pair.send("", { accept: "x", cookie: "a=1" }, "GET")
    expect(got).toEqual(pair.seen)
    expect(new Set(got.map(({ headers }) => headers["content-length"]))).toEqual(
      new Set(["1", "6", "5", "0"]),
    )
  })

  it.each([
    ["empty", Buffer.alloc(0)],
    ["ASCII", Buffer.from('{"a":1}')],
    ["other text", Buffer.from('{"a":"å日"}')],
    ["bytes", Buffer.from([0, 255, 128, 10, 13, 0])],
    ["large", Buffer.alloc(300 * 1024, "0123456789")],
    ["large bytes", Buffer.alloc(300 * 1024, 0xe9)],
  ])("keep their bytes both ways: %s", async (_name, bytes) => {
    pair = await Pair.open(echo)
    const whole = await pair.send(bytes)
    expect(whole.bytes.equals(bytes)).toBe(true)
    const pieces = await pair.send(bytes, { "transfer-encoding": "chunked" })
    expect(pieces.bytes.equals(bytes)).toBe(true)
    expect(pieces.headers["set-cookie"]).toEqual(["a=1", "b=2"])
  })

  it("hand over no more of a body than is asked for", async () => {
    let size = 0
    pair = await Pair.open((asked, answer) => {
      expect([asked.complete, asked.whole]).toEqual([false, undefined])
      asked.on("data", (chunk) => {
        size += chunk.length
        if (size <= bodyMax || answer.headersSent) return
        asked.pause()
        answer.setHeader("connection", "close")
        answer.writeHead(413, { "content-length": 0 })
        answer.end()
      })
    })
    const sent = pair.send(Buffer.alloc(16 * 1024 * 1024)).catch(() => ({ status: 413 }))
    expect((await sent).status).toBe(413)
    expect(size).toBeLessThan(2 * bodyMax)
  })

  it("make whoever writes faster than the client reads wait", async () => {
    const waited = deferred<number>()
    pair = await Pair.open((_asked, answer) => {
      answer.writeHead(200, {})
      let written = 0
      const more = () => {
        while (written < 4 * 1024 * 1024) {
          written += 16 * 1024
          if (!answer.write(Buffer.alloc(16 * 1024, 1))) {
            waited.resolve(written)
            answer.once("drain", more)
            return
          }
        }
        answer.end()
      }
      more()
    })
    const { bytes } = await pair.send("")
    expect(await waited.promise).toBe(64 * 1024)
    expect(bytes.byteLength).toBe(4 * 1024 * 1024)
  })

  it("give many clients the same pieces in order, over HTTP/1.0 and pipelined", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => {
      const size = at % 10 === 5 ? 40_000 : at
      return Buffer.from(`${at}: å ${"x".repeat(size)}\n`)
    })
    const open: ApiResponse[] = []
    const texts = new Map<ApiResponse, string>()
    const all = deferred<void>()
    pair = await Pair.open((asked, answer) => {
      texts.set(answer, asked.url ?? "")
      open.push(answer)
      answer.writeHead(200, {})
      answer.flushHeaders()
      if (open.length === 6) all.resolve()
    })
    const get = (path: string, version = "1.1", keep = "close") =>
      `GET ${path} HTTP/${version}\r\nHost: x\r\nConnection: ${keep}\r\n\r\n`
    // The last of them are answered one behind the other, on one connection.
    const behind = get("/first", "1.1", "keep-alive") + get("/second", "1.1", "keep-alive")
    const sent = [get("/a"), get("/b"), get("/old", "1.0"), behind + get("/third")]
    const received = sent.map(async (text) => {
      const socket = connect(pair.port, "127.0.0.1")
      socket.write(text)
      const chunks: Buffer[] = []
      for await (const chunk of socket) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    })
    await all.promise
    for (const [at, line] of lines.entries()) {
      for (const answer of open) answer.write(line)
      if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
      // Its place is taken by the next one while there is still more to say to that one.
      if (at === 20) for (const one of open) if (texts.get(one) === "/first") one.end("first\n")
      if (at === 30) for (const one of open) if (texts.get(one) === "/second") one.end()
    }
    for (const answer of open) answer.end()
    const whole = lines.join("")
    const bodies = (await Promise.all(received)).map(bodiesOf)
    const upTo = (at: number) => lines.slice(0, at + 1).join("")
    expect(bodies).toEqual([[whole], [whole], [whole], [`${upTo(20)}first\n`, upTo(30), whole]])
  })

  it("let the oldest go when too much of their answers is not read", async () => {
    const size = 4 * 1024 * 1024
    let answered = 0
    pair = await Pair.open(
      (_asked, answer) => {
        answered++
        answer.writeHead(200, { "content-length": size })
        answer.end(Buffer.alloc(size))
      },
      { bytes: 2.5 * size, patienceMs: 60_000 },
    )
    const sockets: Socket[] = []
    const closed: number[] = []
    for (let index = 0; index < 4; index++) {
      const socket = connect(pair.port, "127.0.0.1")
      sockets.push(socket)
      socket.on("error", () => {}).on("close", () => closed.push(index))
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await expect.poll(() => answered).toBe(index + 1)
    }
    const sizes = sockets.map(async (socket) => {
      let bytes = 0
      for await (const chunk of socket) {
        bytes += (chunk as Buffer).length
        if (bytes > size) break
      }
      return bytes > size
    })
    const whole = await Promise.all(sizes.map((one) => one.catch(() => false)))
    expect(whole).toEqual([false, false, true, true])
  })

  it("end when their client stops reading, and not while it goes on", async () => {
    const size = 8 * 1024 * 1024
    pair = await Pair.open(
      (_asked, answer) => {
        answer.writeHead(200, { "content-length": size })
        answer.end(Buffer.alloc(size))
      },
      { bytes: 10 * size, patienceMs: 300 },
    )
    const open = () =>
      new Promise((resolve) => pair.server.getConnections((_error, count) => resolve(count)))
    const idle = connect(pair.port, "127.0.0.1")
    idle.on("error", () => {})
    idle.pause()
    idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await expect.poll(open).toBe(1)
    await expect.poll(open, { timeout: 20_000 }).toBe(0)
    idle.destroy()
    expect((await pair.send("")).bytes.byteLength).toBe(size)
  })

  it("learn that their client left", async () => {
    const left = deferred<void>()
    pair = await Pair.open((_asked, answer) => {
      answer.once("close", () => left.resolve())
      answer.writeHead(200, {})
      answer.flushHeaders()
      pair.agent.destroy()
    })
    await expect(pair.send("")).rejects.toThrow()
    await left.promise
  })

  it("lose their own connection, and no other, by an answer that can't be sent", async () => {
    pair = await Pair.open((asked, answer) => {
      answer.writeHead(200, asked.headers.accept === "bad" ? { "x-a": "b\nc" } : { "x-a": "b" })
      answer.end("ok")
    })
    await expect(pair.send("", { accept: "bad" })).rejects.toThrow()
    expect((await pair.send("")).bytes.toString()).toBe("ok")
  })

  it("lose their own connection, and no other, by whoever fails to answer", async () => {
    const heard = deferred<Error>()
    process.once("warning", heard.resolve)
    pair = await Pair.open((asked, answer) => {
      if (asked.headers.accept === "bad") throw new Error("this one can't be answered")
      answer.writeHead(200, {})
      answer.end("ok")
    })
    await expect(pair.send("", { accept: "bad" })).rejects.toThrow()
    expect((await pair.send("")).bytes.toString()).toBe("ok")
    expect((await heard.promise).message).toContain("this one can't be answered")
  })
})
