// Paths that are not verbs: ledger views, approval, stop. Each is a method, a pattern and a
// function of plain values, registered by whoever owns the matter; HTTP and in-process clients call
// the same.

import { assert } from "../base/faults.ts"
import type { Json } from "../base/json.ts"
import type { Access } from "../contract/authorizer.ts"
import type { Principal } from "../contract/principal.ts"
import type { ExtensionCalls } from "../contract/verbs.ts"
import { setpointGroup } from "../object/object.ts"
import { apiFault } from "./faults.ts"

/** Of setpoint.dev, the whole cluster and no subresource, unless it says otherwise. */
export type WantedAccess = Pick<Access, "verb" | "resource"> & Partial<Omit<Access, "path">>

export type Params = Readonly<Record<string, string>>

export interface ExtensionRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** "/setpoint/v1/plans/:name"; a segment with a colon matches any one segment. */
  readonly pattern: string
  /**
   * What a role must allow: one of these, or nothing when the list is empty because the handler
   * shows each caller only what they may see. Without it the path itself, or what it names below
   * /api(s).
   */
  readonly access?: (
    params: Params,
    query: URLSearchParams,
    body: Json | undefined,
  ) => WantedAccess | readonly WantedAccess[]
  /** For decisions of people: what to say to anybody else whose roles do not allow it either. */
  readonly onlyPeople?: (principal: Principal, params: Params, body: Json | undefined) => Error
  /** 200 when missing. */
  readonly status?: number
  handler(
    principal: Principal,
    params: Params,
    query: URLSearchParams,
    body: Json | undefined,
  ): Promise<Json>
}

interface Compiled {
  readonly route: ExtensionRoute
  readonly segments: readonly string[]
}

/** A route found for a request, ready to run once the caller may. */
export interface MatchedRoute {
  /** Any of these; undefined when the path says it. */
  access(body: Json | undefined): readonly Access[] | undefined
  onlyPeople(principal: Principal, body: Json | undefined): Error | undefined
  readonly status: number
  run(principal: Principal, body: Json | undefined): Promise<Json>
}

export class Extensions implements ExtensionCalls {
  readonly #routes: Compiled[] = []
  /** By size and first segment: most requests are for objects, and find few to compare with. */
  readonly #byStart = new Map<string, Compiled[]>()

  register(...routes: readonly ExtensionRoute[]): void {
    for (const route of routes) {
      const begins = route.pattern.startsWith("/") && !route.pattern.startsWith("/:")
      assert(begins, `the pattern ${route.pattern} begins with / and a word`)
      const compiled = { route, segments: route.pattern.split("/") }
      this.#routes.push(compiled)
      const start = startOf(compiled.segments)
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), compiled])
    }
  }

  routes(): readonly ExtensionRoute[] {
    return this.#routes.map(({ route }) => route)
  }

  patterns(): string[] {
    return this.#routes.map(({ route }) => `${route.method} ${route.pattern}`)
  }

  call(
    principal: Principal,
    method: string,
    path: string,
    body: Json | undefined,
  ): Promise<Json> | undefined {
    return this.match(method, path)?.run(principal, body)
  }

  /** Undefined when no route matches; throws 405 when only the method is wrong. */
  match(method: string, path: string): MatchedRoute | undefined {
    const mark = path.indexOf("?")
    const plain = mark < 0 ? path : path.slice(0, mark)
    const segments = plain.split("/")
    let known = false
    for (const { route, segments: pattern } of this.#byStart.get(startOf(segments)) ?? []) {
      const params = match(pattern, segments)
      if (params === undefined) continue
      const query = new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1))
      if (route.method === method) return matched(route, params, query)
      known = true
    }
    if (known && !plain.startsWith("/api")) throw apiFault("SPT-API-021", { method, path: plain })
    return undefined
  }
}

/** Every pattern begins with a word: "/setpoint/..." or "/api/...". */
const startOf = (segments: readonly string[]): string => `${segments.length}/${segments[1]}`

const anyAccess = { group: setpointGroup, subresource: "", namespace: "", name: "" }

function matched(route: ExtensionRoute, params: Params, query: URLSearchParams): MatchedRoute {
  return {
    access: (body) => {
      const wanted = route.access?.(params, query, body)
      if (wanted === undefined) return undefined
      return ("verb" in wanted ? [wanted] : wanted).map((one) => ({ ...anyAccess, ...one }))
    },
    onlyPeople: (principal, body) =>
      principal.kind === "human" ? undefined : route.onlyPeople?.(principal, params, body),
    status: route.status ?? 200,
    run: (principal, body) => route.handler(principal, params, query, body),
  }
}

function match(pattern: readonly string[], segments: readonly string[]): Params | undefined {
  if (pattern.length !== segments.length) return undefined
  for (let index = 0; index < pattern.length; index++) {
    const part = pattern[index] ?? ""
    if (part !== segments[index] && !part.startsWith(":")) return undefined
  }
  const params: Record<string, string> = {}
  for (let index = 0; index < pattern.length; index++) {
    const part = pattern[index] ?? ""
    if (!part.startsWith(":")) continue
    const value = decode(segments[index] ?? "")
    if (value === undefined || value === "") return undefined
    params[part.slice(1)] = value
  }
  return params
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
