// The listener for browsers: pages, a sign-in by a link that works once, and the same API for the
// one who signed in. A page of another site can neither read from it nor act through it: Host and
// Origin are checked, the cookie stays on this site, and what changes anything needs a header that
// only our own pages can send.

import type { Principal } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"
import { send, sendFault } from "./answer.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import { portFault } from "./faults.ts"
import type { OnRequest } from "./listener.ts"
import { checkPlace, type Place } from "./place-check.ts"
import type { Sessions } from "./sessions.ts"

export interface Page {
  readonly contentType: string
  readonly text: string
}

export interface DashboardOptions {
  readonly ports: readonly number[]
  readonly sessions: Sessions
  /** By path; "/" is the first one. */
  readonly pages: ReadonlyMap<string, Page>
}

/** What our own pages send with everything that is no GET. */
export const dashboardHeader = "setpoint-dashboard"

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

/** `api` answers for the one who signed in. */
export function dashboardRequests(
  { sessions, pages }: Omit<DashboardOptions, "ports">,
  api: (principal: Principal, request: ApiRequest, response: ApiResponse) => void,
): OnRequest {
  return (request, response) => {
    response.on("error", () => {})
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
    try {
      checkPlace(request.headers, place, undefined, request.rawHeaders)
      const [path = "/", query = ""] = (request.url ?? "/").split("?", 2)
      if (path === "/login") return login(sessions, request, response, query)
      const principal = sessions.principal(cookieOf(request))
      if (principal === undefined) return signInFirst(path, response)
      requireOwnPage(request)
      const page = request.method === "GET" ? pages.get(path) : undefined
      if (page === undefined) return api(principal, request, response)
      send(response, { status: 200, text: page.text, contentType: page.contentType })
    } catch (error) {
      response.setHeader("connection", "close")
      sendFault(response, error)
    }
  }
}

function login(
  sessions: Sessions,
  request: ApiRequest,
  response: ApiResponse,
  query: string,
): void {
  if (request.method !== "GET") throw apiFault("SPT-API-021", { method: "POST", path: "/login" })
  const session = sessions.open(new URLSearchParams(query).get("token") ?? "")
  if (session === undefined) throw portFault("SPT-API-052")
  const cookie = `${cookieName(request)}=${session}; Path=/; HttpOnly; SameSite=Strict`
  send(response, { status: 303, headers: { "set-cookie": cookie, location: "/" } })
}

/** Cookies know no ports: planes on one host must not sign each other's people out. */
function cookieName(request: ApiRequest): string {
  return `setpoint-${request.socket.localPort ?? 0}`
}

function cookieOf(request: ApiRequest): string {
  const name = `${cookieName(request)}=`
  const parts = (request.headers.cookie ?? "").slice(0, 8192).split(/; */)
  return parts.find((part) => part.startsWith(name))?.slice(name.length) ?? ""
}

function signInFirst(path: string, response: ApiResponse): void {
  if (path !== "/") throw apiFault("SPT-API-020")
  const text = "Sign in first: `setpoint dashboard` prints a link that works once.\n"
  send(response, { status: 401, text })
}

function requireOwnPage({ method, headers }: ApiRequest): void {
  if (method === "GET" || method === "HEAD") return
  // An Origin that is there is ours: that was checked before.
  if (headers.origin !== undefined || headers[dashboardHeader] !== undefined) return
  throw portFault("SPT-API-053", { header: dashboardHeader })
}
