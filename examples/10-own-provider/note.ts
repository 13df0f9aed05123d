// Keeps the notes of a REST API true: one item per Note, listed page by page, changed only when its
// ETag is still the one that was read.

import { z } from "zod"
import { defineKind, type KindAct, listSet } from "../../src/provider/index.ts"

const spec = z.strictObject({
  api: z.url().describe("Address of the notes server."),
  name: z.string().min(1).max(60).describe("Name of the item there."),
  text: z.string().max(10_000).describe("What the note says."),
  tags: listSet(z.string()).default([]).describe("Words to find it by."),
})

const item = z.object({ id: z.string(), etag: z.string() }).catchall(z.json())
const answer = z.object({ items: z.array(item), pages: z.int(), total: z.int() })

const send =
  (method: string): KindAct<typeof spec> =>
  async (target, context) => {
    const { api, name, ...note } = target.desired
    const url = `${api}/items/${encodeURIComponent(name)}`
    const headers = context.token ? { "if-match": context.token } : { "if-none-match": "*" }
    const request = { method, url, headers, body: JSON.stringify(note) }
    const { status } = await context.world.http.request(request, context.signal)
    if (status < 300) return { kind: "done" }
    if (status >= 500) throw new Error(`${method} answered ${status}`) // It may have happened.
    return { kind: "failed", cause: `${method} answered ${status}`, stuck: status === 422 }
  }

export const note = defineKind({
  group: "notes.example.com",
  version: "v1alpha1",
  kind: "Note",
  spec,
  identity: ({ name }) => name,
  connection: ({ api }) => api,
  replaceOn: ["api", "name"],
  scopeOf: ({ api }) => api,
  async list(api, _, { world, signal }) {
    const items = []
    for (let page = 1; page <= 1000; page++) {
      const request = { method: "GET", url: `${api}/items?page=${page}` }
      const { status, body } = await world.http.request(request, signal)
      if (status !== 200) return { items, complete: false, cause: `page ${page}: ${status}` }
      const { pages, total, items: found } = answer.parse(JSON.parse(body))
      for (const { id, etag, ...rest } of found) {
        items.push({ identity: id, token: etag, value: { api, name: id, ...rest } })
      }
      if (page >= pages) return { items, complete: items.length === total }
    }
    return { items, complete: false, cause: "more than 1000 pages" }
  },
  create: send("PUT"),
  update: send("PUT"),
  delete: send("DELETE"),
})

export const kinds = [note]
