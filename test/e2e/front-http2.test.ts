import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2"
import { afterEach, describe, expect, it } from "vitest"
import type { ApiConnection, ApiRequest, ApiResponse } from "../../src/api/http/exchange.ts"
import { deferred } from "../../src/base/async.ts"
import { begin, bodyOf, FrontRig, statusOf } from "./front-rig.ts"

let rig: FrontRig
afterEach(() => rig.close())

const until = (holds: () => boolean) =>
  expect.poll(holds, { timeout: 20_000, interval: 5 }).toBe(true)

function ok(_asked: ApiRequest, answer: ApiResponse): void {
  answer.writeHead(200, { "content-length": 0 })
  answer.end()
}

const closed = (stream: ClientHttp2Stream | ClientHttp2Session) =>
  new Promise<void>((resolve) => {
    if (stream.destroyed) resolve()
    else stream.once("close", () => resolve())
  })

/** The last round trip of a connection comes behind all that was sent on it before. */
const ping = (session: ClientHttp2Session) =>
  new Promise<void>((resolve) => session.ping(() => resolve()))

const cuts = {
  reset: (stream: ClientHttp2Stream) => void stream.destroy(new Error("changed my mind")),
  "closed connection": (stream: ClientHttp2Stream) => void stream.session?.destroy(),
  "socket gone": (stream: ClientHttp2Stream) => void stream.session?.socket.destroy(),
}
const points = [
  ["nothing of it came", []],
  ["a part came", ["abc"]],
  ["all but a byte came", ["abcd", "efghi"]],
] as const

describe("a body over HTTP/2 that breaks off", () => {
  for (const [how, cut] of Object.entries(cuts)) {
    for (const [when, parts] of points) {
      it(`is never taken for a whole one, announced or not: ${how}, ${when}`, async () => {
        const outcomes: (string | undefined)[] = []
        let running = 0
        rig = await FrontRig.open(async (asked, answer) => {
          if (asked.url === "/well") return ok(asked, answer)
          running++
          outcomes.push(String(asked.whole ?? (await bodyOf(asked))))
          running--
        })
        for (const headers of [{ "content-length": "10" }, {}]) {
          const session = await rig.http2()
          const stream = begin(session, headers)
          for (const part of parts) stream.write(part)
          await ping(session)
          const over = closed(stream)
          cut(stream)
          await over
          session.destroy()
          await closed(session)
        }
        // Both connections are known to have ended, and nothing waits for them.
        await until(() => rig.count("disconnected") === 2)
        await until(() => running === 0)
        const session = await rig.http2()
        expect(await statusOf(begin(session, { ":path": "/well", "content-length": "0" }))).toBe(
          200,
        )
        expect(outcomes.filter((outcome) => outcome !== "broken")).toEqual([])
        expect(rig.count("connected")).toBe(3)
      })
    }
  }

  it("is no body when it is shorter than it was said to be", async () => {
    rig = await FrontRig.open(ok)
    const session = await rig.http2()
    const stream = begin(session, { "content-length": "10" })
    stream.end("abc")
    await expect(statusOf(stream)).rejects.toThrow("no answer")
    expect(rig.requests).toEqual([])
  })

  it("leaves its connection, and who holds it, as they were", async () => {
    const seen: ApiConnection[] = []
    rig = await FrontRig.open((asked, answer) => {
      seen.push(asked.socket)
      ok(asked, answer)
    })
    const session = await rig.http2(rig.owner)
    const stream = begin(session, { "content-length": "10" })
    stream.write("abc")
    await ping(session)
    stream.destroy(new Error("changed my mind"))
    await closed(stream)
    for (const body of ["0123456789", "again"]) {
      const next = begin(session, { "content-length": String(body.length) })
      next.end(body)
      expect(await statusOf(next)).toBe(200)
    }
    expect(seen[0]?.certificate?.commonName).toBe("ann")
    expect(seen[0]).toBe(seen[1])
    session.destroy()
    await until(() => rig.count("disconnected") === 1)
    expect(rig.count("connected")).toBe(1)
  })
})

describe("bodies over HTTP/2 that do not come", () => {
  const large = { "content-length": String(64 * 1024) }
  const small = async (session: ClientHttp2Session) => {
    const stream = begin(session, { "content-length": "2" })
    stream.end("{}")
    expect(await statusOf(stream)).toBe(200)
    return rig.requests.at(-1)?.[7]
  }

  it("are waited for up to a bound in all, and then for a minute at most", async () => {
    rig = await FrontRig.open((asked, answer) => {
      if (asked.whole !== undefined) return ok(asked, answer)
      void bodyOf(asked).then(() => ok(asked, answer))
    })
    const sessions = await Promise.all(Array.from({ length: 5 }, () => rig.http2()))
    const streams = sessions.flatMap((session) =>
      Array.from({ length: 205 }, () => begin(session, large)),
    )
    let late = 0
    for (const stream of streams) {
      void statusOf(stream).then(
        (status) => (late += Number(status === 408)),
        () => {},
      )
    }
    await Promise.all(sessions.map(ping))
    const session = await rig.http2()
    // 1024 of them are gathered; the one over it, and whoever comes then, are asked for theirs.
    await until(() => rig.requests.length === 1)
    expect(await small(session)).toBeUndefined()
    await rig.clock.advance(59_000)
    expect(await small(session)).toBeUndefined()
    await rig.clock.advance(1000)
    await until(() => late === 1024)
    expect(await small(session)).toBe("{}")
    for (const one of sessions) await ping(one)
  })

  it("cost nothing any more once they are taken back", async () => {
    rig = await FrontRig.open(ok)
    for (let round = 0; round < 11; round++) {
      const session = await rig.http2()
      const streams = Array.from({ length: 100 }, () => begin(session, large))
      await ping(session)
      for (const stream of streams) stream.destroy(new Error("changed my mind"))
      await Promise.all(streams.map(closed))
      session.destroy()
      await until(() => rig.count("disconnected") === round + 1)
    }
    expect(rig.requests).toEqual([])
    expect(await small(await rig.http2())).toBe("{}")
  })
})

describe("an answer over HTTP/2 that goes out before its body came", () => {
  it.each([["a small body"], ["a large one"]])("ends both: %s", async (size) => {
    const heard = deferred<Buffer | "broken">()
    rig = await FrontRig.open((asked, answer) => {
      if (asked.whole !== undefined) return ok(asked, answer)
      void bodyOf(asked).then(heard.resolve)
      answer.writeHead(503, { "content-length": 0 })
      answer.end()
    })
    const session = await rig.http2()
    const length: Record<string, string> =
      size === "a small body" ? {} : { "content-length": "500000" }
    const stream = begin(session, length)
    stream.write("abc")
    expect(await statusOf(stream)).toBe(503)
    expect(await heard.promise).toBe("broken")
    const next = begin(session, { "content-length": "2" })
    next.end("{}")
    expect(await statusOf(next)).toBe(200)
  })
})

describe("a client of HTTP/2 that does not read", () => {
  it.each([
    ["as this node says it", () => {}],
    [
      "also on a node whose answers do not say that they are full",
      (response: object) =>
        Object.defineProperty(response, "writableNeedDrain", { value: undefined }),
    ],
  ])("is waited for: %s", async (_, seen) => {
    let written = 0
    const most = 8 * 1024 * 1024
    rig = await FrontRig.open((asked, answer) => {
      if (asked.url === "/well") return ok(asked, answer)
      answer.writeHead(200, {})
      const more = () => {
        while (written < most) {
          written += 16 * 1024
          if (!answer.write(Buffer.alloc(16 * 1024, 1))) return answer.once("drain", more)
        }
        answer.end()
      }
      more()
    }, seen)
    const session = await rig.http2()
    const stream = session.request({ ":path": "/" })
    stream.pause()
    await new Promise((resolve) => stream.once("response", resolve))
    for (let round = 0; round < 200; round++) {
      expect(await statusOf(begin(session, { ":path": "/well", "content-length": "0" }))).toBe(200)
    }
    expect(written).toBeLessThan(most / 4)
    let size = 0
    for await (const chunk of stream) size += chunk.length
    expect(size).toBe(most)
  })
})

describe("a client over HTTP/2 that asks first whether to send its body", () => {
  it("is told to go on, and answered", async () => {
    rig = await FrontRig.open(async (asked, answer) => {
      const body = String(asked.whole ?? (await bodyOf(asked)))
      answer.writeHead(200, { "x-body": body })
      answer.end()
    })
    const session = await rig.http2()
    const stream = begin(session, { expect: "100-continue", "content-length": "3" })
    const told = deferred<void>()
    stream.once("continue", told.resolve)
    await told.promise
    const status = statusOf(stream)
    stream.end("abc")
    expect(await status).toBe(200)
  })
})
