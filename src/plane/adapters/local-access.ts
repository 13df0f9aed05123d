// Who may come in and what they may: certificates, tokens, service accounts and another issuer; the
// default roles of a new plane; and the reviews that answer from them.

import { readFileSync } from "node:fs"
import { aggregateRoles } from "../../api/authz/aggregate-roles.ts"
import { defaultRoles } from "../../api/authz/default-roles.ts"
import { ensureDefaultRoles } from "../../api/authz/ensure-default-roles.ts"
import { reviewRoutes } from "../../api/authz/review-routes.ts"
import { accountIssuer, accountTokens } from "../../api/http/account-tokens.ts"
import {
  type Authenticate,
  certificateAuthenticator,
  firstKnown,
  type TokenEntry,
  tokenAuthenticator,
} from "../../api/http/authenticate.ts"
import { type OidcOptions, oidcAuthenticator } from "../../api/http/oidc.ts"
import type { PlainRoute } from "../../api/http/plain-route.ts"
import { signIn } from "../../api/http/sign-in.ts"
import { tokenRequestRoute } from "../../api/http/token-request-route.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { setpointGroup } from "../../object/object.ts"
import { planeFault } from "../faults.ts"
import type { Plane } from "../plane.ts"
import { openAccountKey } from "./account-key.ts"
import { tokenBook } from "./token-file.ts"

/** As the command line gives it. */
export interface IssuerOptions extends Omit<OidcOptions, "authority"> {
  readonly authorityFile?: string
}

export interface LocalAccess {
  readonly authenticate: Authenticate
  readonly routes: readonly PlainRoute[]
  close(): Promise<void>
}

/** Before anybody is served. */
export async function openAccess(
  plane: Plane,
  directory: string,
  owner: TokenEntry,
  issuer: IssuerOptions | undefined,
): Promise<LocalAccess> {
  const { verbs, roles } = plane.api
  const groups = new Set(plane.engine.kinds.map(({ resource }) => resource.group))
  groups.delete(setpointGroup)
  await ensureDefaultRoles({ verbs, store: plane.ports.store }, defaultRoles([...groups].sort()))
  const others = forAMoment(tokenBook(directory, () => systemClock.now()))
  const [clock, random] = [systemClock, systemRandom]
  const accounts = accountTokens({ key: openAccountKey(directory), clock, random, verbs })
  const known = [
    certificateAuthenticator,
    tokenAuthenticator(() => [owner, ...others()]),
    accounts.authenticate,
    ...(issuer === undefined ? [] : [oidcAuthenticator(readIssuer(issuer), clock)]),
  ]
  const authenticate = signIn(firstKnown(...known))
  const identify = async (token: string, audiences: readonly string[]) => {
    if (audiences.length === 0) return authenticate({ token })
    return signIn(({ token: one = "" }) => accounts.identify(one, audiences))({ token })
  }
  plane.extensions.register(
    ...reviewRoutes({ roles, identify }),
    tokenRequestRoute(accounts, verbs),
  )
  const aggregation = aggregateRoles(plane.api.context.roles, verbs, (fault) => {
    plane.ports.logger.warn("roles could not be aggregated", { error: fault.message })
  })
  await aggregation.settled()
  const close = () => aggregation.close()
  return { authenticate, routes: issuerRoutes(accounts.keys), close }
}

const momentMs = 100

/** The file of tokens is looked at ten times a second at most, however many requests come. */
function forAMoment<T>(read: () => T): () => T {
  let until = Number.NEGATIVE_INFINITY
  let last: T
  return () => {
    const now = systemClock.monotonic()
    if (now >= until) {
      last = read()
      until = now + momentMs
    }
    return last
  }
}

/** What verifies the tokens of service accounts elsewhere. */
function issuerRoutes(keys: () => object): readonly PlainRoute[] {
  const about = {
    issuer: accountIssuer,
    jwks_uri: `${accountIssuer}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  }
  return [
    {
      pattern: "/.well-known/openid-configuration",
      answer: () => ({ status: 200, body: about }),
    },
    {
      pattern: "/openid/v1/jwks",
      answer: () => ({
        status: 200,
        bytes: Buffer.from(JSON.stringify(keys())),
        contentType: "application/jwk-set+json",
      }),
    },
  ]
}

function readIssuer({ authorityFile, ...rest }: IssuerOptions): OidcOptions {
  const refuse = (why: string) => planeFault("SPT-TOKEN-004", { issuer: rest.issuer, why })
  if (!URL.canParse(rest.issuer) || new URL(rest.issuer).protocol !== "https:") {
    throw refuse("an issuer is an https URL")
  }
  if (rest.clientId === "") throw refuse("no client id is given")
  if (authorityFile === undefined) return rest
  try {
    return { ...rest, authority: readFileSync(authorityFile, "utf8") }
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}
