// Sockets for providers over node:dgram and node:net: one datagram and its answer, messages framed
// by two length bytes on TCP, and a listener for hints. Everything is bounded in size, count and
// time; a failure of the network is thrown, never turned into an answer.

import type { Socket as DatagramSocket } from "node:dgram"
import type { Socket } from "node:net"
import type { SocketAddress, SocketsAct } from "../../contract/sockets.ts"
import { providerFault } from "../faults.ts"

export interface SocketOptions {
  /** How long a datagram waits for its answer. */
  readonly datagramMs?: number
  /** How long TCP may be silent, from the connect on. */
  readonly silentMs?: number
  /** All frames of one exchange together. */
  readonly bytesMax?: number
  readonly framesMax?: number
  /** Datagrams that a listener looks at per second; more are dropped. */
  readonly hintsPerSecond?: number
}

type Limits = Required<SocketOptions>

const limits: Limits = {
  datagramMs: 2000,
  silentMs: 8000,
  bytesMax: 128 * 1024 * 1024,
  framesMax: 1_000_000,
  hintsPerSecond: 200,
}
/** Answers from elsewhere, or to other questions, before a datagram is given up. */
const strangersMax = 100
const frameMax = 0xffff
/** A name server's NOTIFY is far smaller. */
const hintBytesMax = 4096
const hintConnectionsMax = 32
const reopenMs = 500

export function createSockets(options: SocketOptions = {}): SocketsAct {
  const bounds = { ...limits, ...options }
  const converse: SocketsAct["framed"] = (to, payload, takes, signal) =>
    exchange(to, payload, takes, signal, bounds)
  return {
    framed: converse,
    datagram: (to, payload, accepts, signal) => ask(to, payload, accepts, signal, bounds),
    listen: (at, received) => listen(at, received, bounds),
    async change(to, payload, signal) {
      let answer: Uint8Array | undefined
      await converse(
        to,
        payload,
        (frame) => {
          answer = frame
          return false
        },
        signal,
      )
      if (answer === undefined) throw failed(to, "no answer")
      return answer
    },
  }
}

function failed({ host, port }: SocketAddress, cause: string, error?: unknown) {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined
  const errno = typeof code === "string" && /^E[A-Z]+$/.test(code) ? { errno: code } : {}
  return providerFault("SPT-PROV-015", { address: `${host}:${port}`, cause, ...errno }, error)
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isIp6 = (host: string): boolean => host.includes(":")

function ask(
  to: SocketAddress,
  payload: Uint8Array,
  accepts: (answer: Uint8Array) => boolean,
  signal: AbortSignal,
  { datagramMs }: Limits,
): Promise<Uint8Array> {
  // Loaded with the first use: many planes never open a socket.
  const { createSocket } = process.getBuiltinModule("node:dgram")
  const ended = AbortSignal.any([signal, AbortSignal.timeout(datagramMs)])
  return new Promise((resolve, reject) => {
    const socket: DatagramSocket = createSocket(isIp6(to.host) ? "udp6" : "udp4")
    let over = false
    const end = (settle: () => void) => {
      if (over) return
      over = true
      ended.removeEventListener("abort", onAbort)
      socket.close()
      settle()
    }
    const fail = (cause: string, error?: unknown) => end(() => reject(failed(to, cause, error)))
    const onAbort = () => fail(signal.aborted ? "it was called off" : "no answer in time")
    if (ended.aborted) return fail("it was called off")
    ended.addEventListener("abort", onAbort, { once: true })
    let strangers = 0
    socket.on("error", (error) => fail(causeOf(error), error))
    socket.on("message", (answer) => {
      if (over) return
      try {
        if (accepts(answer)) return end(() => resolve(answer))
      } catch (error) {
        return end(() => reject(error))
      }
      if (++strangers >= strangersMax) fail("only answers to other questions came")
    })
    // A connected socket takes nothing from any other address.
    socket.connect(to.port, to.host, () => {
      socket.send(payload, (error) => {
        if (error !== null && error !== undefined) fail(causeOf(error), error)
      })
    })
  })
}

function exchange(
  to: SocketAddress,
  payload: Uint8Array,
  takes: (frame: Uint8Array) => boolean,
  signal: AbortSignal,
  bounds: Limits,
): Promise<void> {
  if (payload.length > frameMax) return Promise.reject(failed(to, "the message is too long"))
  if (signal.aborted) return Promise.reject(failed(to, "it was called off"))
  const { connect } = process.getBuiltinModule("node:net")
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ ...to, noDelay: true })
    let over = false
    const end = (settle: () => void) => {
      if (over) return
      over = true
      signal.removeEventListener("abort", onAbort)
      socket.destroy()
      settle()
    }
    const fail = (cause: string, error?: unknown) => end(() => reject(failed(to, cause, error)))
    const onAbort = () => fail("it was called off")
    signal.addEventListener("abort", onAbort, { once: true })
    socket.setTimeout(bounds.silentMs, () => fail("no answer in time"))
    socket.on("error", (error) => fail(causeOf(error), error))
    socket.on("close", () => fail("the connection ended early"))
    socket.on("end", () => fail("the connection ended early"))
    const frames = frameReader(bounds, (frame) => takes(frame))
    socket.on("data", (chunk) => {
      if (over) return
      try {
        const more = frames(chunk)
        if (typeof more === "string") fail(more)
        else if (!more) end(resolve)
      } catch (error) {
        end(() => reject(error))
      }
    })
    socket.write(framed(payload))
  })
}

/** Cuts what arrives into frames. False when enough came, a sentence when a bound is crossed. */
function frameReader(
  { bytesMax, framesMax }: Limits,
  takes: (frame: Uint8Array) => boolean,
): (chunk: Buffer) => boolean | string {
  let rest: Buffer = Buffer.alloc(0)
  let bytes = 0
  let count = 0
  return (chunk) => {
    bytes += chunk.length
    if (bytes > bytesMax) return `the answer is longer than ${bytesMax} bytes`
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 2) {
      const length = rest.readUInt16BE(0)
      if (rest.length < 2 + length) return true
      if (++count > framesMax) return `the answer has more than ${framesMax} messages`
      const frame = rest.subarray(2, 2 + length)
      rest = rest.subarray(2 + length)
      if (!takes(frame)) return false
    }
    return true
  }
}

type Received = (payload: Uint8Array, from: SocketAddress) => Uint8Array | undefined

/** Hints may fail to come; the level read finds what they would have told. */
const unheard = () => {}

/** Some servers send their hints as datagrams, some over TCP. */
function listen(at: SocketAddress, received: Received, limits: Limits) {
  let left = limits.hintsPerSecond
  const refill = setInterval(() => {
    left = limits.hintsPerSecond
  }, 1000)
  refill.unref()
  const bounded: Received = (payload, from) => {
    if (left <= 0 || payload.length > hintBytesMax) return undefined
    left--
    return received(payload, from)
  }
  const closes = [
    reopening((failed) => listenDatagrams(at, bounded, failed)),
    reopening((failed) => listenFrames(at, bounded, limits, failed)),
  ]
  return {
    close() {
      clearInterval(refill)
      for (const close of closes.splice(0)) close()
    },
  }
}

/** An address that is taken may be free later: a former plane is about to let it go. */
function reopening(open: (failed: () => void) => () => void): () => void {
  let waiting: NodeJS.Timeout | undefined
  let close = () => {}
  const begin = () => {
    let over = false
    const end = open(() => {
      if (over) return
      over = true
      end()
      waiting = setTimeout(begin, reopenMs)
      waiting.unref()
    })
    close = () => {
      over = true
      end()
    }
  }
  begin()
  return () => {
    clearTimeout(waiting)
    close()
  }
}

function listenDatagrams(at: SocketAddress, received: Received, failed: () => void): () => void {
  const { createSocket } = process.getBuiltinModule("node:dgram")
  const socket: DatagramSocket = createSocket(isIp6(at.host) ? "udp6" : "udp4")
  socket.on("error", failed)
  socket.on("message", (payload, { address, port }) => {
    const answer = received(payload, { host: address, port })
    if (answer !== undefined) socket.send(answer, port, address, unheard)
  })
  socket.bind({ address: at.host, port: at.port, exclusive: true })
  socket.unref()
  return () => {
    try {
      socket.close()
    } catch {
      // It never opened.
    }
  }
}

function listenFrames(
  at: SocketAddress,
  received: Received,
  limits: Limits,
  failed: () => void,
): () => void {
  const { createServer } = process.getBuiltinModule("node:net")
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    socket.on("error", unheard)
    socket.setTimeout(limits.silentMs, () => socket.destroy())
    const from = { host: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 }
    const frames = frameReader({ ...limits, bytesMax: hintBytesMax + 2 }, (frame) => {
      const answer = received(frame, from)
      if (answer !== undefined) socket.write(framed(answer))
      return false
    })
    socket.on("data", (chunk) => {
      if (frames(chunk) !== true) socket.end()
    })
  })
  server.maxConnections = hintConnectionsMax
  server.on("error", failed)
  server.listen({ host: at.host, port: at.port, exclusive: true })
  server.unref()
  return () => {
    for (const socket of open) socket.destroy()
    server.close(unheard)
  }
}

function framed(payload: Uint8Array): Buffer {
  const head = Buffer.from([payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([head, payload])
}
