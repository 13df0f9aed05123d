// How people sign in to the dashboard besides by a link: with what they would show to the API. The
// session ends with what it was opened by.

import type { Authenticate, TokenEntry } from "../../api/http/authenticate.ts"
import type { SignedIn, SignInWays } from "../../api/http/dashboard-sign-in.ts"
import { portFault } from "../../api/http/faults.ts"
import type { OidcIssuer } from "../../api/http/oidc.ts"
import { OidcFlow } from "../../api/http/oidc-flow.ts"
import type { Ground } from "../../api/http/sessions.ts"
import { sha256 } from "../../base/hash.ts"
import { systemClock, systemRandom } from "../../base/system.ts"

export interface DashboardWaysOptions {
  readonly version: string
  readonly authenticate: Authenticate
  /** Of others than the owner. */
  tokens(): readonly TokenEntry[]
  ground(text: string): Ground | undefined
  readonly issuer: OidcIssuer | undefined
}

export function dashboardWays(options: DashboardWaysOptions): SignInWays {
  const { version, authenticate } = options
  const flow =
    options.issuer === undefined
      ? {}
      : { issuer: new OidcFlow(options.issuer, systemClock, systemRandom) }
  const byToken = async (token: string): Promise<SignedIn | undefined> => {
    const principal = await authenticate({ token })
    if (principal === undefined) return undefined
    if (principal.name.startsWith("system:serviceaccount:")) {
      throw portFault("SPT-API-054", { user: principal.name })
    }
    const hash = sha256(token)
    const isListed = options.tokens().some((one) => one.sha256 === hash)
    const end = endOf(token)
    const text = isListed ? `token:${hash}` : end === undefined ? "" : `until:${end}`
    const ground = options.ground(text)
    return ground === undefined ? undefined : { principal, ground }
  }
  return { version, byToken, ...flow }
}

/** When a token of another issuer ends, in milliseconds since 1970; it was verified before. */
function endOf(token: string): number | undefined {
  const [, middle = "", last] = token.split(".")
  if (last === undefined) return undefined
  try {
    const claims = JSON.parse(Buffer.from(middle, "base64url").toString()) as { exp?: unknown }
    return typeof claims.exp === "number" ? claims.exp * 1000 : undefined
  } catch {
    return undefined
  }
}
