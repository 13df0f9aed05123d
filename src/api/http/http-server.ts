// The API on its listeners: a unix socket, and ports when asked. Draining says so first, ends
// watches, lets running requests finish, and then closes.

import { sleep } from "../../base/clock.ts"
import type { Principal } from "../../contract/principal.ts"
import { Metrics } from "../../telemetry/metrics.ts"
import { discoveryRoutes } from "../discovery/discovery-routes.ts"
import { openApiRoutes } from "../openapi/openapi-routes.ts"
import { sendFault } from "./answer.ts"
import { type DashboardOptions, dashboardRequests } from "./dashboard.ts"
import { Deadlines } from "./deadlines.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import { listenInFront } from "./front/tls-front.ts"
import { type HttpApi, handleRequest } from "./handle-request.ts"
import { healthRoutes } from "./health-routes.ts"
import { defaultLaneLimits, type LaneLimits, Lanes } from "./lanes.ts"
import { type Listener, listenOnLoopback, listenOnSocket, type OnRequest } from "./listener.ts"
import { checkPlace, type Place } from "./place-check.ts"
import type { PlainRoute } from "./plain-route.ts"
import { requestFailed } from "./request-failed.ts"
import { metricsRoute, requestMetrics } from "./request-metrics.ts"
import { HookDoor, type TakeHook } from "./serve-hook.ts"
import { SharedWatches } from "./shared-watches.ts"
import type { TlsListener, TlsOptions } from "./tls-listener.ts"

type Given = Omit<HttpApi, "deadlines" | "routes" | "lanes" | "seen" | "watches" | "draining">

export interface HttpServerOptions extends Given {
  readonly socketPath?: string
  /** Without TLS, on 127.0.0.1 only; 0 = any free port. */
  readonly port?: number
  /** Besides: for clients of Kubernetes, here or elsewhere. */
  readonly tls?: TlsOptions
  /** Besides: for browsers on this host. */
  readonly dashboard?: DashboardOptions
  readonly version?: string
  ready?(): string | undefined
  readonly requestMs?: number
  readonly limits?: Partial<LaneLimits>
  /** Where requests are counted; /metrics shows all that is in it. */
  readonly metrics?: Metrics
  /** Webhooks of git servers; refused like any unknown path when missing. */
  readonly hook?: TakeHook
  /** Besides health, metrics, discovery and OpenAPI. */
  readonly routes?: readonly PlainRoute[]
}

export interface HttpServer {
  /** "http://127.0.0.1:PORT" when a port was asked for. */
  readonly url: string | undefined
  readonly socketPath: string | undefined
  readonly tls: TlsListener | undefined
  /** Every document at a fixed path; tests walk them with every role. */
  readonly routes: readonly PlainRoute[]
  /** Port of the dashboard. */
  readonly dashboardPort: number | undefined
  /** Says for `noticeMs` that it is not ready; ends watches; waits for requests; closes. */
  close(drainMs?: number, noticeMs?: number): Promise<void>
}

function handle(api: HttpApi, request: ApiRequest, response: ApiResponse): void {
  handleRequest(api, request, response).catch((error) => requestFailed(error, response))
}

const idleLookMs = 20
const ignore = () => {}

export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const stop = new AbortController()
  const leaving = new AbortController()
  const api = openHttpApi(options, stop.signal, leaving.signal)
  const hooks = options.hook && new HookDoor(options.clock, options.hook)
  const onRequest: OnRequest = (request, response) => {
    // A client that goes away mid-answer is its own affair.
    response.on("error", ignore)
    if (stop.signal.aborted && request.httpVersionMajor < 2) {
      response.setHeader("connection", "close")
    }
    if (hooks?.serve(request, response) !== true) handle(api, request, response)
  }
  const listeners: Listener[] = []
  const closeAll = (drainMs: number) =>
    Promise.all(listeners.map((listener) => drain(options.clock, listener, drainMs)))
  const asPrincipal = (principal: Principal, request: ApiRequest, response: ApiResponse) =>
    handle({ ...api, authenticate: () => principal }, request, response)
  let tls: TlsListener | undefined
  let dashboard: Listener | undefined
  let url: string | undefined
  try {
    const { socketPath, port } = options
    if (port !== undefined) {
      const listener = await listenOnLoopback([port], fromPlace(loopback, onRequest))
      url = `http://127.0.0.1:${listener.port}`
      listeners.push(listener)
    }
    if (options.tls !== undefined) {
      const { isOurs } = options.tls
      tls = await listenInFront(options.tls, fromPlace({ scheme: "https", isOurs }, onRequest))
      listeners.push(tls)
    }
    if (options.dashboard !== undefined) {
      const { ports } = options.dashboard
      dashboard = await listenOnLoopback(ports, dashboardRequests(options.dashboard, asPrincipal))
      listeners.push(dashboard)
    }
    // Last: the owner asks here whether all of it is there.
    if (socketPath !== undefined) listeners.push(await listenOnSocket(socketPath, onRequest))
  } catch (error) {
    await closeAll(0)
    throw error
  }
  const close = async (drainMs = 5000, noticeMs = 0) => {
    leaving.abort()
    if (noticeMs > 0) await sleep(options.clock, noticeMs)
    stop.abort()
    await closeAll(drainMs)
  }
  const { routes } = api
  return { url, socketPath: options.socketPath, routes, tls, dashboardPort: dashboard?.port, close }
}

function openHttpApi(
  options: HttpServerOptions,
  draining: AbortSignal,
  leaving: AbortSignal,
): HttpApi {
  const { version = "0.0.0", clock, registry, metrics = new Metrics() } = options
  const lanes = new Lanes(clock, { ...defaultLaneLimits, ...options.limits })
  // Whoever sends requests here hears first that it ends.
  const ready = () => (leaving.aborted ? "it is ending" : options.ready?.())
  return {
    ...options,
    routes: [
      ...healthRoutes({ version, ready }),
      metricsRoute(metrics),
      ...discoveryRoutes(registry),
      ...openApiRoutes(registry, { clock, version }),
      ...(options.routes ?? []),
    ],
    deadlines: new Deadlines(clock, options.requestMs ?? 60_000),
    lanes,
    seen: requestMetrics(metrics, registry, lanes),
    watches: new SharedWatches(),
    draining,
  }
}

const loopback: Place = {
  scheme: "http",
  isOurs: (name) => name === "localhost" || name === "127.0.0.1",
}

/** Only what was meant for us goes on. */
function fromPlace(place: Place, onRequest: OnRequest): OnRequest {
  return (request, response) => {
    try {
      checkPlace(request.headers, place, request.socket.localAddress, request.rawHeaders)
    } catch (error) {
      response.on("error", ignore)
      if (request.httpVersionMajor < 2) response.setHeader("connection", "close")
      return sendFault(response, error)
    }
    onRequest(request, response)
  }
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
