// The two ways to speak to a server over TLS, with nothing between the test and the wire but node's
// own HTTP: whoever does not get an answer gets an error, and nothing is ever tried again here.

import { type ClientHttp2Session, connect } from "node:http2"
import { Agent, request } from "node:https"

export interface Ask {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: object
  /** Streams: called with each whole line; the answer's text stays empty. */
  readonly line?: (text: string) => void
  /** Ends a stream. */
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Wire {
  send(ask: Ask): Promise<Answer>
  close(): void
}

export interface Door {
  readonly server: string
  readonly token: string
}

const answerMs = 20_000

interface Incoming {
  setEncoding(encoding: "utf8"): unknown
  on(event: "data", listener: (chunk: string) => void): unknown
  once(event: "error", listener: (error: Error) => void): unknown
  once(event: "end" | "close", listener: () => void): unknown
}

function read(incoming: Incoming, line: Ask["line"]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    incoming.setEncoding("utf8")
    incoming.on("data", (chunk) => {
      text += chunk
      if (line === undefined) return
      const lines = text.split("\n")
      text = lines.pop() ?? ""
      for (const one of lines) line(one)
    })
    incoming.once("error", reject)
    incoming.once("end", () => resolve(line === undefined ? text : ""))
    incoming.once("close", () => reject(new Error("the connection ended")))
  })
}

export class Http1Wire implements Wire {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  readonly #door: Door

  constructor(door: Door) {
    this.#door = door
  }

  send({ method, path, type, body, line, signal }: Ask): Promise<Answer> {
    const { server, token } = this.#door
    const text = body === undefined ? "" : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const call = request(`${server}${path}`, {
        method,
        agent: this.#agent,
        ...(signal === undefined ? { timeout: answerMs } : { signal }),
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          ...(type === undefined ? {} : { "content-type": type }),
          "content-length": Buffer.byteLength(text),
        },
      })
      call.once("error", reject)
      call.once("timeout", () => call.destroy(new Error("no answer")))
      call.once("response", (response) => {
        const status = response.statusCode ?? 0
        read(response, status === 200 ? line : undefined).then(
          (text) => resolve({ status, text }),
          reject,
        )
      })
      call.end(text)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

export class Http2Wire implements Wire {
  readonly #door: Door
  #session: ClientHttp2Session | undefined

  constructor(door: Door) {
    this.#door = door
  }

  #open(): ClientHttp2Session {
    const old = this.#session
    if (old !== undefined && !old.closed && !old.destroyed) return old
    const session = connect(this.#door.server, { rejectUnauthorized: false })
    session.on("error", () => {})
    this.#session = session
    return session
  }

  send({ method, path, type, body, line, signal }: Ask): Promise<Answer> {
    const text = body === undefined ? "" : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const headers = {
        ":method": method,
        ":path": path,
        authorization: `Bearer ${this.#door.token}`,
        accept: "application/json",
        ...(type === undefined ? {} : { "content-type": type }),
      }
      // Said, because node sends a DELETE without its body else.
      const stream = this.#open().request(headers, { endStream: text === "" })
      stream.once("error", reject)
      stream.once("close", () => reject(new Error("the stream ended")))
      if (signal === undefined) stream.setTimeout(answerMs, () => stream.destroy())
      else signal.addEventListener("abort", () => stream.destroy())
      stream.once("response", (headers) => {
        const status = Number(headers[":status"])
        read(stream, status === 200 ? line : undefined).then(
          (text) => resolve({ status, text }),
          reject,
        )
      })
      if (text !== "") stream.end(text)
    })
  }

  close(): void {
    this.#session?.destroy()
  }
}
