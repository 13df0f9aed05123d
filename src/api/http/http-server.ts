// The API on a unix socket (0600) and, when asked, on a loopback port. Every limit of node:http is
// set here; draining ends watches, lets running requests finish, and then closes.

import { chmodSync, lstatSync, unlinkSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { sleep } from "../../base/clock.ts"
import { apiFault } from "../faults.ts"
import { type HttpApi, handleRequest, type Watches } from "./handle-request.ts"
import { healthRoutes } from "./health-routes.ts"
import type { PlainRoute } from "./plain-route.ts"

export interface HttpServerOptions extends Omit<HttpApi, "requestMs" | "watchesMax" | "routes"> {
  readonly socketPath?: string
  /** On 127.0.0.1 only; 0 = any free port. */
  readonly port?: number
  readonly version?: string
  ready?(): string | undefined
  readonly requestMs?: number
  readonly watchesMax?: number
  /** Besides health, discovery and OpenAPI. */
  readonly routes?: readonly PlainRoute[]
}

export interface HttpServer {
  /** "http://127.0.0.1:PORT" when a port was asked for. */
  readonly url: string | undefined
  readonly socketPath: string | undefined
  /** Ends watches, waits for requests under way at most so long, closes. */
  close(drainMs?: number): Promise<void>
}

const idleLookMs = 20

export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const stop = new AbortController()
  const api: HttpApi = {
    ...options,
    routes: [
      ...healthRoutes({ version: options.version ?? "0.0.0", ready: () => options.ready?.() }),
      ...(options.routes ?? []),
    ],
    requestMs: options.requestMs ?? 60_000,
    watchesMax: options.watchesMax ?? 1000,
  }
  const watches: Watches = { open: 0, signal: stop.signal }
  const servers: Server[] = []
  const { socketPath, port } = options
  if (socketPath !== undefined) {
    await removeStaleSocket(socketPath)
    const server = makeServer(api, watches)
    await listenOnSocket(server, socketPath)
    servers.push(server)
  }
  let url: string | undefined
  if (port !== undefined) {
    const server = makeServer(api, watches)
    await listen(server, () => server.listen(port, "127.0.0.1"), `127.0.0.1:${port}`)
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    servers.push(server)
  }
  const close = async (drainMs = 5000) => {
    stop.abort()
    await Promise.all(servers.map((server) => drain(options.clock, server, drainMs)))
  }
  return { url, socketPath, close }
}

function makeServer(api: HttpApi, watches: Watches): Server {
  const limits = { maxHeaderSize: 16 * 1024, requireHostHeader: false, keepAliveTimeout: 30_000 }
  const server = createServer(limits, (request, response) => {
    // A client that goes away mid-answer is its own affair.
    response.on("error", () => {})
    void handleRequest(api, watches, request, response)
  })
  server.headersTimeout = 10_000
  server.requestTimeout = 60_000
  server.maxHeadersCount = 100
  server.maxConnections = 4096
  return server
}

function listen(server: Server, begin: () => void, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(apiFault("SPT-API-026", { where, why: error.message }, error))
    })
    server.once("listening", resolve)
    begin()
  })
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
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

async function drain(clock: HttpApi["clock"], server: Server, drainMs: number): Promise<void> {
  const done = new AbortController()
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      done.abort()
      resolve()
    })
  })
  const end = clock.monotonic() + drainMs
  while (!done.signal.aborted && clock.monotonic() < end) {
    // Connections become idle one by one, as their last request is answered.
    server.closeIdleConnections()
    await sleep(clock, idleLookMs, done.signal)
  }
  server.closeAllConnections()
  await closed
}
