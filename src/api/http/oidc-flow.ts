// Signing in to the dashboard by way of another issuer: the authorization code flow with PKCE. What
// was begun in one browser is finished in that browser alone, once, within minutes; only hashes of
// what ties the two together are kept. The issuer's tokens never reach the browser.

import { createHash } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import { hex, type Random } from "../../base/random.ts"
import type { Principal } from "../../contract/principal.ts"
import { timeoutMs } from "./bounded-https.ts"
import { portFault } from "./faults.ts"
import type { OidcIssuer } from "./oidc.ts"
import { signIn } from "./sign-in.ts"

export interface Begun {
  /** Where the browser goes. */
  readonly location: string
  /** What the browser must bring back besides, in a cookie. */
  readonly binding: string
}

export interface Finished {
  readonly state: string
  readonly code: string
  readonly binding: string
}

interface Pending {
  readonly binding: string
  readonly nonce: string
  readonly verifier: string
  readonly redirect: string
  readonly until: number
}

const flowMs = 600_000
const most = 64
const textMax = 4096

export class OidcFlow {
  readonly #issuer: OidcIssuer
  readonly #clock: Clock
  readonly #random: Random
  readonly #pending = new Map<string, Pending>()

  constructor(issuer: OidcIssuer, clock: Clock, random: Random) {
    this.#issuer = issuer
    this.#clock = clock
    this.#random = random
  }

  /** "login.example.com" */
  get name(): string {
    return new URL(this.#issuer.options.issuer).host
  }

  /** `redirect` is where the issuer sends the browser back to. */
  async begin(redirect: string): Promise<Begun> {
    const endpoint = (await this.#facts())?.authorization
    if (endpoint === undefined) throw this.#refuse("it names no place to sign in")
    const [state, binding, nonce, verifier] = [1, 2, 3, 4].map(() => hex(this.#random.bytes(32)))
    const secrets = { binding: hashOf(binding), nonce: nonce ?? "", verifier: verifier ?? "" }
    const [oldest] = this.#pending.size >= most ? this.#pending.keys() : []
    if (oldest !== undefined) this.#pending.delete(oldest)
    const until = this.#clock.monotonic() + flowMs
    this.#pending.set(hashOf(state), { ...secrets, redirect, until })
    const url = new URL(endpoint)
    const wanted = {
      ...{
        response_type: "code",
        client_id: this.#issuer.options.clientId,
        redirect_uri: redirect,
      },
      ...{ scope: "openid profile email", state: state ?? "", nonce: secrets.nonce },
      ...{ code_challenge: challengeOf(secrets.verifier), code_challenge_method: "S256" },
    }
    for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value)
    return { location: url.href, binding: binding ?? "" }
  }

  async finish({ state, code, binding }: Finished): Promise<Principal> {
    const key = hashOf(state)
    const pending = this.#pending.get(key)
    this.#pending.delete(key)
    if (pending === undefined || pending.until <= this.#clock.monotonic()) {
      throw this.#refuse("it was not begun here, took too long, or was finished before")
    }
    if (pending.binding !== hashOf(binding) && protects("sign-in-is-bound-to-its-browser")) {
      throw this.#refuse("it was begun in another browser")
    }
    if (code === "" || code.length > textMax) throw this.#refuse("the issuer did not let you in")
    const token = await this.#exchange(code, pending)
    const known = signIn(() => this.#issuer.identify(token, pending.nonce))
    const principal = await known({ token })
    if (principal === undefined)
      throw this.#refuse("the issuer's token names nobody who may come in")
    return principal
  }

  async #exchange(code: string, { verifier, redirect }: Pending): Promise<string> {
    const endpoint = (await this.#facts())?.token
    if (endpoint === undefined) throw this.#refuse("it names no place for tokens")
    const { clientId, clientSecret } = this.#issuer.options
    const body = new URLSearchParams({
      ...{ grant_type: "authorization_code", code, redirect_uri: redirect },
      ...{ client_id: clientId, code_verifier: verifier },
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    })
    try {
      const answer = await this.#issuer.ask(endpoint, {
        ...{ method: "POST", body: body.toString(), signal: AbortSignal.timeout(timeoutMs) },
        contentType: "application/x-www-form-urlencoded",
      })
      const { id_token: token } = (await answer.json()) as { id_token?: unknown }
      if (answer.status === 200 && typeof token === "string") return token
    } catch {} // What it said may hold secrets.
    throw this.#refuse("the issuer gave no token for it")
  }

  async #facts() {
    try {
      return await this.#issuer.facts()
    } catch {
      throw this.#refuse("it does not answer")
    }
  }

  #refuse(why: string): Error {
    return portFault("SPT-API-057", { issuer: this.name, why })
  }
}

const hashOf = (text = ""): string => createHash("sha256").update(text).digest("hex")

const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url")
