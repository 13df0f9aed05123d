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
  /**
   * "/openapi/v3/*" or "/apis/{group}": a star at the end matches any rest, braces one segment,
   * and a slash at the end of a path does not count. For role rules, docs and tests.
   */
  readonly pattern: string
  /** Answered without credentials; must tell nothing of what is stored. */
  readonly open?: boolean
  answer(call: PlainCall): Answer | Promise<Answer>
}

export function findRoute(routes: readonly PlainRoute[], path: string): PlainRoute | undefined {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  return routes.find(({ pattern }) => matches(pattern, plain))
}

function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith("*")) return path.startsWith(pattern.slice(0, -1))
  if (!pattern.includes("{")) return path === pattern
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  if (wanted.length !== given.length) return false
  return wanted.every((segment, index) =>
    segment.startsWith("{") ? given[index] !== "" : segment === given[index],
  )
}
