// One TLS connection that sends a request and waits for its answer, with as little work as can be:
// the load generator must not be what is measured. Understands lengths and chunks, nothing more.

import { connect, type TLSSocket } from "node:tls"

export interface Place {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly ca?: string
}

export interface LightAnswer {
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from("\r\n\r\n")

export class LightClient {
  readonly #socket: TLSSocket
  readonly #place: Place
  #received: Buffer[] = []
  #size = 0
  #wanted = 0
  #settle: { resolve(answer: LightAnswer): void; reject(error: Error): void } | undefined

  private constructor(socket: TLSSocket, place: Place) {
    this.#socket = socket
    this.#place = place
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => this.#take(chunk))
    const fail = () => this.#settle?.reject(new Error("the connection ended"))
    socket.on("error", fail)
    socket.on("close", fail)
  }

  static open(place: Place): Promise<LightClient> {
    return new Promise((resolve, reject) => {
      const trust = place.ca === undefined ? { rejectUnauthorized: false } : { ca: place.ca }
      const socket = connect({ host: place.host, port: place.port, ...trust }, () => {
        resolve(new LightClient(socket, place))
      })
      socket.once("error", reject)
    })
  }

  send(method: string, path: string, body = "", type = "application/json"): Promise<LightAnswer> {
    const { host, port, token } = this.#place
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      `Accept: application/json\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(head + body)
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#wanted) return
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    this.#received = [all]
    const answer = this.#read(all)
    if (answer === undefined) return
    const settle = this.#settle
    this.#received = []
    this.#size = 0
    this.#wanted = 0
    this.#settle = undefined
    settle?.resolve(answer)
  }

  #read(all: Buffer): LightAnswer | undefined {
    const end = all.indexOf(headEnd)
    if (end < 0) return undefined
    const head = all.toString("latin1", 0, end).toLowerCase()
    const status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1]
    const start = end + headEnd.length
    if (length !== undefined) {
      this.#wanted = start + Number(length)
      if (all.length < this.#wanted) return undefined
      return { status, body: all.subarray(start, this.#wanted) }
    }
    if (!head.includes("transfer-encoding: chunked")) return { status, body: Buffer.alloc(0) }
    const body = unchunk(all.subarray(start))
    return body === undefined ? undefined : { status, body }
  }
}

/** Undefined while the last chunk is missing. */
function unchunk(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf("\r\n", at, "latin1")
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    if (size === 0) return bytes.length >= line + 4 ? Buffer.concat(parts) : undefined
    if (bytes.length < line + 2 + size + 2) return undefined
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
