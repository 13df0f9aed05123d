// Well-behaved providers over the REST test server, one per identity rule and way of reading. The
// conformance suite must pass them all; the mutants are made from them.

import { z } from "zod"
import { note } from "../../examples/10-own-provider/note.ts"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { createHttp } from "../../src/provider/adapter/http.ts"
import { startRestServer } from "../../src/provider/adapter/rest-server.ts"
import {
  type ActContext,
  type ActResult,
  absent,
  defineKind,
  type KindProvider,
  type KindTarget,
  type ObserveContext,
  present,
  type Target,
  unknown,
} from "../../src/provider/index.ts"
import { type ConformanceSubject, restSubject, worldWith } from "../../src/testing.ts"

const noteSamples = (api: string) => ({
  first: { api, name: "a", text: "one", tags: ["x", "y"] },
  second: { api, name: "a", text: "two", tags: ["y"] },
  others: ["b", "c", "d"].map((name) => ({ api, name, text: `note ${name}`, tags: [] })),
})

/** Lists pages; identity derived. */
export const listing = (kind: KindProvider = note): ConformanceSubject =>
  restSubject({ kind, samples: noteSamples })

const cardSpec = z.strictObject({ api: z.url(), name: z.string(), text: z.string() })
type Card = KindTarget<z.output<typeof cardSpec>>

export async function sendCard(
  method: string,
  { desired: { api, name, ...item } }: Card,
  { world, signal, token }: ActContext,
): Promise<ActResult> {
  const headers = token === undefined ? { "if-none-match": "*" } : { "if-match": token }
  const request = { method, url: `${api}/items/${name}`, headers, body: JSON.stringify(item) }
  const { status } = await world.http.request(request, signal)
  if (status < 300) return { kind: "done" }
  if (status >= 500) throw new Error(`answered ${status}`)
  return { kind: "failed", cause: `answered ${status}` }
}

/** Reads one by one; identity derived. */
export const card = defineKind({
  group: "cards.example.com",
  version: "v1",
  kind: "Card",
  spec: cardSpec,
  identity: ({ name }) => name,
  connection: ({ api }) => api,
  async observe({ desired: { api, name } }, { world, signal }) {
    const request = { method: "GET", url: `${api}/items/${name}` }
    const { status, body, headers } = await world.http.request(request, signal)
    if (status === 404) return absent("404 from a server that answers")
    if (status !== 200) return unknown(`answered ${status}`, status === 401)
    const { id, ...item } = JSON.parse(body)
    return present({ api, name: id, ...item }, headers.etag ?? "")
  },
  create: (target, context) => sendCard("PUT", target, context),
  update: (target, context) => sendCard("PUT", target, context),
  delete: (target, context) => sendCard("DELETE", target, context),
})

export const single = (kind: KindProvider = card): ConformanceSubject =>
  restSubject({
    kind,
    samples: (api) => ({
      first: { api, name: "a", text: "one" },
      second: { api, name: "a", text: "two" },
      others: ["b", "c"].map((name) => ({ api, name, text: `card ${name}` })),
    }),
  })

const ticketSpec = z.strictObject({ api: z.url(), title: z.string(), text: z.string() })
type Ticket = KindTarget<z.output<typeof ticketSpec>>

/** Where the system names its items itself; `nameFor` is what a create asks to be called. */
export function ticketKind(
  identityRule: "clientToken" | "none",
  nameFor: (context: ActContext) => string,
): KindProvider {
  const itemUrl = ({ desired, externalId }: Ticket) =>
    `${desired.api}/items/${encodeURIComponent(externalId ?? "")}`
  const change = async (method: string, target: Ticket, context: ActContext) => {
    const { api: _, ...item } = target.desired
    if (target.externalId === undefined) return { kind: "failed", cause: "no such item" } as const
    const headers = { "if-match": context.token ?? "" }
    const request = { method, url: itemUrl(target), headers, body: JSON.stringify(item) }
    const { status } = await context.world.http.request(request, context.signal)
    if (status >= 500) throw new Error(`answered ${status}`)
    return status < 300
      ? ({ kind: "done" } as const)
      : ({ kind: "failed", cause: `answered ${status}` } as const)
  }
  return defineKind({
    group: "tickets.example.com",
    version: "v1",
    kind: "Ticket",
    spec: ticketSpec,
    identity: ({ title }) => title,
    identityRule,
    async observe(target, { world, signal }) {
      if (target.externalId === undefined) return absent("nothing was made for it yet")
      const request = { method: "GET", url: itemUrl(target) }
      const { status, body, headers } = await world.http.request(request, signal)
      if (status === 404) return absent("404 from a server that answers")
      if (status !== 200) return unknown(`answered ${status}`)
      const { id, ...item } = JSON.parse(body)
      const value = { api: target.desired.api, ...item }
      return present(value, headers.etag ?? "", { externalId: id })
    },
    async create({ desired: { api, ...item } }, context) {
      const id = nameFor(context)
      const url = `${api}/items/${encodeURIComponent(id)}`
      const headers = { "if-none-match": "*" }
      const request = { method: "PUT", url, headers, body: JSON.stringify(item) }
      const { status } = await context.world.http.request(request, context.signal)
      if (status >= 500) throw new Error(`answered ${status}`)
      if (status < 300 || status === 412) return { kind: "done", externalId: id }
      return { kind: "failed", cause: `answered ${status}` }
    },
    update: (target, context) => change("PUT", target, context),
    delete: (target, context) => change("DELETE", target, context),
  })
}

/** As restSubject, but the title is the identity, and a second item of a title shows as such. */
export function ticketSubject(kind: KindProvider): ConformanceSubject {
  return {
    kind,
    async setup() {
      const server = await startRestServer()
      const idOf = (title: string) =>
        [...server.items].find(([, item]) => item.title === title)?.[0] ?? ""
      let foreign = 0
      return {
        world: worldWith({ http: createHttp() }),
        samples: {
          first: { api: server.url, title: "a", text: "one" },
          second: { api: server.url, title: "a", text: "two" },
          others: ["b", "c"].map((title) => ({ api: server.url, title, text: "more" })),
        },
        outside: {
          async list() {
            const found = new Map<string, Json>()
            for (const [id, item] of server.items) {
              const title = String(item.title)
              found.set(found.has(title) ? `${title} again as ${id}` : title, item)
            }
            return found
          },
          drift: async (title) => server.put(idOf(title), { title, text: "drifted" }),
          remove: async (title) => server.remove(idOf(title)),
          async addForeign() {
            const title = `foreign-${++foreign}`
            server.put(title, { title, text: "not ours" })
            return title
          },
          failNext: server.failNext,
          mutations: server.mutations,
        },
        close: server.close,
      }
    },
  }
}

const listShape = z.object({
  items: z.array(z.object({ id: z.string(), etag: z.string(), title: z.string() }).loose()),
  pages: z.int(),
  total: z.int(),
})

/** Every item of the system; throws where it can't be sure to have all. */
async function allItems(api: unknown, { world, signal }: ObserveContext) {
  const found = []
  for (let page = 1; page <= 100; page++) {
    const request = { method: "GET", url: `${api}/items?page=${page}` }
    const { status, body } = await world.http.request(request, signal)
    if (status !== 200) throw new Error(`page ${page} answered ${status}`)
    const answer = listShape.parse(JSON.parse(body))
    found.push(...answer.items)
    if (page < answer.pages) continue
    if (found.length !== answer.total) throw new Error("items are missing")
    return found
  }
  throw new Error("too many pages")
}

/** The system names its items itself, and they are found again by what they carry. */
export function searchableKind(looksFirst = true): KindProvider {
  let made = 0
  const kind = ticketKind("clientToken", ({ idempotencyKey }) => `${idempotencyKey}-${++made}`)
  const search = async (target: Target, context: ObserveContext) => {
    const items = await allItems(target.desired.api, context)
    return items.find((item) => item.title === target.identity)
  }
  return {
    ...kind,
    identityRule: "searchable",
    async observe(target, context) {
      const item = await search(target, context)
      if (item === undefined) return absent("it is in no page of a complete list")
      const { id, etag, ...value } = item
      const facts = { api: String(target.desired.api), ...value } as JsonObject
      return present(facts, etag, { externalId: id })
    },
    async create(target, context) {
      const item = looksFirst ? await search(target, context) : undefined
      if (item !== undefined) return { kind: "done", externalId: item.id }
      return kind.create(target, context)
    },
  }
}

/** The listing kind with a batch made of single acts. */
export const batching: KindProvider = {
  ...note,
  async actBatch(_, items) {
    const results: ActResult[] = []
    for (const { target, context } of items) {
      const verb = context.action.verb === "create" ? "create" : "update"
      results.push(await note[verb](target, context))
    }
    return results
  },
}
