// The listener for browsers: the dashboard's own files, ways to sign in, and the same API for the
// one who signed in. The files hold nothing of the plane and are for anyone on this host. A page of
// another site can neither read from it nor act through it: Host and Origin are checked, the cookie
// stays on this site, and what changes anything needs a header that only our own pages can send.

import type { Principal } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"
import { send, sendFault } from "./answer.ts"
import { DashboardSignIn, type SignInWays } from "./dashboard-sign-in.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import type { OnRequest } from "./listener.ts"
import { requireOwnPage } from "./own-page.ts"
import { checkPlace, type Place } from "./place-check.ts"
import type { Sessions } from "./sessions.ts"

export interface Page {
  readonly contentType: string
  readonly text: string
}

export interface DashboardOptions {
  readonly ports: readonly number[]
  readonly sessions: Sessions
  /** What every address of a page answers; its script shows the page. */
  readonly index: Page
  /** By path. */
  readonly assets: ReadonlyMap<string, Page>
  readonly ways: SignInWays
}

const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
}

const place: Place = {
  scheme: "http",
  isOurs: (name) => name === "localhost" || name === "127.0.0.1",
}

type Api = (principal: Principal, request: ApiRequest, response: ApiResponse) => void

/** `api` answers for the one who signed in. */
export function dashboardRequests(options: Omit<DashboardOptions, "ports">, api: Api): OnRequest {
  const signIn = new DashboardSignIn(options.sessions, options.ways)
  return (request, response) => {
    response.on("error", () => {})
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
    const refuse = (error: unknown) => {
      response.setHeader("connection", "close")
      sendFault(response, error)
    }
    try {
      const [path = "/", query = ""] = (request.url ?? "/").split("?", 2)
      // Another issuer sends people back from its own site; what they bring is checked there.
      const headers = signIn.comesFromIssuer(request, path) ? hostOnly(request) : request.headers
      checkPlace(headers, place, undefined, request.rawHeaders)
      const answered = signIn.answer(request, response, { path, query })
      if (answered !== undefined) return void answered.catch(refuse)
      serve(options, signIn, api, { request, response, path })
    } catch (error) {
      refuse(error)
    }
  }
}

interface Serving {
  readonly request: ApiRequest
  readonly response: ApiResponse
  readonly path: string
}

function serve(
  { index, assets }: Pick<DashboardOptions, "index" | "assets">,
  signIn: DashboardSignIn,
  api: Api,
  { request, response, path }: Serving,
): void {
  const isRead = request.method === "GET" || request.method === "HEAD"
  const page = isRead
    ? (assets.get(path) ?? (isPage(request, path) ? index : undefined))
    : undefined
  if (page !== undefined) {
    // Named by their content: what such a name holds never changes.
    if (page !== index) response.setHeader("cache-control", "public, max-age=31536000, immutable")
    send(response, { status: 200, text: page.text, contentType: page.contentType })
    return
  }
  const principal = signIn.principal(request)
  if (principal === undefined) throw apiFault("SPT-API-020")
  requireOwnPage(request)
  api(principal, request, response)
}

const apiPath =
  /^\/(api|apis|setpoint|openapi|openid|\.well-known|version|metrics|healthz|livez|readyz)(\/|$)/

/** What a browser shows in its window, and not what a script asks for. */
function isPage({ headers }: ApiRequest, path: string): boolean {
  if (path === "/") return true
  return !apiPath.test(path) && (headers.accept ?? "").includes("text/html")
}

function hostOnly({ headers }: ApiRequest): ApiRequest["headers"] {
  const { origin: _origin, "sec-fetch-site": _site, ...rest } = headers
  return rest
}
