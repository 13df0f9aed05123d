// Tokens to principals. Only hashes are kept, and every one of them is compared in constant time,
// so that neither memory nor timing gives a token away.

import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { enginePrincipal, isSource, type Principal } from "../../contract/principal.ts"

/** What a request brings to say who it is from. */
export interface Credentials {
  readonly token?: string
  /** Of a client certificate that our own authority signed. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] }
}

/** Undefined when nobody is known by them. */
export type Authenticate = (
  credentials: Credentials,
) => Principal | undefined | Promise<Principal | undefined>

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
    return found.name === enginePrincipal.name ? undefined : found
  }
}

export function bearerToken(request: IncomingMessage): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? "")
  const token = match?.[1]
  return token === undefined || token.length > tokenMax ? undefined : token
}
