// A place where requests come in: a unix socket (0600), a plain port for this host, or a port with
// TLS that speaks HTTP/1.1 and HTTP/2. What a request means is no matter of a listener.

import { chmodSync, lstatSync, unlinkSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, type Server as NetServer } from "node:net"
import { isCode } from "../../store/engines/private-files.ts"
import { apiFault } from "../faults.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"

export type OnRequest = (request: ApiRequest, response: ApiResponse) => void

export interface Listener {
  readonly port: number | undefined
  /** Takes no new connection; resolves when the last one is gone. */
  stop(): Promise<void>
  /** Ends connections on which nothing is being answered. */
  closeIdle(): void
  closeAll(): void
}

/** What node:http holds each connection to. */
export const http1Limits = {
  maxHeaderSize: 32 * 1024,
  requireHostHeader: false,
  keepAliveTimeout: 30_000,
  insecureHTTPParser: false,
  /** How often the two times below are looked at. */
  connectionsCheckingInterval: 1000,
} as const

const headersMs = 10_000
/** Within which a whole request has to come. */
export const requestMs = 60_000

/** Nobody holds a connection by sending nothing, or a byte now and then. */
export function limit(server: Server, withinMs = headersMs): void {
  server.headersTimeout = withinMs
  server.requestTimeout = requestMs
  // Their size is bounded. Some releases of node leave out what is over a count, and a proxy puts
  // the header that says whom it speaks for behind those of its client.
  server.maxHeadersCount = 0
  server.maxConnections = 4096
}

export async function listenOnSocket(path: string, onRequest: OnRequest): Promise<Listener> {
  await removeStaleSocket(path)
  const server = plainServer(onRequest)
  // Binding makes the file at once; with this mask nobody else can connect before chmod.
  const mask = process.umask(0o177)
  try {
    const listening = listen(server, () => server.listen(path), path)
    process.umask(mask)
    await listening
  } finally {
    process.umask(mask)
  }
  chmodSync(path, 0o600)
  return plainListener(server)
}

/** Without TLS, and therefore for this host only. The first of the ports that is free. */
export async function listenOnLoopback(
  ports: readonly number[],
  onRequest: OnRequest,
): Promise<Listener> {
  const server = plainServer(onRequest)
  await listenOnOneOf(server, "127.0.0.1", ports)
  return plainListener(server)
}

/** The last one has to be free. */
export async function listenOnOneOf(
  server: NetServer,
  host: string,
  ports: readonly number[],
): Promise<void> {
  for (const [index, port] of ports.entries()) {
    try {
      return await listen(server, () => server.listen(port, host), `${host}:${port}`)
    } catch (error) {
      const taken = error instanceof Error && isCode(error.cause, "EADDRINUSE")
      if (!taken || index === ports.length - 1) throw error
    }
  }
}

function plainServer(onRequest: OnRequest): Server {
  const server = createServer(http1Limits, onRequest)
  limit(server)
  return server
}

function plainListener(server: Server): Listener {
  return {
    port: portOf(server),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
    closeIdle: () => server.closeIdleConnections(),
    closeAll: () => server.closeAllConnections(),
  }
}

export function portOf(server: NetServer): number | undefined {
  const address = server.address()
  return address === null || typeof address === "string" ? undefined : (address as AddressInfo).port
}

export function listen(server: NetServer, begin: () => void, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      server.off("listening", onListening)
      reject(apiFault("SPT-API-026", { where, why: error.message }, error))
    }
    const onListening = () => {
      server.off("error", onError)
      resolve()
    }
    server.once("error", onError)
    server.once("listening", onListening)
    begin()
  })
}

/** A socket that nobody answers on is left over from a dead process. */
async function removeStaleSocket(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket()) {
    throw apiFault("SPT-API-026", { where: path, why: "something that is no socket is there" })
  }
  if (await answers(path)) {
    throw apiFault("SPT-API-026", { where: path, why: "a running plane answers there" })
  }
  unlinkSync(path)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const finish = (alive: boolean) => {
      socket.destroy()
      resolve(alive)
    }
    // Silence is no proof of death; only a refused connection is.
    socket.setTimeout(2000, () => finish(true))
    socket.once("connect", () => finish(true))
    socket.once("error", (error) => {
      finish(!("code" in error) || !["ECONNREFUSED", "ENOENT"].includes(String(error.code)))
    })
  })
}
