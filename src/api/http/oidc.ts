// People who sign in with another issuer (OpenID Connect). Its keys are fetched once and again when
// an unknown one is named, not more often than the cooldown allows. Nobody gets a name or a group
// of the system by what an issuer says.

import { request as httpsRequest } from "node:https"
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  type FetchImplementation,
  type JWTPayload,
  jwtVerify,
} from "jose"
import type { Clock } from "../../base/clock.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Authenticate } from "./authenticate.ts"

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
  /** PEM of the authority that signed the issuer's certificate; the system's when missing. */
  readonly authority?: string
}

const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
const answerBytesMax = 1024 * 1024
const timeoutMs = 10_000
const skewSeconds = 30
const retryMs = 10_000
const groupsMax = 200

type Keys = ReturnType<typeof createRemoteJWKSet>

export function oidcAuthenticator(options: OidcOptions, clock: Clock): Authenticate {
  const get = boundedFetch(options.authority)
  let keys: Promise<Keys> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  const needKeys = (): Promise<Keys> | undefined => {
    if (keys === undefined && clock.monotonic() - failedAt < retryMs) return undefined
    keys ??= discover(options.issuer, get).catch((error) => {
      // Nobody waits for ever on an issuer that was away once.
      keys = undefined
      failedAt = clock.monotonic()
      throw error
    })
    return keys
  }
  return async ({ token }) => {
    if (token === undefined || issuerOf(token) !== options.issuer) return undefined
    try {
      const known = await needKeys()
      if (known === undefined) return undefined
      const { payload } = await jwtVerify(token, known, {
        ...{ issuer: options.issuer, audience: options.clientId, algorithms },
        ...{ currentDate: new Date(clock.now()), clockTolerance: skewSeconds },
        requiredClaims: ["exp"],
      })
      return principalOf(payload, options)
    } catch {
      return undefined // Whatever is wrong with it, it is nobody's.
    }
  }
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

async function discover(issuer: string, get: FetchImplementation): Promise<Keys> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const init = { method: "GET" as const, headers: new Headers(), redirect: "manual" as const }
  const answer = await get(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
  const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (answer.status !== 200 || document.issuer !== issuer) throw new Error("it is another issuer")
  const place = new URL(String(document.jwks_uri))
  if (place.protocol !== "https:") throw new Error("its keys are not served by https")
  return createRemoteJWKSet(place, { timeoutDuration: timeoutMs, [customFetch]: get })
}

/** By https only, without redirects, bounded in size and time. */
function boundedFetch(authority: string | undefined): FetchImplementation {
  const trust = authority === undefined ? {} : { ca: authority }
  return (url, { signal }) =>
    new Promise((resolve, reject) => {
      const request = httpsRequest(url, { ...trust, signal, timeout: timeoutMs }, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on("data", (chunk: Buffer) => {
          size += chunk.byteLength
          if (size > answerBytesMax) request.destroy(new Error("its answer is too long"))
          else chunks.push(chunk)
        })
        response.on("error", reject)
        response.on("end", () => {
          const status = response.statusCode ?? 500
          resolve(new Response(Buffer.concat(chunks), { status: status < 200 ? 500 : status }))
        })
      })
      request.on("timeout", () => request.destroy(new Error("it did not answer in time")))
      request.on("error", reject)
      request.end()
    })
}

function principalOf(payload: JWTPayload, options: OidcOptions): Principal | undefined {
  const { usernameClaim = "sub", groupsClaim, groupsPrefix = "" } = options
  const name = payload[usernameClaim]
  if (typeof name !== "string" || name === "" || name.length > 500) return undefined
  const whole = `${namePrefix(options)}${name}`
  if (isOfSystem(whole)) return undefined
  // An address that nobody verified is whatever its owner typed.
  if (usernameClaim === "email" && payload.email_verified === false) return undefined
  const claimed = groupsClaim === undefined ? [] : payload[groupsClaim]
  const all = (Array.isArray(claimed) ? claimed : [claimed]).filter(
    (one) => typeof one === "string",
  )
  const groups = all.slice(0, groupsMax).map((one) => `${groupsPrefix}${one}`)
  return {
    name: whole,
    kind: "human",
    groups: groups.filter((one) => !isOfSystem(one)),
  }
}

function namePrefix({ usernamePrefix, usernameClaim, issuer }: OidcOptions): string {
  if (usernamePrefix === "-") return ""
  return usernamePrefix ?? (usernameClaim === "email" ? "" : `${issuer}#`)
}

/** Names and groups that belong to the system are nobody's to claim. */
const isOfSystem = (name: string): boolean => /^(system:|setpoint[:-])/.test(name)
