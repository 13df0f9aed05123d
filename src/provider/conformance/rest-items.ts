// The items behind the REST test server and how they answer: pages, ETags and conditional writes.
// Plain values in and out; the faults and the sockets are the server's.

import { hashJson } from "../../base/hash.ts"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"

export interface RestReply {
  readonly status: number
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
}

export interface RestRequest {
  readonly method: string
  readonly url: URL
  readonly body: Json
  /** If-Match. */
  readonly match: string | undefined
  /** If-None-Match: * */
  readonly absent: boolean
}

export class RestItems {
  readonly items = new Map<string, JsonObject>()
  /** How often something was made, changed or removed by a request. */
  mutations = 0
  readonly #pageSize: number

  constructor(pageSize: number) {
    this.#pageSize = pageSize
  }

  /** GET /items?page=N, and GET, PUT, DELETE /items/ID with If-Match and If-None-Match: *. */
  answer(request: RestRequest): RestReply {
    const { pathname, searchParams } = request.url
    if (pathname === "/items" && request.method === "GET") return this.#list(searchParams)
    const id = /^\/items\/([^/]{1,200})$/.exec(pathname)?.[1]
    if (id === undefined) return { status: 404 }
    const name = decodeURIComponent(id)
    const reads = request.method === "GET" || request.method === "HEAD"
    return reads ? this.#read(name) : this.#write(name, request)
  }

  #list(query: URLSearchParams): RestReply {
    const page = Math.max(1, Number(query.get("page") ?? 1) || 1)
    const pages = Math.max(1, Math.ceil(this.items.size / this.#pageSize))
    const first = (page - 1) * this.#pageSize
    const ids = [...this.items.keys()].sort().slice(first, first + this.#pageSize)
    const items = ids.map((id) => ({ id, etag: etagOf(this.items.get(id)), ...this.items.get(id) }))
    return { status: 200, body: { items, page, pages, total: this.items.size } }
  }

  #read(id: string): RestReply {
    const item = this.items.get(id)
    if (item === undefined) return { status: 404, body: { error: "no such item" } }
    return { status: 200, body: { id, ...item }, headers: { etag: etagOf(item) } }
  }

  #write(id: string, { method, match, absent, body }: RestRequest): RestReply {
    const item = this.items.get(id)
    const stale = match !== undefined && match !== (item && etagOf(item))
    if (stale || (absent && item !== undefined)) return { status: 412 }
    if (method === "DELETE") {
      if (!this.items.delete(id)) return { status: 404 }
      this.mutations++
      return { status: 204 }
    }
    if (method !== "PUT") return { status: 405 }
    if (!isObject(body)) return { status: 422, body: { error: "the body is not an object" } }
    this.items.set(id, body)
    this.mutations++
    return { status: item === undefined ? 201 : 200, headers: { etag: etagOf(body) } }
  }
}

function etagOf(item: JsonObject | undefined): string {
  return `"${hashJson(item).slice(0, 16)}"`
}
