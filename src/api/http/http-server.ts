// The API on its listeners: a unix socket, and ports when asked. Draining ends watches, lets running requests finish, and then closes.

import { sleep } from "../../base/clock.ts"
import { discoveryRoutes } from "../discovery/discovery-routes.ts"
import { openApiRoutes } from "../openapi/openapi-routes.ts"
import { type HttpApi, handleRequest, type Watches } from "./handle-request.ts"
import { healthRoutes } from "./health-routes.ts"
import { type Listener, listenOnLoopback, listenOnSocket, type OnRequest } from "./listener.ts"
import type { PlainRoute } from "./plain-route.ts"
import { listenWithTls, type TlsListener, type TlsOptions } from "./tls-listener.ts"

export interface HttpServerOptions extends Omit<HttpApi, "requestMs" | "watchesMax" | "routes"> {
  readonly socketPath?: string
  /** Without TLS, on 127.0.0.1 only; 0 = any free port. */
  readonly port?: number
  /** Besides: for clients of Kubernetes, here or elsewhere. */
  readonly tls?: TlsOptions
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
  readonly tls: TlsListener | undefined
  /** Ends watches, waits for requests under way at most so long, closes. */
  close(drainMs?: number): Promise<void>
}

const idleLookMs = 20

export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const stop = new AbortController()
  const { version = "0.0.0" } = options
  const api: HttpApi = {
    ...options,
    routes: [
      ...healthRoutes({ version, ready: () => options.ready?.() }),
      ...discoveryRoutes(options.registry),
      ...openApiRoutes(options.registry, { clock: options.clock, version }),
      ...(options.routes ?? []),
    ],
    requestMs: options.requestMs ?? 60_000,
    watchesMax: options.watchesMax ?? 1000,
  }
  const watches: Watches = { open: 0, signal: stop.signal }
  const onRequest: OnRequest = (request, response) => {
    // A client that goes away mid-answer is its own affair.
    response.on("error", () => {})
    void handleRequest(api, watches, request, response)
  }
  const listeners: Listener[] = []
  const closeAll = (drainMs: number) =>
    Promise.all(listeners.map((listener) => drain(options.clock, listener, drainMs)))
  let tls: TlsListener | undefined
  let url: string | undefined
  try {
    const { socketPath, port } = options
    if (socketPath !== undefined) listeners.push(await listenOnSocket(socketPath, onRequest))
    if (port !== undefined) {
      const listener = await listenOnLoopback(port, onRequest)
      url = `http://127.0.0.1:${listener.port}`
      listeners.push(listener)
    }
    if (options.tls !== undefined) {
      tls = await listenWithTls(options.tls, onRequest)
      listeners.push(tls)
    }
  } catch (error) {
    await closeAll(0)
    throw error
  }
  const close = async (drainMs = 5000) => {
    stop.abort()
    await closeAll(drainMs)
  }
  return { url, socketPath: options.socketPath, tls, close }
}

async function drain(clock: HttpApi["clock"], listener: Listener, drainMs: number): Promise<void> {
  const done = new AbortController()
  const closed = listener.stop().then(() => done.abort())
  const end = clock.monotonic() + drainMs
  while (!done.signal.aborted && clock.monotonic() < end) {
    // Connections become idle one by one, as their last request is answered.
    listener.closeIdle()
    await sleep(clock, idleLookMs, done.signal)
  }
  listener.closeAll()
  await closed
}
