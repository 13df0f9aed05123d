// HTTP/1.1 and HTTP/2 with TLS on one port. Node's own server for each protocol does the work behind
// one handshake, so that neither pays for the other. Certificates of clients are asked for and not
// required: whoever has none shows a token.

import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2"
import { createServer as createHttpsServer } from "node:https"
import type { TLSSocket } from "node:tls"
import { isCode } from "../../store/engines/private-files.ts"
import { http1Limits, type Listener, limit, listen, type OnRequest, portOf } from "./listener.ts"

export interface TlsOptions {
  readonly host: string
  /** Tried one after another; the last one has to be free. 0 = any. */
  readonly ports: readonly number[]
  /** PEM. */
  readonly certificate: string
  readonly key: string
  /** PEM of the authority whose client certificates are believed. */
  readonly clientAuthority: string
}

export interface TlsListener extends Listener {
  /** For connections from now on. */
  renew(pair: { readonly certificate: string; readonly key: string }): void
}

const streamsMax = 250

export async function listenWithTls(
  options: TlsOptions,
  onRequest: OnRequest,
): Promise<TlsListener> {
  const context = (pair: { readonly certificate: string; readonly key: string }) => ({
    cert: pair.certificate,
    key: pair.key,
    ca: options.clientAuthority,
    minVersion: "TLSv1.2" as const,
  })
  const sessions = new Set<ServerHttp2Session>()
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: streamsMax },
    maxHeaderListPairs: 100,
  })
  http2.on("request", onRequest)
  http2.on("session", (session) => {
    sessions.add(session)
    session.once("close", () => sessions.delete(session))
  })
  const server = createHttpsServer(
    {
      ...http1Limits,
      ...context(options),
      ALPNProtocols: ["h2", "http/1.1"],
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: 10_000,
    },
    onRequest,
  )
  limit(server)
  const speakHttp1 = server.listeners("secureConnection") as ((socket: TLSSocket) => void)[]
  server.removeAllListeners("secureConnection")
  server.on("secureConnection", (socket: TLSSocket) => {
    if (socket.alpnProtocol === "h2") http2.emit("connection", socket)
    else for (const speak of speakHttp1) speak.call(server, socket)
  })
  await listenOnOneOf(server, options)
  return {
    port: portOf(server),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
    closeIdle: () => {
      server.closeIdleConnections()
      for (const session of sessions) if (!session.closed) session.close()
    },
    closeAll: () => {
      server.closeAllConnections()
      for (const session of sessions) session.destroy()
    },
    renew: (pair) => server.setSecureContext(context(pair)),
  }
}

async function listenOnOneOf(
  server: ReturnType<typeof createHttpsServer>,
  { host, ports }: TlsOptions,
): Promise<void> {
  for (const [index, port] of ports.entries()) {
    try {
      await listen(server, () => server.listen(port, host), `${host}:${port}`)
      return
    } catch (error) {
      const taken = error instanceof Error && isCode(error.cause, "EADDRINUSE")
      if (!taken || index === ports.length - 1) throw error
    }
  }
}
