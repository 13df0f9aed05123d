// Tokens to principals. Only hashes are kept, and every one of them is compared in constant time,
// so that neither memory nor timing gives a token away.

import { createHash, timingSafeEqual } from "node:crypto"
import { enginePrincipal, isSource, type Principal } from "../../contract/principal.ts"
import type { ApiRequest } from "./exchange.ts"

/** What a request brings to say who it is from. */
export interface Credentials {
  readonly token?: string
  /** Of a client certificate that our own authority signed. */
  readonly certificate?: {
    readonly commonName: string
    readonly organizations: readonly string[]
    /** Wall time. */
    readonly until?: number
  }
}

/** Undefined when nobody is known by them. */
export type Authenticate = (
  credentials: Credentials,
) => Principal | undefined | Promise<Principal | undefined>

export type ClientCertificate = NonNullable<Credentials["certificate"]>

export interface TokenEntry {
  /** SHA-256 of the token, in hex. */
  readonly sha256: string
  readonly principal: Principal
}

const tokenMax = 4096

/** Nobody signs in as the engine or as a source, whatever the list says. */
export function tokenAuthenticator(entries: () => readonly TokenEntry[]): Authenticate {
  return ({ token }) => {
    if (token === undefined) return undefined
    const given = createHash("sha256").update(token).digest()
    let found: Principal | undefined
    for (const { sha256, principal } of entries()) {
      const known = Buffer.from(sha256, "hex")
      if (known.byteLength === given.byteLength && timingSafeEqual(known, given)) found = principal
    }
    if (found === undefined || isSource(found)) return undefined
    if (found.name === enginePrincipal.name) return undefined
    return { ...found, signedInBy: { ground: tokenGround(given.toString("hex")) } }
  }
}

/** Of a token, by its hash. */
export const tokenGround = (sha256: string): string => `token:${sha256}`

export function bearerToken(request: Pick<ApiRequest, "headers">): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? "")
  const token = match?.[1]
  return token === undefined || token.length > tokenMax ? undefined : token
}

/**
 * Our authority signs only for the names it was told to; what it signed is as good as a token.
 * `ground` says which authority that is.
 */
export function certificateAuthenticator(ground: string): Authenticate {
  return ({ certificate }) => {
    if (certificate === undefined) return undefined
    const { commonName: name, organizations: groups, until } = certificate
    if (isSource({ name }) || name === enginePrincipal.name) return undefined
    const signedInBy = { ground, ...(until === undefined ? {} : { until }) }
    return { name, kind: "human", groups, signedInBy }
  }
}

/** Whoever the first of them knows. */
export function firstKnown(...all: readonly Authenticate[]): Authenticate {
  return async (credentials) => {
    for (const authenticate of all) {
      const principal = await authenticate(credentials)
      if (principal !== undefined) return principal
    }
    return undefined
  }
}
