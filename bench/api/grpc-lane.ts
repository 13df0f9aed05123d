// One connection to a gRPC server that sends a call and waits for its end, with as little work as
// can be: frames of HTTP/2 written by hand, headers as literals, one call at a time. The load
// generator must not be what is measured.

import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
const frameHead = 9
const type = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8 } as const
const ack = 1
const endStream = 1
const endHeaders = 4
/** Of the 65,535 bytes that a server may send before it is told of more. */
const readBeforeUpdate = 16_384

function frame(kind: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(frameHead)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(kind, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])

/** HPACK: names by their place in its static table where they are there, nothing remembered. */
function headerBlock(url: URL, path: string): Buffer {
  const scheme = url.protocol === "https:" ? 0x87 : 0x86
  return Buffer.concat([
    ...[Buffer.from([0x83, scheme, 0x04]), text(path), Buffer.from([0x01]), text(url.host)],
    ...[Buffer.from([0x0f, 0x10]), text("application/grpc")],
    ...[Buffer.from([0x00]), text("te"), text("trailers")],
  ])
}

export class GrpcLane {
  readonly #socket: Socket
  readonly #headers: Buffer
  #stream = 1
  #rest: Buffer = Buffer.alloc(0)
  #read = 0
  #settle: { resolve(): void; reject(error: Error): void } | undefined

  private constructor(socket: Socket, url: URL, path: string) {
    this.#socket = socket
    this.#headers = frame(type.headers, endHeaders, 0, headerBlock(url, path))
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => this.#take(chunk))
    const fail = () => this.#settle?.reject(new Error("the connection ended"))
    socket.on("error", fail)
    socket.on("close", fail)
    socket.write(Buffer.concat([preface, frame(type.settings, 0, 0, Buffer.alloc(0))]))
  }

  static open(address: string, path: string): Promise<GrpcLane> {
    const url = new URL(address)
    const place = { host: url.hostname, port: Number(url.port) }
    return new Promise((resolve, reject) => {
      const done = () => resolve(new GrpcLane(socket, url, path))
      const socket =
        url.protocol === "https:"
          ? connectTls({ ...place, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, done)
          : connect(place, done)
      socket.once("error", reject)
    })
  }

  /** Resolves when the server has ended the call; what it answered is not looked at. */
  call(message: Buffer): Promise<void> {
    this.#headers.writeUInt32BE(this.#stream, 5)
    const data = frame(type.data, endStream, this.#stream, message)
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(Buffer.concat([this.#headers, data]))
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (all.length - at >= frameHead) {
      const size = all.readUIntBE(at, 3)
      if (all.length - at < frameHead + size) break
      const payload = all.subarray(at + frameHead, at + frameHead + size)
      this.#frame(all.readUInt8(at + 3), all.readUInt8(at + 4), payload)
      at += frameHead + size
    }
    this.#rest = all.subarray(at)
  }

  #frame(kind: number, flags: number, payload: Buffer): void {
    if (kind === type.settings && (flags & ack) === 0) {
      this.#socket.write(frame(type.settings, ack, 0, Buffer.alloc(0)))
    } else if (kind === type.ping && (flags & ack) === 0) {
      this.#socket.write(frame(type.ping, ack, 0, payload))
    } else if (kind === type.reset || kind === type.goAway) {
      this.#settle?.reject(new Error("the server ended the call"))
    } else if (kind === type.data) {
      this.#count(payload.length)
    }
    if (kind === type.headers && (flags & endStream) !== 0) this.#ended()
  }

  #count(bytes: number): void {
    this.#read += bytes
    if (this.#read < readBeforeUpdate) return
    const more = Buffer.alloc(4)
    more.writeUInt32BE(this.#read)
    this.#socket.write(frame(type.window, 0, 0, more))
    this.#read = 0
  }

  #ended(): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#stream += 2
    settle?.resolve()
  }
}
