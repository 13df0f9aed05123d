// HTTP/1.1 and HTTP/2 with TLS on one port. Node's own server for each protocol does the work
// behind one handshake, so that neither pays for the other. Certificates of clients are asked
// for and not required: whoever has none shows a token.

import { constants, createServer as createHttp2Server, type ServerHttp2Session } from "node:http2"
import { createServer as createHttpsServer, type Server } from "node:https"
import type { Socket } from "node:net"
import { createSecureContext, type TLSSocket } from "node:tls"
import type { FrontRequest, FrontResponse } from "./front/front-request.ts"
import { http1Limits, type Listener, limit, listenOnOneOf, portOf } from "./listener.ts"

export interface TlsPortOptions {
  readonly host: string
  /** Tried one after another; the last one has to be free. 0 = any. */
  readonly ports: readonly number[]
  /** PEM. */
  readonly certificate: string
  readonly key: string
  /** PEM of the authority whose client certificates are believed. */
  readonly clientAuthority: string
  readonly connectionsPerAddress?: number
  /** Within which a request's headers, or the first bytes at all, have to come. */
  readonly headersMs?: number
  /** Within which a small body has to come over HTTP/2. */
  readonly bodyMs?: number
}

export interface TlsOptions extends TlsPortOptions {
  /** Names and addresses that requests may be meant for. */
  isOurs(name: string): boolean
}

export interface TlsListener extends Listener {
  /** For connections from now on. Throws, and keeps what it shows, when they do not fit. */
  renew(pair: { readonly certificate: string; readonly key: string }): void
}

const streamsMax = 250
const addressMax = 1024
const sessionMegabytes = 1024
/** How much of a body may be on its way; most objects fit. */
const windowBytes = 256 * 1024
/** A connection without any stream, or before its first one. */
const idleMs = 120_000
const keepAliveMs = 60_000

/** By node's own classes of either protocol. */
export type OnTlsRequest = (request: FrontRequest, response: FrontResponse) => void

export type PairText = { readonly certificate: string; readonly key: string }

export async function listenWithTls(
  options: TlsPortOptions,
  onRequest: OnTlsRequest,
): Promise<TlsListener> {
  const context = (pair: PairText) => contextOf(options, pair)
  const http2 = openHttp2(onRequest)
  const server = createHttpsServer(
    {
      ...http1Limits,
      ...context(options),
      requireHostHeader: true,
      ALPNProtocols: ["h2", "http/1.1"],
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: 10_000,
    },
    onRequest,
  )
  limit(server, options.headersMs)
  boundAddresses(server, options.connectionsPerAddress ?? addressMax)
  const sockets = openSockets(server)
  const speakHttp1 = server.listeners("secureConnection") as ((socket: TLSSocket) => void)[]
  server.removeAllListeners("secureConnection")
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.setKeepAlive(true, keepAliveMs)
    if (socket.alpnProtocol === "h2") http2.accept(socket)
    else for (const speak of speakHttp1) speak.call(server, socket)
  })
  await listenOnOneOf(server, options.host, options.ports)
  return {
    port: portOf(server),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
    closeIdle: () => {
      server.closeIdleConnections()
      http2.finish()
    },
    closeAll: () => {
      server.closeAllConnections()
      http2.destroy()
      // A client that reads nothing any more holds its end open for ever; ours closes all the same.
      for (const socket of sockets) socket.destroy()
    },
    renew: (pair) => server.setSecureContext(context(pair)),
  }
}

function contextOf({ clientAuthority: ca }: TlsPortOptions, { certificate: cert, key }: PairText) {
  return { cert, key, ca, minVersion: "TLSv1.2" as const }
}

/** Throws for a certificate that can't be shown: one that does not fit its key, or none at all. */
export function checkPair(options: TlsPortOptions, pair: PairText): void {
  createSecureContext(contextOf(options, pair))
}

/** Every connection, whatever it speaks. */
function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return sockets
}

/** One address can not take all the connections there are. */
function boundAddresses(server: Server, most: number): void {
  const counts = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    socket.once("close", () => {
      const rest = (counts.get(address) ?? 1) - 1
      if (rest === 0) counts.delete(address)
      else counts.set(address, rest)
    })
    if (count > most) socket.destroy()
  })
}

interface Http2Side {
  accept(socket: TLSSocket): void
  /** Tells clients to go elsewhere (GOAWAY); streams under way end by themselves. */
  finish(): void
  destroy(): void
}

function openHttp2(onRequest: OnTlsRequest): Http2Side {
  const sessions = new Set<ServerHttp2Session>()
  const server = createHttp2Server({
    settings: {
      maxConcurrentStreams: streamsMax,
      maxHeaderListSize: http1Limits.maxHeaderSize,
      initialWindowSize: windowBytes,
    },
    maxHeaderListPairs: 100,
    // Over it new requests of a connection are refused, and a long list that waits for its reader
    // counts: how much may wait is bounded by the slots.
    maxSessionMemory: sessionMegabytes,
  })
  server.on("session", (session) => {
    sessions.add(session)
    session.setLocalWindowSize(16 * windowBytes)
    let streams = 0
    session.on("stream", (stream) => {
      streams++
      stream.once("close", () => streams--)
    })
    session.setTimeout(idleMs, () => {
      if (streams === 0) session.close()
    })
    session.once("close", () => sessions.delete(session))
  })
  server.on("sessionError", () => {}) // A client that breaks the rules is its own affair.
  // Node's own answer throws where nobody catches it, when the stream ended before its turn came.
  server.on("checkContinue", (request, response) => {
    if (request.stream.destroyed || request.stream.closed) return
    response.writeContinue()
    server.emit("request", request, response)
  })
  server.on("request", (request, response) => {
    // What is left of a body that nobody reads must not hold the stream.
    response.once("finish", () => {
      if (!request.complete && !request.stream.closed)
        request.stream.close(constants.NGHTTP2_NO_ERROR)
    })
    // Node has it; its types do not say so.
    onRequest(request, response as typeof response & { flushHeaders(): void })
  })
  return {
    accept: (socket) => void server.emit("connection", socket),
    finish: () => {
      for (const session of sessions) {
        if (session.closed || session.destroyed) continue
        session.goaway()
        session.close()
      }
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
    },
  }
}
