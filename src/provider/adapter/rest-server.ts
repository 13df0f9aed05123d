// A small real HTTP server to try providers against: items with ETags, pages, conditional writes,
// and faults that can be switched on. It keeps everything in memory and listens on loopback only.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { hashJson } from "../../base/hash.ts"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { FaultMode } from "../conformance/subject.ts"

export interface RestServer {
  /** http://127.0.0.1:PORT */
  readonly url: string
  readonly items: ReadonlyMap<string, JsonObject>
  /** How often something was made, changed or removed by a request. */
  mutations(): number
  /** Requests so far, as "METHOD /path". */
  readonly requests: readonly string[]
  /** The next request meets this. */
  failNext(mode: FaultMode): void
  /** Every request from now on meets this, until undefined is given. */
  failAll(mode: FaultMode | undefined): void
  put(id: string, item: JsonObject): void
  remove(id: string): void
  close(): Promise<void>
}

export interface RestServerOptions {
  readonly pageSize?: number
}

interface Reply {
  readonly status: number
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
}

const bodyBytesMax = 1024 * 1024

/** GET /items?page=N, and GET, PUT, DELETE /items/ID with If-Match and If-None-Match: *. */
export async function startRestServer(options: RestServerOptions = {}): Promise<RestServer> {
  const pageSize = options.pageSize ?? 2
  const items = new Map<string, JsonObject>()
  const requests: string[] = []
  let mutations = 0
  let next: FaultMode | undefined
  let always: FaultMode | undefined

  const list = (query: URLSearchParams): Reply => {
    const page = Math.max(1, Number(query.get("page") ?? 1) || 1)
    const pages = Math.max(1, Math.ceil(items.size / pageSize))
    const ids = [...items.keys()].sort().slice((page - 1) * pageSize, page * pageSize)
    const listed = ids.map((id) => ({ id, etag: etagOf(items.get(id)), ...items.get(id) }))
    return { status: 200, body: { items: listed, page, pages, total: items.size } }
  }
  const single = (id: string, method: string, given: Conditions, body: Json): Reply => {
    const item = items.get(id)
    if (method === "GET" || method === "HEAD") {
      if (item === undefined) return { status: 404, body: { error: "no such item" } }
      return { status: 200, body: { id, ...item }, headers: { etag: etagOf(item) } }
    }
    const stale = given.match !== undefined && given.match !== (item && etagOf(item))
    if (stale || (given.absent && item !== undefined)) return { status: 412 }
    if (method === "DELETE") {
      if (!items.delete(id)) return { status: 404 }
      mutations++
      return { status: 204 }
    }
    if (method !== "PUT") return { status: 405 }
    if (!isObject(body)) return { status: 422, body: { error: "the body is not an object" } }
    items.set(id, body)
    mutations++
    return { status: item === undefined ? 201 : 200, headers: { etag: etagOf(body) } }
  }
  const answer = (url: URL, method: string, given: Conditions, body: Json): Reply => {
    if (url.pathname === "/items" && method === "GET") return list(url.searchParams)
    const id = /^\/items\/([^/]{1,200})$/.exec(url.pathname)?.[1]
    return id === undefined ? { status: 404 } : single(decodeURIComponent(id), method, given, body)
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const method = request.method ?? "GET"
    const url = new URL(request.url ?? "/", "http://loopback")
    requests.push(`${method} ${url.pathname}${url.search}`)
    const mode = next ?? always
    next = undefined
    const body = await bodyOf(request)
    const early = mode === undefined ? undefined : earlyReply(mode)
    if (mode === "timeout") return
    const reply = early ?? answer(url, method, conditionsOf(request), body)
    if (mode === "lostReply") return void request.socket.destroy()
    send(response, mode === "partialList" ? cutShort(reply) : reply)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    items,
    requests,
    mutations: () => mutations,
    failNext: (mode) => {
      next = mode
    },
    failAll: (mode) => {
      always = mode
    },
    put: (id, item) => {
      items.set(id, item)
    },
    remove: (id) => {
      items.delete(id)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Conditions {
  readonly match: string | undefined
  readonly absent: boolean
}

function conditionsOf(request: IncomingMessage): Conditions {
  return { match: request.headers["if-match"], absent: request.headers["if-none-match"] === "*" }
}

function etagOf(item: JsonObject | undefined): string {
  return `"${hashJson(item).slice(0, 16)}"`
}

function earlyReply(mode: FaultMode): Reply | undefined {
  if (mode === "unauthorized") return { status: 401, body: { error: "who are you?" } }
  if (mode === "serverError") return { status: 503, body: { error: "out of order" } }
  if (mode === "throttled") return { status: 429, headers: { "retry-after": "1" } }
  return undefined
}

/** A page that lost its last items on the way; only the total still tells. */
function cutShort(reply: Reply): Reply {
  const body = reply.body
  if (!isObject(body) || !Array.isArray(body.items)) return reply
  return { ...reply, body: { ...body, items: body.items.slice(0, -1) } }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > bodyBytesMax) throw new Error("the body is too long")
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString("utf8")
  if (text === "") return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

function send(response: ServerResponse, reply: Reply): void {
  const body = reply.body === undefined ? "" : JSON.stringify(reply.body)
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
  response.end(body)
}
