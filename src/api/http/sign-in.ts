// What everybody who signed in has: the group of all who did, and no name that belongs to the
// system. Nobody signs in as the engine, a source or a part of the system, whoever vouches for
// them.

import {
  agentsGroup,
  authenticatedGroup,
  enginePrincipal,
  isComposer,
  isSource,
  type Principal,
  servicesGroup,
} from "../../contract/principal.ts"
import type { Authenticate } from "./authenticate.ts"

export function signIn(authenticate: Authenticate): Authenticate {
  return async (credentials) => {
    const principal = await authenticate(credentials)
    return principal === undefined || isReserved(principal) ? undefined : complete(principal)
  }
}

const accountForm = /^system:serviceaccount:[a-z0-9.-]+:[a-z0-9.-]+$/

export function isReserved({ name }: Principal): boolean {
  if (
    isSource({ name }) ||
    isComposer({ name }) ||
    name === enginePrincipal.name ||
    name.startsWith("setpoint:")
  )
    return true
  return name === "" || (name.startsWith("system:") && !accountForm.test(name))
}

function complete({ groups = [], kind, ...rest }: Principal): Principal {
  const all = [...new Set([...groups, authenticatedGroup])]
  return { ...rest, kind: leastKind(kind, groups), groups: all }
}

/** A certificate says by its organization that it is no person's. */
function leastKind(kind: Principal["kind"], groups: readonly string[]): Principal["kind"] {
  if (groups.includes(agentsGroup)) return "agent"
  return kind === "human" && groups.includes(servicesGroup) ? "service" : kind
}
