// How people sign in to the dashboard besides by a link: with what they would show to the API. The
// session ends with what it was opened by.

import type { Authenticate } from "../../api/http/authenticate.ts"
import type { IssuerWay, SignedIn, SignInWays } from "../../api/http/dashboard-sign-in.ts"
import { portFault } from "../../api/http/faults.ts"
import { issuerGround, type OidcIssuer } from "../../api/http/oidc.ts"
import { OidcFlow } from "../../api/http/oidc-flow.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { Principal, SignedInBy } from "../../contract/principal.ts"
import type { FindGround } from "./session-file.ts"

export interface DashboardWaysOptions {
  readonly version: string
  readonly authenticate: Authenticate
  readonly ground: FindGround
  readonly issuer: OidcIssuer | undefined
}

export function dashboardWays(options: DashboardWaysOptions): SignInWays {
  const { version, authenticate, ground, issuer } = options
  const byToken = async (token: string): Promise<SignedIn | undefined> => {
    const principal = await authenticate({ token })
    return principal && standing(principal, principal.signedInBy, ground)
  }
  return { version, byToken, ...(issuer === undefined ? {} : { issuer: byIssuer(issuer, ground) }) }
}

function byIssuer(issuer: OidcIssuer, ground: FindGround): IssuerWay {
  const flow = new OidcFlow(issuer, systemClock, systemRandom)
  return {
    name: flow.name,
    begin: (redirect) => flow.begin(redirect),
    finish: async (finished) => {
      const principal = await flow.finish(finished)
      // The token of the flow says who came, once; at many issuers it ends within minutes.
      return standing(principal, { ground: issuerGround(issuer.options) }, ground)
    },
  }
}

/** Refuses who would be signed in for longer than what let them in: accounts, borrowed names. */
export function standing(
  principal: Principal,
  by: SignedInBy | undefined,
  find: FindGround,
): SignedIn {
  const ground = find(by)
  if (ground === undefined) throw portFault("SPT-API-054", { user: principal.name })
  return { principal, ground }
}
