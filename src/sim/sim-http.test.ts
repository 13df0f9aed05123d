import { describe, expect, it } from "vitest"
import { SimClock } from "./sim-clock.ts"
import { SimHttp } from "./sim-http.ts"

const never = new AbortController().signal
const get = (path: string) => ({ method: "GET", url: `http://api.test${path}` })

describe("SimHttp", () => {
  it("answers by script, in order, as often as it says, and keeps the requests", async () => {
    const http = new SimHttp(new SimClock(), [
      { on: "GET /a", answer: { status: 429, headers: { "retry-after": "1" } }, times: 1 },
      { on: "* /a", answer: ({ url }) => ({ status: 200, body: { url } }) },
    ])
    expect(await http.request(get("/a"), never)).toMatchObject({ status: 429, body: "" })
    const answer = await http.request(get("/a?page=2"), never)
    expect(JSON.parse(answer.body)).toEqual({ url: "http://api.test/a?page=2" })
    expect(http.requests.map((request) => request.url)).toHaveLength(2)
  })

  it("fails loudly on a request that nobody expected", async () => {
    const http = new SimHttp(new SimClock(), [{ on: "GET /a", answer: { status: 200 } }])
    await expect(http.request(get("/b"), never)).rejects.toThrow("GET http://api.test/b")
  })

  it("resets, and loses a reply after the effect", async () => {
    let effects = 0
    const answer = () => {
      effects++
      return { status: 201 }
    }
    const http = new SimHttp(new SimClock(), [
      { on: "GET /reset", answer: "reset" },
      { on: "GET /lost", answer, loseReply: true },
    ])
    await expect(http.request(get("/reset"), never)).rejects.toThrow("reset")
    await expect(http.request(get("/lost"), never)).rejects.toThrow("reset")
    expect(effects).toBe(1)
  })

  it("hangs until the request's time is over or the signal aborts", async () => {
    const clock = new SimClock()
    const http = new SimHttp(clock, [{ on: "GET /a", answer: "hang" }])
    const late = expect(http.request({ ...get("/a"), timeoutMs: 500 }, never)).rejects.toThrow(
      "no answer within 500 ms",
    )
    const controller = new AbortController()
    const aborted = expect(http.request(get("/a"), controller.signal)).rejects.toThrow("enough")
    controller.abort(new Error("enough"))
    await clock.advance(500)
    await Promise.all([late, aborted])
  })

  it("gives a reading handle that never writes", async () => {
    const http = new SimHttp(new SimClock(), [{ on: "* /a", answer: { status: 200 } }])
    const post = { method: "POST", url: "http://api.test/a" }
    await expect(http.reading().request(post, never)).rejects.toThrow("only reads")
    expect(await http.reading().request(get("/a"), never)).toMatchObject({ status: 200 })
    expect(http.requests).toHaveLength(1)
  })
})
