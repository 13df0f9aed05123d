// One HTTP request from its headers to its answer: who asks, what for, the body, the verb. Nothing
// is looked at before the token is known.

import type { IncomingMessage, ServerResponse } from "node:http"
import { withDeadline } from "../../base/async.ts"
import type { Clock } from "../../base/clock.ts"
import type { Principal } from "../../contract/principal.ts"
import type { ExtensionCalls, Verbs } from "../../contract/verbs.ts"
import { apiFault } from "../faults.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { type Answer, send, sendFault } from "./answer.ts"
import { type Authenticate, bearerToken } from "./authenticate.ts"
import { parsePath, type ResourcePath } from "./parse-path.ts"
import { bodyType, readBody } from "./read-body.ts"
import { listOptions, serveResource } from "./serve-resource.ts"
import { serveWatch } from "./serve-watch.ts"

export interface HttpApi {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  readonly extensions: ExtensionCalls
  readonly clock: Clock
  readonly authenticate: Authenticate
  /** Undefined when ready, else why not. */
  ready(): string | undefined
  readonly version: string
  /** For all but watches. */
  readonly requestMs: number
  readonly watchesMax: number
}

export interface Watches {
  open: number
  /** Aborts when the server drains. */
  readonly signal: AbortSignal
}

/** The header that asks for the object of a finished delete. */
export const returnHeader = "setpoint-return"

export async function handleRequest(
  api: HttpApi,
  watches: Watches,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const principal = authenticated(api, request)
    const url = request.url ?? "/"
    const mark = url.indexOf("?")
    const path = mark < 0 ? url : url.slice(0, mark)
    const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
    if (isWatch(request, query)) return await watch(api, watches, principal, path, query, response)
    const task = () => answerTo(api, principal, request, url, path, query)
    const timed = await withDeadline(api.clock, api.requestMs, task)
    if (timed.kind === "timeout") throw apiFault("SPT-API-024", { why: "it took too long" })
    send(response, timed.value)
  } catch (error) {
    if (response.headersSent) {
      // The answer had begun: cutting it is the only way left to say that it is not whole.
      response.destroy()
      return
    }
    // What was not read of the body must not be taken for the next request.
    if (!request.complete) response.setHeader("connection", "close")
    sendFault(response, error)
  }
}

function authenticated(api: HttpApi, request: IncomingMessage): Principal {
  const token = bearerToken(request)
  const principal = token === undefined ? undefined : api.authenticate(token)
  if (principal === undefined) throw apiFault("SPT-API-020")
  return principal
}

const isWatch = (request: IncomingMessage, query: URLSearchParams): boolean =>
  request.method === "GET" && ["true", "1"].includes(query.get("watch") ?? "")

async function answerTo(
  api: HttpApi,
  principal: Principal,
  request: IncomingMessage,
  url: string,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  const method = request.method ?? "GET"
  const plain = method === "GET" ? plainAnswer(api, path) : undefined
  if (plain !== undefined) return plain
  const type = bodyType(request)
  const body = method === "GET" ? undefined : await readBody(request)
  const extension = api.extensions.call(principal, method, url, body)
  if (extension !== undefined) return { status: 200, body: (await extension) as object }
  const target = needPath(path)
  const resource = api.registry.need(target.resource)
  const wantsObject = request.headers[returnHeader] === "object"
  const { verbs } = api
  const call = { verbs, principal, resource, path: target, method, query, body, wantsObject }
  return serveResource({ ...call, bodyType: type })
}

function plainAnswer(api: HttpApi, path: string): Answer | undefined {
  if (path === "/healthz" || path === "/livez") return { status: 200, body: { status: "ok" } }
  if (path === "/readyz") {
    const why = api.ready()
    if (why === undefined) return { status: 200, body: { status: "ok" } }
    throw apiFault("SPT-API-024", { why })
  }
  if (path !== "/version") return undefined
  const [major = "0", minor = "0"] = api.version.split(".")
  return {
    status: 200,
    body: { major, minor, gitVersion: `v${api.version}`, platform: "setpoint" },
  }
}

function needPath(path: string): ResourcePath {
  const target = parsePath(path)
  if (target === undefined) throw apiFault("SPT-API-025", { path: path.slice(0, 300) })
  return target
}

async function watch(
  api: HttpApi,
  watches: Watches,
  principal: Principal,
  path: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const target = needPath(path)
  const resource = api.registry.need(target.resource)
  if (target.name !== "") throw apiFault("SPT-API-021", { method: "WATCH", path })
  if (watches.open >= api.watchesMax) {
    throw apiFault("SPT-API-023", { why: `${api.watchesMax} watches are open` })
  }
  watches.open++
  try {
    await serveWatch({
      verbs: api.verbs,
      clock: api.clock,
      principal,
      ref: target.resource,
      resource,
      query,
      options: listOptions({ path: target, query }),
      signal: watches.signal,
      response,
    })
  } finally {
    watches.open--
  }
}
