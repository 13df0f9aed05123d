// People who sign in with another issuer (OpenID Connect). Its keys are fetched once and again when
// an unknown one is named, not more often than the cooldown allows. Nobody gets a name or a group
// of the system by what an issuer says.

import { createRemoteJWKSet, customFetch, decodeJwt, type JWTPayload, jwtVerify } from "jose"
import type { Clock } from "../../base/clock.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Authenticate } from "./authenticate.ts"
import { type BoundedFetch, boundedHttps, timeoutMs } from "./bounded-https.ts"

export interface OidcOptions {
  /** https URL, as the tokens name it. */
  readonly issuer: string
  readonly clientId: string
  /** "sub" when missing. */
  readonly usernameClaim?: string
  readonly groupsClaim?: string
  /**
   * Before every name; "-" for none. The issuer and "#" when missing, unless the claim is email.
   */
  readonly usernamePrefix?: string
  readonly groupsPrefix?: string
  /** Of a client that has one; public clients do without. */
  readonly clientSecret?: string
  /** PEM of the authority that signed the issuer's certificate; the system's when missing. */
  readonly authority?: string
}

const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
const skewSeconds = 30
const retryMs = 10_000
const groupsMax = 200

/** What an issuer says about itself. */
export interface IssuerFacts {
  readonly keys: ReturnType<typeof createRemoteJWKSet>
  /** Where people sign in, and where what they bring back is changed for a token. */
  readonly authorization: URL | undefined
  readonly token: URL | undefined
}

export interface OidcIssuer {
  readonly options: OidcOptions
  readonly ask: BoundedFetch
  /** Undefined for a while after it could not be asked. */
  facts(): Promise<IssuerFacts> | undefined
  /** With `nonce`, only a token that was made for exactly that sign-in. */
  identify(token: string, nonce?: string): Promise<Principal | undefined>
}

export function openIssuer(options: OidcOptions, clock: Clock): OidcIssuer {
  const ask = boundedHttps(options.authority)
  let known: Promise<IssuerFacts> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  const facts = (): Promise<IssuerFacts> | undefined => {
    if (known === undefined && clock.monotonic() - failedAt < retryMs) return undefined
    known ??= discover(options.issuer, ask).catch((error) => {
      // Nobody waits for ever on an issuer that was away once.
      known = undefined
      failedAt = clock.monotonic()
      throw error
    })
    return known
  }
  const identify = async (token: string, nonce?: string): Promise<Principal | undefined> => {
    if (issuerOf(token) !== options.issuer) return undefined
    try {
      const found = await facts()
      if (found === undefined) return undefined
      const { payload } = await jwtVerify(token, found.keys, {
        ...{ issuer: options.issuer, audience: options.clientId, algorithms },
        ...{ currentDate: new Date(clock.now()), clockTolerance: skewSeconds },
        requiredClaims: ["exp"],
      })
      if (nonce !== undefined && payload.nonce !== nonce) return undefined
      return principalOf(payload, options)
    } catch {
      return undefined // Whatever is wrong with it, it is nobody's.
    }
  }
  return { options, ask, facts, identify }
}

/** Who an issuer vouched for is known while the plane asks that issuer, as that client. */
export const issuerGround = ({ issuer, clientId }: OidcOptions): string =>
  `issuer:${clientId}@${issuer}`

export function oidcAuthenticator(options: OidcOptions, clock: Clock): Authenticate {
  return issuerAuthenticator(openIssuer(options, clock))
}

export function issuerAuthenticator(issuer: OidcIssuer): Authenticate {
  return async ({ token }) => (token === undefined ? undefined : issuer.identify(token))
}

/** Only to choose who verifies it; nothing else of it is believed. */
function issuerOf(token: string): string | undefined {
  if (token.split(".").length !== 3) return undefined
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

async function discover(issuer: string, ask: BoundedFetch): Promise<IssuerFacts> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const answer = await ask(url, { signal: AbortSignal.timeout(timeoutMs) })
  const document = (await answer.json()) as Record<string, unknown>
  if (answer.status !== 200 || document.issuer !== issuer) throw new Error("it is another issuer")
  const place = httpsUrl(document.jwks_uri)
  if (place === undefined) throw new Error("its keys are not served by https")
  const keys = createRemoteJWKSet(place, {
    timeoutDuration: timeoutMs,
    [customFetch]: (where, { signal }) => ask(where, { signal }),
  })
  const { authorization_endpoint: authorization, token_endpoint: token } = document
  return { keys, authorization: httpsUrl(authorization), token: httpsUrl(token) }
}

function httpsUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined
  const url = new URL(value)
  return url.protocol === "https:" ? url : undefined
}

function principalOf(payload: JWTPayload, options: OidcOptions): Principal | undefined {
  const { usernameClaim = "sub", groupsClaim, groupsPrefix = "" } = options
  const name = payload[usernameClaim]
  if (typeof name !== "string" || name === "" || name.length > 500) return undefined
  const whole = `${namePrefix(options)}${name}`
  if (isOfSystem(whole)) return undefined
  // An address that nobody verified is whatever its owner typed; "false" as a text says so, too.
  const { email_verified: verified = true } = payload
  if (usernameClaim === "email" && verified !== true) return undefined
  const claimed = groupsClaim === undefined ? [] : payload[groupsClaim]
  const all = (Array.isArray(claimed) ? claimed : [claimed]).filter(
    (one) => typeof one === "string",
  )
  const groups = all.slice(0, groupsMax).map((one) => `${groupsPrefix}${one}`)
  return {
    name: whole,
    kind: "human",
    groups: groups.filter((one) => !isOfSystem(one)),
    signedInBy: { ground: issuerGround(options), until: (payload.exp ?? 0) * 1000 },
  }
}

function namePrefix({ usernamePrefix, usernameClaim, issuer }: OidcOptions): string {
  if (usernamePrefix === "-") return ""
  return usernamePrefix ?? (usernameClaim === "email" ? "" : `${issuer}#`)
}

/** Names and groups that belong to the system are nobody's to claim. */
const isOfSystem = (name: string): boolean => /^(system:|setpoint[:-])/.test(name)
