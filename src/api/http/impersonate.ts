// Speaking as somebody else (kubectl --as), for those whom a role allows it. Whoever does so
// decides nothing: what only people may do is refused, so that nobody gains another's approval this
// way.

import type { Access, Authorizer } from "../../contract/authorizer.ts"
import {
  authenticatedGroup,
  isComposer,
  isSource,
  type Principal,
} from "../../contract/principal.ts"
import { accessFault } from "../authz/faults.ts"
import type { ApiRequest } from "./exchange.ts"
import { forbidden } from "./forbidden.ts"

const prefix = "impersonate-"
const extraPrefix = "impersonate-extra-"
const authentication = "authentication.k8s.io"
const valuesMax = 100

/** Names and values in the order in which they came, as node keeps them. */
export type RawHeaders = readonly string[]

interface Asked {
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: ReadonlyMap<string, readonly string[]>
}

type Bringing = Pick<ApiRequest, "headers" | "rawHeaders">

/** Whether any header is of this matter; node has all of their names in lower case. */
function names(headers: Bringing["headers"]): boolean {
  for (const name in headers) if (name.startsWith(prefix)) return true
  return false
}

/** The principal itself when nobody else is named; throws 403 when the roles do not allow it. */
export function impersonated(
  principal: Principal,
  { headers, rawHeaders }: Bringing,
  authorizer: Authorizer,
): Principal {
  const asked = names(headers) ? readAsked(rawHeaders) : undefined
  if (asked === undefined) return principal
  for (const access of accessesOf(asked)) {
    const { allowed, reason } = authorizer.authorize(principal, access)
    if (!allowed) throw forbidden(principal, access, reason)
  }
  const groups = new Set([...groupsOf(asked), authenticatedGroup])
  return {
    name: asked.user,
    kind: principal.kind === "agent" ? "agent" : "service",
    groups: [...groups],
    ...(asked.uid === "" ? {} : { uid: asked.uid }),
    ...(asked.extra.size === 0 ? {} : { extra: Object.fromEntries(asked.extra) }),
    impersonator: principal.name,
  }
}

function readAsked(headers: RawHeaders): Asked | undefined {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase()
    if (name.startsWith(prefix)) pairs.push([name, headers[index + 1] ?? ""])
  }
  if (pairs.length === 0) return undefined
  const all = (name: string) => pairs.flatMap(([key, value]) => (key === name ? [value] : []))
  const [users, uids] = [all("impersonate-user"), all("impersonate-uid")]
  const user = users[0] ?? ""
  if (pairs.length > valuesMax) throw bad("it names too much")
  if (users.length > 1 || uids.length > 1) throw bad("it names more than one user")
  if (user === "") throw bad("it names groups or others without a user: send Impersonate-User")
  // Who is none of the people, and whom no role binds, is nobody to speak as.
  if (isSource({ name: user }) || isComposer({ name: user }) || user.startsWith("setpoint:"))
    throw bad(`${user} is no user`)
  const extra = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    if (!name.startsWith(extraPrefix)) continue
    const key = decoded(name.slice(extraPrefix.length))
    extra.set(key, [...(extra.get(key) ?? []), value])
  }
  return { user, uid: uids[0] ?? "", groups: all("impersonate-group"), extra }
}

function bad(why: string): Error {
  return accessFault("SPT-API-071", { why })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw bad("a key of its extra values can't be read")
  }
}

const account = /^system:serviceaccount:([^:]+):([^:]+)$/

function* accessesOf({ user, uid, groups, extra }: Asked): Iterable<Access> {
  const [, namespace = "", name = ""] = account.exec(user) ?? []
  if (name === "") yield access("", "users", user)
  else yield { ...access("", "serviceaccounts", name), namespace }
  for (const group of groups) yield access("", "groups", group)
  if (uid !== "") yield access(authentication, "uids", uid)
  for (const [key, values] of extra) {
    for (const value of values) {
      yield { ...access(authentication, "userextras", value), subresource: key }
    }
  }
}

function access(group: string, resource: string, name: string): Access {
  return { verb: "impersonate", group, resource, subresource: "", namespace: "", name }
}

function groupsOf({ user, groups }: Asked): readonly string[] {
  const [, namespace = "", name = ""] = account.exec(user) ?? []
  if (name === "" || groups.length > 0) return groups
  return serviceAccountGroups(namespace)
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
}
