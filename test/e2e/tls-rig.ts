// A whole API on a port with TLS, in this process: its authority, ways to speak to it in raw bytes,
// over HTTP/1.1 and over HTTP/2.

import { mkdtempSync, rmSync } from "node:fs"
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { request as startRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls"
import { Extensions } from "../../src/api/extensions.ts"
import {
  certificateAuthenticator,
  firstKnown,
  tokenAuthenticator,
} from "../../src/api/http/authenticate.ts"
import {
  type HttpServer,
  type HttpServerOptions,
  serveHttp,
} from "../../src/api/http/http-server.ts"
import { sha256 } from "../../src/base/hash.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { allowAll } from "../../src/contract/authorizer.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { openAuthority, type Pair } from "../../src/plane/adapters/pki/authority.ts"
import { type ApiWorld, alice, openApiWorld } from "../conformance/client-world.ts"

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const names = ["localhost", "127.0.0.1"]

interface Bounds {
  readonly connectionsPerAddress?: number
  readonly headersMs?: number
}

export class TlsRig {
  readonly world: ApiWorld
  readonly server: HttpServer
  readonly authority: string
  readonly owner: Pair
  readonly extensions: Extensions
  readonly #directory: string
  readonly #sessions: ClientHttp2Session[] = []

  private constructor(parts: {
    readonly world: ApiWorld
    readonly server: HttpServer
    readonly authority: string
    readonly owner: Pair
    readonly extensions: Extensions
    readonly directory: string
  }) {
    this.world = parts.world
    this.server = parts.server
    this.authority = parts.authority
    this.owner = parts.owner
    this.extensions = parts.extensions
    this.#directory = parts.directory
  }

  static async open(
    more: Partial<HttpServerOptions> & Bounds = {},
    others: Readonly<Record<string, Principal>> = {},
  ): Promise<TlsRig> {
    const directory = mkdtempSync(join(tmpdir(), "spt-tls-"))
    const world = await openApiWorld()
    const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
    const extensions = new Extensions()
    const { connectionsPerAddress, headersMs, ...options } = more
    const tokens = Object.entries({ t: alice, ...others })
    const { verbs, reads, registry } = world
    const server = await serveHttp({
      ...{ verbs, reads, registry, extensions, authorizer: allowAll, clock: systemClock },
      authenticate: firstKnown(
        certificateAuthenticator("authority:test"),
        tokenAuthenticator(() =>
          tokens.map(([token, principal]) => ({ sha256: sha256(token), principal })),
        ),
      ),
      tls: {
        host: "127.0.0.1",
        ports: [0],
        ...authority.server(names),
        clientAuthority: authority.certificate,
        isOurs: (name) => names.includes(name),
        ...(connectionsPerAddress === undefined ? {} : { connectionsPerAddress }),
        ...(headersMs === undefined ? {} : { headersMs }),
      },
      ...options,
    })
    const owner = authority.client("owner.pem", {
      commonName: "ann",
      organizations: ["system:masters"],
    })
    const { certificate } = authority
    return new TlsRig({ world, server, authority: certificate, owner, extensions, directory })
  }

  get port(): number {
    return this.server.tls?.port ?? 0
  }

  get url(): string {
    return `https://localhost:${this.port}`
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    await this.server.close(200)
    await this.world.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** One request over HTTP/1.1. */
  send(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    how: {
      readonly method?: string
      readonly body?: string
      readonly pair?: Pair
      readonly token?: string
    } = {},
  ): Promise<Reply> {
    const { method = "GET", body, pair, token } = how
    return new Promise((resolve, reject) => {
      const request = startRequest({
        ...{ host: "127.0.0.1", port: this.port, servername: "localhost", path, method },
        ca: this.authority,
        agent: false,
        ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
        headers: {
          host: `localhost:${this.port}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      })
      request.once("error", reject)
      request.once("response", (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.once("error", reject)
        response.once("end", () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      })
      request.end(body)
    })
  }

  /** A connection of HTTP/2. */
  http2(pair?: Pair): ClientHttp2Session {
    const session = connectHttp2(this.url, {
      ca: this.authority,
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    })
    session.on("error", () => {})
    this.#sessions.push(session)
    return session
  }

  /** A connection on which anything can be written. */
  raw(options: ConnectionOptions = {}): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...{ host: "127.0.0.1", port: this.port, servername: "localhost", ca: this.authority },
        ALPNProtocols: ["http/1.1"],
        ...options,
      })
      socket.once("secureConnect", () => resolve(socket))
      socket.once("error", reject)
    })
  }

  /** What the server answers to these bytes, until it closes the connection. */
  async speak(bytes: string): Promise<string> {
    const socket = await this.raw()
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
    })
    socket.on("error", () => {})
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.write(bytes, "latin1")
    const timer = setTimeout(() => socket.destroy(), 1000)
    await ended
    clearTimeout(timer)
    return text
  }
}

/** One request over an open HTTP/2 connection. */
export function sendHttp2(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...headers })
    let [status, received, text] = [0, {}, ""]
    stream.setEncoding("utf8")
    stream.on("response", (answered) => {
      status = Number(answered[":status"])
      received = answered
    })
    stream.on("data", (chunk: string) => {
      text += chunk
    })
    stream.once("error", reject)
    stream.once("end", () => resolve({ status, headers: received, text }))
    stream.end(body)
  })
}
