// Examines a kind against the REST test server: the kind's targets are the server's items, and an
// item's name is the target's identity.

import type { Json, JsonObject } from "../../base/json.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ConformanceSubject, Samples } from "../conformance/subject.ts"
import { worldWith } from "../missing-handles.ts"
import { createHttp } from "./http.ts"
import { startRestServer } from "./rest-server.ts"

export interface RestSubjectInput {
  readonly kind: KindProvider
  /** Specs for a server at this address. */
  samples(url: string): Samples
  readonly skip?: ConformanceSubject["skip"]
}

export function restSubject(input: RestSubjectInput): ConformanceSubject {
  return {
    kind: input.kind,
    ...(input.skip === undefined ? {} : { skip: input.skip }),
    async setup() {
      const server = await startRestServer()
      let foreign = 0
      return {
        world: worldWith({ http: createHttp() }),
        samples: input.samples(server.url),
        outside: {
          list: async () => new Map<string, Json>(server.items),
          drift: async (identity) => server.put(identity, drifted(server.items.get(identity))),
          remove: async (identity) => server.remove(identity),
          async addForeign() {
            const id = `foreign-${++foreign}`
            server.put(id, { text: "not ours" })
            return id
          },
          failNext: server.failNext,
          mutations: server.mutations,
        },
        close: server.close,
      }
    },
  }
}

/** Every text, number and switch of the item moved a little. */
function drifted(item: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(item ?? {}).map(([name, value]) => {
      if (typeof value === "string") return [name, `${value}~`]
      if (typeof value === "number") return [name, value + 1]
      return [name, typeof value === "boolean" ? !value : value]
    }),
  )
}
