// The port with TLS, the front and what answers behind it, in one thread, over a line that copies
// and moves like the one between two: real clients on one side, what each thread said on the other.

import { mkdtempSync, rmSync } from "node:fs"
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { Deadlines } from "../../src/api/http/deadlines.ts"
import type { ApiRequest } from "../../src/api/http/exchange.ts"
import { AnswerBox } from "../../src/api/http/front/answer-box.ts"
import { Exchanges } from "../../src/api/http/front/exchanges.ts"
import { Forwarder } from "../../src/api/http/front/forward.ts"
import type { FrontResponse } from "../../src/api/http/front/front-request.ts"
import type { FromFront, ToFront } from "../../src/api/http/front/messages.ts"
import { type Line, Outbox } from "../../src/api/http/front/outbox.ts"
import type { OnRequest } from "../../src/api/http/listener.ts"
import { listenWithTls, type TlsListener } from "../../src/api/http/tls-listener.ts"
import { systemRandom } from "../../src/base/system.ts"
import { openAuthority, type Pair } from "../../src/plane/adapters/pki/authority.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"

type Asked = Extract<FromFront, readonly ["request", ...unknown[]]>

function lineTo<Message>(hear: (message: Message) => void): Line {
  return {
    postMessage: (value, moved) => {
      const copy = structuredClone(value, { transfer: [...moved] }) as Message[]
      setImmediate(() => {
        for (const message of copy) hear(message)
      })
    },
  }
}

export class FrontRig {
  readonly #directory = mkdtempSync(join(tmpdir(), "spt-front-rig-"))
  readonly #authority = openAuthority({
    directory: this.#directory,
    random: systemRandom,
    now: () => Date.now(),
  })
  readonly #sessions: ClientHttp2Session[] = []
  readonly #sockets: TLSSocket[] = []
  #listener: TlsListener | undefined
  /** What the front said, in order. */
  readonly said: FromFront[] = []
  /** For bodies that take their time. */
  readonly clock = new SimClock()

  static async open(
    onRequest: OnRequest,
    seen: (response: FrontResponse) => void = () => {},
  ): Promise<FrontRig> {
    const rig = new FrontRig()
    const toFront = lineTo<ToFront>((message) => forwarder.hear(message as never))
    const exchanges: Exchanges = new Exchanges(new AnswerBox(toFront), onRequest)
    const fromFront = lineTo<FromFront>((message) => {
      rig.said.push(message)
      exchanges.hear(message)
    })
    const deadlines = new Deadlines(rig.clock, 60_000)
    const forwarder = new Forwarder(new Outbox<FromFront>(fromFront), 1024 * 1024, deadlines)
    rig.#listener = await listenWithTls(
      {
        ...{ host: "127.0.0.1", ports: [0], clientAuthority: rig.#authority.certificate },
        ...rig.#authority.server(["localhost"]),
      },
      (request, response) => {
        seen(response)
        forwarder.forward(request, response)
      },
    )
    return rig
  }

  get owner(): Pair {
    return this.#authority.client("owner.pem", { commonName: "ann" })
  }

  count(kind: FromFront[0]): number {
    return this.said.filter(([said]) => said === kind).length
  }

  get requests(): readonly Asked[] {
    return this.said.filter((message): message is Asked => message[0] === "request")
  }

  http2(pair?: Pair): Promise<ClientHttp2Session> {
    const session = connect(`https://localhost:${this.#listener?.port}`, {
      ca: this.#authority.certificate,
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    })
    session.on("error", () => {})
    this.#sessions.push(session)
    return new Promise((resolve, reject) => {
      session.once("connect", () => resolve(session))
      session.once("error", reject)
    })
  }

  raw(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectTls({
        ...{ host: "127.0.0.1", port: this.#listener?.port, servername: "localhost" },
        ...{ ca: this.#authority.certificate, ALPNProtocols: ["http/1.1"] },
      })
      socket.once("secureConnect", () => resolve(socket))
      socket.once("error", reject)
      this.#sockets.push(socket)
    })
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    for (const socket of this.#sockets) socket.destroy()
    const stopped = this.#listener?.stop()
    this.#listener?.closeAll()
    await stopped
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** A request whose body does not end by itself. */
export function begin(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
): ClientHttp2Stream {
  const head = { ":path": "/", ":method": "DELETE", ...headers }
  const stream = session.request(head, { endStream: false })
  stream.on("error", () => {})
  stream.resume()
  return stream
}

export const statusOf = (stream: ClientHttp2Stream): Promise<number> =>
  new Promise((resolve, reject) => {
    stream.once("response", (head) => resolve(Number(head[":status"])))
    stream.once("close", () => reject(new Error("no answer")))
  })

/** "broken" when it did not come to its end. */
export function bodyOf(asked: ApiRequest): Promise<Buffer | "broken"> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    asked.on("data", (chunk) => chunks.push(Buffer.from(chunk)))
    asked.on("end", () => resolve(Buffer.concat(chunks)))
    asked.on("close", () => resolve("broken"))
  })
}
