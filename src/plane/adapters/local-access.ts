// Who may come in and what they may: certificates, tokens, service accounts and another issuer; the
// default roles of a new plane; and the reviews that answer from them.

import { readFileSync } from "node:fs"
import { aggregateRoles } from "../../api/authz/aggregate-roles.ts"
import { defaultRoles, type RoleKind } from "../../api/authz/default-roles.ts"
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
import {
  issuerAuthenticator,
  type OidcIssuer,
  type OidcOptions,
  openIssuer,
} from "../../api/http/oidc.ts"
import type { PlainRoute } from "../../api/http/plain-route.ts"
import { signIn } from "../../api/http/sign-in.ts"
import { tokenRequestRoute } from "../../api/http/token-request-route.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { setpointGroup } from "../../object/object.ts"
import type { KindRuntime } from "../../reconcile/kind-runtime.ts"
import { planeFault } from "../faults.ts"
import type { Plane } from "../plane.ts"
import { openAccountKey } from "./account-key.ts"
import { tokenBook, tokenPrefix } from "./token-file.ts"

/** As the command line gives it. */
export interface IssuerOptions extends Omit<OidcOptions, "authority" | "clientSecret"> {
  readonly authorityFile?: string
  readonly clientSecretFile?: string
}

export interface LocalAccess {
  readonly authenticate: Authenticate
  readonly routes: readonly PlainRoute[]
  /** People may sign in with it. */
  readonly issuer: OidcIssuer | undefined
  close(): Promise<void>
}

/** Whoever lets people in besides the file of tokens. */
export interface Trusted {
  readonly owner: TokenEntry
  /** What a session stands on that a certificate opened. */
  readonly authority: string
  readonly issuer: IssuerOptions | undefined
}

/** Before anybody is served. */
export async function openAccess(
  plane: Plane,
  directory: string,
  { owner, authority, issuer: given }: Trusted,
): Promise<LocalAccess> {
  const { verbs, roles } = plane.api
  await ensureDefaultRoles({ verbs, store: plane.ports.store }, defaultRoles(roleKinds(plane)))
  const others = tokenBook(directory, () => systemClock.now())
  const remembered = forAMoment(others)
  const [clock, random] = [systemClock, systemRandom]
  const accounts = accountTokens({ key: openAccountKey(directory), clock, random, verbs })
  const issuer = given === undefined ? undefined : openIssuer(readIssuer(given), clock)
  const known = [
    certificateAuthenticator(authority),
    tokenAuthenticator(() => [owner, ...remembered()]),
    // Who was not in the file a moment ago may be by now.
    forOurTokens(tokenAuthenticator(others)),
    accounts.authenticate,
    ...(issuer === undefined ? [] : [issuerAuthenticator(issuer)]),
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
  return { authenticate, routes: issuerRoutes(accounts.keys), issuer, close }
}

const momentMs = 100

/** Those of others are not worth a look at the file. */
function forOurTokens(authenticate: Authenticate): Authenticate {
  return (shown) => (shown.token?.startsWith(tokenPrefix) ? authenticate(shown) : undefined)
}

/** The file of tokens is looked at ten times a second at most for those who are known. */
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

function readIssuer({ authorityFile, clientSecretFile, ...rest }: IssuerOptions): OidcOptions {
  const refuse = (why: string) => planeFault("SPT-TOKEN-004", { issuer: rest.issuer, why })
  const read = (file: string): string => {
    try {
      return readFileSync(file, "utf8")
    } catch (error) {
      throw refuse(error instanceof Error ? error.message : String(error))
    }
  }
  if (!URL.canParse(rest.issuer) || new URL(rest.issuer).protocol !== "https:") {
    throw refuse("an issuer is an https URL")
  }
  if (rest.clientId === "") throw refuse("no client id is given")
  return {
    ...rest,
    ...(authorityFile === undefined ? {} : { authority: read(authorityFile) }),
    ...(clientSecretFile === undefined ? {} : { clientSecret: read(clientSecretFile).trim() }),
  }
}

function roleKinds({ engine: { kinds } }: Plane): readonly RoleKind[] {
  const strong = strongKinds(kinds)
  return kinds.flatMap(({ resource: { group, resource }, provider }) => {
    const privileged = strong.has(nameOf(provider))
    return group === setpointGroup ? [] : [{ group, resource, privileged }]
  })
}

/** A composite is as powerful as its children, and theirs. */
function strongKinds(kinds: readonly KindRuntime[]): ReadonlySet<string> {
  const strong = new Set<string>()
  for (let before = -1; before < strong.size; ) {
    before = strong.size
    for (const { provider, composite } of kinds) {
      const own = provider.privileged === true || composite?.privileged === true
      const byChild = composite?.children.some((child) => strong.has(nameOf(child))) ?? false
      if (own || byChild) strong.add(nameOf(provider))
    }
  }
  return strong
}

const nameOf = ({ group, kind }: { group: string; kind: string }): string => `${kind}.${group}`
