// Signing in to the dashboard and out of it: by a link that works once, by a token, or by way of
// another issuer. Attempts that fail are counted; after too many of them no more are looked at for
// a while, but a link that is right always opens. No secret is ever part of an answer's text.

import { toFault } from "../../base/faults.ts"
import { isObject } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Principal } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"
import { send } from "./answer.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import { portFault } from "./faults.ts"
import type { Begun, Finished } from "./oidc-flow.ts"
import { requireOwnPage } from "./own-page.ts"
import { readBody } from "./read-body.ts"
import type { Ground, Sessions } from "./sessions.ts"

export interface SignedIn {
  readonly principal: Principal
  /** What they signed in with. */
  readonly ground: Ground
}

export interface SignInWays {
  readonly version: string
  /** Undefined when nobody is known by this token. */
  byToken?(token: string): Promise<SignedIn | undefined>
  readonly issuer?: IssuerWay
}

/** By way of another issuer. */
export interface IssuerWay {
  /** "login.example.com" */
  readonly name: string
  begin(redirect: string): Promise<Begun>
  finish(finished: Finished): Promise<SignedIn>
}

interface Asked {
  readonly path: string
  readonly query: string
}

const callbackPath = "/dashboard/oidc/callback"
/** With an icon: a browser asks for /favicon.ico else, and nobody is signed in to be given one. */
const goHome = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Setpoint</title>
<link rel="icon" type="image/svg+xml" href="/dashboard/assets/icon.svg">
</head>
<body><p>Going on to the dashboard.</p></body>
</html>
`
const triesPerMinute = 10
const bodyMax = 16 * 1024

export class DashboardSignIn {
  readonly #sessions: Sessions
  readonly #ways: SignInWays

  constructor(sessions: Sessions, ways: SignInWays) {
    this.#sessions = sessions
    this.#ways = ways
  }

  principal(request: ApiRequest): Principal | undefined {
    return this.#sessions.principal(cookieOf(request))
  }

  /** Its site, not ours, sends the browser to this address. */
  comesFromIssuer({ method }: ApiRequest, path: string): boolean {
    return this.#ways.issuer !== undefined && method === "GET" && path === callbackPath
  }

  /** Undefined when the path is none of these. */
  answer(request: ApiRequest, response: ApiResponse, asked: Asked): Promise<void> | undefined {
    switch (asked.path) {
      case "/login":
        return this.#forBrowser(request, response, () => this.#byLink(request, response, asked))
      case "/dashboard/session":
        return this.#session(request, response)
      case "/dashboard/sign-in":
        return this.#byToken(request, response)
      case "/dashboard/sign-out":
        return this.#signOut(request, response)
      case "/dashboard/oidc/start":
        return this.#forBrowser(request, response, () => this.#beginWithIssuer(request, response))
      case callbackPath:
        return this.#forBrowser(request, response, () =>
          this.#finishWithIssuer(request, response, asked.query),
        )
      default:
        return undefined
    }
  }

  async #byLink(request: ApiRequest, response: ApiResponse, { path, query }: Asked): Promise<void> {
    requireMethod(request, "GET", path)
    const session = this.#sessions.open(new URLSearchParams(query).get("token") ?? "")
    if (session === undefined) {
      this.#sessions.failures.add()
      throw portFault("SPT-API-052")
    }
    send(response, { status: 303, headers: { ...setCookie(request, session), location: "/" } })
  }

  async #session(request: ApiRequest, response: ApiResponse): Promise<void> {
    requireMethod(request, "GET", "/dashboard/session")
    const { byToken, version, issuer } = this.#ways
    const principal = this.principal(request)
    const user = principal === undefined ? null : { name: principal.name, kind: principal.kind }
    const ways = [
      ...(byToken === undefined ? [] : ["token"]),
      ...(issuer === undefined ? [] : ["oidc"]),
    ]
    const named = issuer === undefined ? {} : { issuer: issuer.name }
    // Which version runs is for those who are let in.
    const about = user === null ? "" : version
    send(response, { status: 200, body: { user, ways, ...named, version: about } })
  }

  async #byToken(request: ApiRequest, response: ApiResponse): Promise<void> {
    requireMethod(request, "POST", "/dashboard/sign-in")
    requireOwnPage(request)
    if (Number(request.headers["content-length"] ?? bodyMax + 1) > bodyMax) {
      throw apiFault("SPT-API-009", { what: "the request body", size: bodyMax + 1, limit: bodyMax })
    }
    this.#refuseTooMany()
    const body = await readBody(request)
    const token = isObject(body) && typeof body.token === "string" ? body.token : ""
    const found = token === "" ? undefined : await this.#ways.byToken?.(token)
    if (found === undefined) {
      this.#sessions.failures.add()
      throw portFault("SPT-API-055")
    }
    const session = this.#sessions.start(found.principal, found.ground)
    send(response, { status: 200, body: {}, headers: setCookie(request, session) })
  }

  async #beginWithIssuer(request: ApiRequest, response: ApiResponse): Promise<void> {
    const { issuer } = this.#ways
    if (issuer === undefined) throw apiFault("SPT-API-020")
    requireMethod(request, "GET", "/dashboard/oidc/start")
    this.#refuseTooMany()
    // Which host that is was checked before.
    const redirect = `http://${String(request.headers.host)}${callbackPath}`
    const { location, binding } = await issuer.begin(redirect)
    // Lax: it has to come along when the issuer's site sends the browser back.
    const bound = `Path=/dashboard/oidc; HttpOnly; SameSite=Lax; Max-Age=600`
    const headers = { location, "set-cookie": `${bindingName(request)}=${binding}; ${bound}` }
    send(response, { status: 303, headers })
  }

  async #finishWithIssuer(
    request: ApiRequest,
    response: ApiResponse,
    query: string,
  ): Promise<void> {
    const { issuer } = this.#ways
    if (issuer === undefined) throw apiFault("SPT-API-020")
    requireMethod(request, "GET", callbackPath)
    this.#refuseTooMany()
    const given = new URLSearchParams(query)
    const [state, code] = [given.get("state") ?? "", given.get("code") ?? ""]
    const binding = cookieOf(request, bindingName(request))
    const found = await issuer.finish({ state, code, binding }).catch((error) => {
      this.#sessions.failures.add()
      throw error
    })
    const session = this.#sessions.start(found.principal, found.ground)
    // A redirect would still count as one of the issuer's site, and be refused.
    send(response, {
      ...{ status: 200, text: goHome, contentType: "text/html; charset=utf-8" },
      headers: setCookie(request, session),
    })
  }

  /** Who followed a link gets a page that says what is wrong, not a document for programs. */
  async #forBrowser(
    request: ApiRequest,
    response: ApiResponse,
    act: () => Promise<void>,
  ): Promise<void> {
    try {
      await act()
    } catch (error) {
      const { code } = toFault(error)
      if (!(request.headers.accept ?? "").includes("text/html")) throw error
      const text = goHome.replace("url=/", `url=/?refused=${encodeURIComponent(code)}`)
      send(response, { status: 200, text, contentType: "text/html; charset=utf-8" })
    }
  }

  async #signOut(request: ApiRequest, response: ApiResponse): Promise<void> {
    requireMethod(request, "POST", "/dashboard/sign-out")
    requireOwnPage(request)
    this.#sessions.end(cookieOf(request))
    const cookie = `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
    send(response, { status: 200, body: {}, headers: { "set-cookie": cookie } })
  }

  #refuseTooMany(): void {
    if (this.#sessions.failures.recent() < triesPerMinute || !protects("sign-in-is-slowed")) return
    throw portFault("SPT-API-056", { tries: triesPerMinute })
  }
}

function requireMethod(request: ApiRequest, method: string, path: string): void {
  if (request.method === method) return
  throw apiFault("SPT-API-021", { method: request.method ?? "", path })
}

function setCookie(request: ApiRequest, session: string): Record<string, string> {
  return { "set-cookie": `${cookieName(request)}=${session}; Path=/; HttpOnly; SameSite=Strict` }
}

/** Cookies know no ports: planes on one host must not sign each other's people out. */
function cookieName(request: ApiRequest): string {
  return `setpoint-${request.socket.localPort ?? 0}`
}

const bindingName = (request: ApiRequest): string => `${cookieName(request)}-oidc`

function cookieOf(request: ApiRequest, cookie = cookieName(request)): string {
  const name = `${cookie}=`
  const parts = (request.headers.cookie ?? "").slice(0, 8192).split(/; */)
  return parts.find((part) => part.startsWith(name))?.slice(name.length) ?? ""
}
