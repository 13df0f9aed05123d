// What a target wrote, in pages: whoever asks again with a page's `next` follows it. Needs the
// right to get the subresource `log` of the object, as Kubernetes asks for pods.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toPlainJson } from "../base/json.ts"
import type { LogRequest } from "../contract/processes.ts"
import { desire } from "../reconcile/desire.ts"
import { planeFault } from "./faults.ts"
import type { Plane } from "./plane.ts"
import { objectAccess } from "./route-access.ts"

const pageBytes = 262_144
const tailMax = 1_000_000

export function logRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/log",
      access: (_params, query) => {
        return { ...objectAccess("get", query.get("object") ?? ""), subresource: "log" }
      },
      handler: async (_principal, _params, query) =>
        toPlainJson(await readLog(plane, query.get("object") ?? "", requestOf(query))),
    },
  ]
}

async function readLog(plane: Plane, key: string, request: LogRequest): Promise<object> {
  const { engine, ports } = plane
  const object = await engine.feed?.object(key)
  const kind = engine.feed?.kindOf(key)
  if (object === undefined || kind === undefined) {
    throw planeFault("SPT-LOG-001", { object: key, why: "there is no such object" })
  }
  const { provider } = kind
  if (provider.log === undefined) {
    throw planeFault("SPT-LOG-001", { object: key, why: `a ${provider.kind} writes none` })
  }
  const { desired } = await desire(object, provider, engine.lookup)
  return provider.log(provider.identity(desired), request, ports.readWorld)
}

function requestOf(query: URLSearchParams): LogRequest {
  const after = query.get("after")
  const tail = query.get("tail")
  return {
    bytesMax: pageBytes,
    previous: query.get("previous") === "true",
    ...(after === null ? {} : { after }),
    ...(tail === null ? {} : { tail: numberOf("tail", tail, tailMax) }),
  }
}

function numberOf(option: string, value: string, max: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= max) return number
  throw planeFault("SPT-LOG-002", { option, value: value.slice(0, 40), max })
}
