// Documents at fixed paths outside of the resource grammar: health, version, discovery, OpenAPI,
// metrics. Each is a function of the call; none reads a body.

import type { IncomingHttpHeaders } from "node:http"
import type { Principal } from "../../contract/principal.ts"
import type { Answer } from "./answer.ts"

export interface PlainCall {
  /** Undefined on routes that need no credentials, when none were sent. */
  readonly principal: Principal | undefined
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

export interface PlainRoute {
  /** "/openapi/v3/*"; a star at the end matches any rest. For role rules, docs and tests. */
  readonly pattern: string
  /** Answered without credentials; must tell nothing of what is stored. */
  readonly open?: boolean
  answer(call: PlainCall): Answer | Promise<Answer>
}

export function findRoute(routes: readonly PlainRoute[], path: string): PlainRoute | undefined {
  return routes.find(({ pattern }) =>
    pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  )
}
