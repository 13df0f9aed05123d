// The example provider Note and a real HTTP server: a kind that is listed, for scenarios that files
// can't have, and for their twins.

import { note } from "../../examples/10-own-provider/note.ts"
import type { JsonObject } from "../../src/base/json.ts"
import {
  createHttp,
  type RestServer,
  type ScenarioDriver,
  startRestServer,
  type Trouble,
  worldWith,
} from "../../src/testing.ts"

const nameOf = (spec: JsonObject) => String(spec.name)
const itemOf = ({ text = "", tags = [] }: JsonObject): JsonObject => ({ text, tags })

export const noteScenarios: ScenarioDriver = {
  kind: "Note",
  async open() {
    let server: RestServer = await startRestServer({ pageSize: 20 })
    const { url } = server
    const failing =
      (mode: "unauthorized" | "partialList"): Trouble =>
      async () => {
        server.failAll(mode)
        return async () => server.failAll(undefined)
      }
    const change = (spec: JsonObject, more: JsonObject) =>
      server.put(nameOf(spec), { ...server.items.get(nameOf(spec)), ...more })
    return {
      kinds: () => [note],
      world: worldWith({ http: createHttp() }),
      spec: (n, version) => ({
        api: url,
        name: `note ${n}`,
        text: `${n} in version ${version}`.repeat(1 + (n % 4)),
        tags: [`tag-${version}`, ...(n % 2 === 0 ? ["even"] : [])],
      }),
      facts: async () => new Map(server.items),
      drifts: {
        text: (spec) => change(spec, { text: "by hand" }),
        tags: (spec) => change(spec, { tags: ["by hand"] }),
      },
      make: (spec) => server.put(nameOf(spec), itemOf(spec)),
      remove: (spec) => server.remove(nameOf(spec)),
      foreign() {
        server.put("note", { text: "nobody's", tags: [] })
        server.put("note 0 of somebody else", { text: "nobody's", colour: "red" })
      },
      troubles: {
        credentials: failing("unauthorized"),
        "partial-answer": failing("partialList"),
        async "server-stopped"() {
          const { items } = server
          await server.close()
          return async () => {
            server = await startRestServer({ pageSize: 20, port: Number(new URL(url).port), items })
          }
        },
      },
      close: () => server.close(),
    }
  },
}
