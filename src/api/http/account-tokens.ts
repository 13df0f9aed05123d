// Tokens of service accounts: signed, for named audiences, for a while, and for one incarnation of
// the account. An account that was deleted, also one that was made again, lets none of them in.

import { createHash, createPublicKey, type KeyObject } from "node:crypto"
import { type JWTPayload, jwtVerify, SignJWT } from "jose"
import type { Clock } from "../../base/clock.ts"
import { at, isArray, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import { hex, type Random } from "../../base/random.ts"
import { enginePrincipal, type Principal } from "../../contract/principal.ts"
import type { Verbs } from "../../contract/verbs.ts"
import type { ApiObject } from "../../object/object.ts"
import { serviceAccountName } from "../authz/role-index.ts"
import type { Authenticate } from "./authenticate.ts"
import { serviceAccountGroups } from "./impersonate.ts"

export const accountIssuer = "https://kubernetes.default.svc.cluster.local"
const algorithm = "ES256"
const skewSeconds = 10

export interface AccountTokenPorts {
  /** P-256, private. */
  readonly key: KeyObject
  readonly clock: Clock
  readonly random: Random
  readonly verbs: Verbs
}

export interface AskedToken {
  readonly account: ApiObject
  readonly audiences: readonly string[]
  readonly seconds: number
}

export interface AccountTokens {
  issue(asked: AskedToken): Promise<{ readonly token: string; readonly expires: number }>
  readonly authenticate: Authenticate
  /** As authenticate, for a token that is meant for one of these. */
  identify(token: string, audiences: readonly string[]): Promise<Principal | undefined>
  /** The public key, as JWKS. */
  keys(): object
}

export function accountTokens(ports: AccountTokenPorts): AccountTokens {
  const { key, clock, random, verbs } = ports
  const open = createPublicKey(key)
  const spki = open.export({ type: "spki", format: "der" })
  const kid = createHash("sha256").update(spki).digest("base64url")
  const now = () => Math.floor(clock.now() / 1000)
  const identify = async (token: string, audiences: readonly string[]) => {
    const wanted = audiences.length === 0 ? [accountIssuer] : [...audiences]
    const payload = await verified(token, open, wanted, clock.now())
    return payload === undefined ? undefined : principalOf(verbs, payload)
  }
  return {
    issue: async ({ account, audiences, seconds }) => {
      const { name, namespace = "", uid = "" } = account.metadata
      const expires = now() + seconds
      const claims = { "kubernetes.io": { namespace, serviceaccount: { name, uid } } }
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(accountIssuer)
        .setSubject(serviceAccountName(namespace, name))
        .setAudience(audiences.length === 0 ? [accountIssuer] : [...audiences])
        .setIssuedAt(now())
        .setNotBefore(now())
        .setExpirationTime(expires)
        .setJti(hex(random.bytes(16)))
        .sign(key)
      return { token, expires: expires * 1000 }
    },
    authenticate: ({ token }) => (token === undefined ? undefined : identify(token, [])),
    identify,
    keys: () => ({
      keys: [{ ...open.export({ format: "jwk" }), kid, alg: algorithm, use: "sig" }],
    }),
  }
}

async function verified(
  token: string,
  key: KeyObject,
  audience: string[],
  now: number,
): Promise<JWTPayload | undefined> {
  if (token.split(".").length !== 3) return undefined
  try {
    const options = {
      ...{ issuer: accountIssuer, audience, algorithms: [algorithm], currentDate: new Date(now) },
      ...{ clockTolerance: skewSeconds, requiredClaims: ["exp", "sub", "kubernetes.io"] },
    }
    return (await jwtVerify(token, key, options)).payload
  } catch {
    return undefined // Whatever is wrong with it, it is nobody's.
  }
}

async function principalOf(verbs: Verbs, payload: JWTPayload): Promise<Principal | undefined> {
  const claims = payload["kubernetes.io"] as Json | undefined
  const [namespace, name, uid] = [
    at(claims, "namespace"),
    at(claims, "serviceaccount", "name"),
    at(claims, "serviceaccount", "uid"),
  ]
  if (typeof namespace !== "string" || typeof name !== "string") return undefined
  const full = serviceAccountName(namespace, name)
  if (payload.sub !== full || typeof uid !== "string") return undefined
  const resource = { group: "", version: "v1", resource: "serviceaccounts" }
  const account = await verbs.get(enginePrincipal, { ...resource, namespace, name })
  const same = account?.metadata.uid === uid && account.metadata.deletionTimestamp === undefined
  if (!same && protects("tokens-end-with-their-account")) return undefined
  const id = typeof payload.jti === "string" ? payload.jti : ""
  return {
    name: full,
    kind: "service",
    groups: serviceAccountGroups(namespace),
    uid,
    extra: { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] },
  }
}

/** The audiences of a token request; undefined when they can't be understood. */
export function readAudiences(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  if (!isArray(value) || value.length > 20) return undefined
  const texts = value.filter((one) => typeof one === "string" && one !== "" && one.length <= 500)
  return texts.length === value.length ? texts.map(String) : undefined
}
