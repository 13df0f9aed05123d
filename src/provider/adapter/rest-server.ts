// A small real HTTP server to try providers against: items with ETags, pages, conditional writes,
// and faults that can be switched on. It keeps everything in memory and listens on loopback only.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import { RestItems, type RestReply } from "../conformance/rest-items.ts"
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
  /** Where it listens; a free port when missing. */
  readonly port?: number
  /** What another one held: how a server comes back after it was stopped. */
  readonly items?: ReadonlyMap<string, JsonObject>
}

const bodyBytesMax = 1024 * 1024

export async function startRestServer(options: RestServerOptions = {}): Promise<RestServer> {
  const state = new RestItems(options.pageSize ?? 2)
  for (const [id, item] of options.items ?? []) state.items.set(id, item)
  const requests: string[] = []
  let next: FaultMode | undefined
  let always: FaultMode | undefined
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const method = request.method ?? "GET"
    const url = new URL(request.url ?? "/", "http://loopback")
    requests.push(`${method} ${url.pathname}${url.search}`)
    const mode = next ?? always
    next = undefined
    const body = await bodyOf(request)
    if (mode === "timeout") return
    const early = mode === undefined ? undefined : earlyReply(mode)
    const match = request.headers["if-match"]
    const absent = request.headers["if-none-match"] === "*"
    const reply = early ?? state.answer({ method, url, body, match, absent })
    if (mode === "lostReply") return void request.socket.destroy()
    send(response, mode === "partialList" ? cutShort(reply) : reply)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    items: state.items,
    requests,
    mutations: () => state.mutations,
    failNext: (mode) => {
      next = mode
    },
    failAll: (mode) => {
      always = mode
    },
    put: (id, item) => {
      state.items.set(id, item)
    },
    remove: (id) => {
      state.items.delete(id)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function earlyReply(mode: FaultMode): RestReply | undefined {
  if (mode === "unauthorized") return { status: 401, body: { error: "who are you?" } }
  if (mode === "serverError") return { status: 503, body: { error: "out of order" } }
  if (mode === "throttled") return { status: 429, headers: { "retry-after": "1" } }
  return undefined
}

/** A page that lost its last items on the way; only the total still tells. */
function cutShort(reply: RestReply): RestReply {
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
    return parseJson(text)
  } catch {
    return null
  }
}

function send(response: ServerResponse, reply: RestReply): void {
  const body = reply.body === undefined ? "" : jsonText(reply.body)
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
  response.end(body)
}
