// Kinds for stop trials, over an HTTP server that the test runs: Row is changed one by one, Cell in
// batches of which every item is a request of its own. With `busy` an act blocks the event loop of
// the plane right before its changing call, for as many milliseconds.

import { z } from "zod"
import type { ActContext, ActResult, ObserveContext } from "../../../src/provider/index.ts"
import { defineKind, type KindTarget } from "../../../src/provider/index.ts"

const spec = z.strictObject({
  api: z.string().max(200),
  name: z.string().min(1).max(60),
  text: z.string().max(1000),
  busy: z.int().max(5000).default(0),
})

type Target = KindTarget<z.output<typeof spec>>

const item = z.object({ name: z.string(), text: z.string(), busy: z.int(), etag: z.string() })

/** Nothing of this process runs meanwhile. */
function block(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const send =
  (method: "PUT" | "DELETE", folder: string) =>
  async ({ desired }: Target, { world, signal }: ActContext): Promise<ActResult> => {
    const { api, name, text, busy } = desired
    block(busy)
    const url = `${api}/${folder}/${name}`
    const body = JSON.stringify({ text, busy })
    const { status } = await world.http.request({ method, url, body }, signal)
    if (status < 300) return { kind: "done" }
    throw new Error(`${method} answered ${status}`)
  }

const acts = (folder: string) => ({
  ...{ create: send("PUT", folder), update: send("PUT", folder), delete: send("DELETE", folder) },
})

const base = (kind: string, folder: string) => ({
  ...{ group: "trial.setpoint.dev", version: "v1", kind, plural: folder, spec },
  identity: ({ name }: z.output<typeof spec>) => `${folder}/${name}`,
  scopeOf: ({ api }: z.output<typeof spec>) => api,
  ...acts(folder),
})

const list =
  (folder: string) =>
  async (api: string, _: unknown, { world, signal }: ObserveContext) => {
    const request = { method: "GET", url: `${api}/${folder}` }
    const { body } = await world.http.request(request, signal)
    const items = z.array(item).parse(JSON.parse(body))
    return {
      items: items.map(({ etag, ...value }) => ({
        ...{ identity: `${folder}/${value.name}`, token: etag, value: { api, ...value } },
      })),
      complete: true,
    }
  }

const row = defineKind({ ...base("Row", "rows"), list: list("rows") })

const cell = defineKind({
  ...base("Cell", "cells"),
  list: list("cells"),
  async actBatch(_, items) {
    const { create, delete: remove } = acts("cells")
    const results: ActResult[] = []
    for (const { target, context } of items) {
      const act = context.action.verb === "delete" ? remove : create
      results.push(await act(target, context))
    }
    return results
  },
})

export const kinds = [row, cell]
