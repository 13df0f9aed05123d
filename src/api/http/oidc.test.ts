import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SignJWT } from "jose"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { Principal } from "../../contract/principal.ts"
import { openAuthority } from "../../plane/adapters/pki/authority.ts"
import type { Authenticate } from "./authenticate.ts"
import { type OidcOptions, oidcAuthenticator } from "./oidc.ts"
import { signIn } from "./sign-in.ts"

const directory = mkdtempSync(join(tmpdir(), "spt-"))
const authority = openAuthority({ directory, random: systemRandom, now: systemClock.now })

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}
const newKeys = (): Keys => generateKeyPairSync("ec", { namedCurve: "P-256" })

/** A real issuer on this host, whose keys can be changed and counted. */
const issuer = { server: undefined as Server | undefined, url: "", asked: 0, down: false }
let keys = newKeys()
let kid = "one"

beforeAll(async () => {
  const { certificate: cert, key } = authority.server(["127.0.0.1"])
  const server = createServer({ cert, key }, (request, response) => {
    if (issuer.down) return response.writeHead(500).end("{}")
    if (request.url === "/.well-known/openid-configuration") {
      const about = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
      return response.end(JSON.stringify(about))
    }
    issuer.asked++
    const jwk = { ...keys.publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" }
    return response.end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  issuer.server = server
  issuer.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  issuer.server?.closeAllConnections()
  issuer.server?.close()
  rmSync(directory, { recursive: true, force: true })
})

let authenticate: Authenticate
const open = (more: Partial<OidcOptions> = {}): Authenticate =>
  signIn(
    oidcAuthenticator(
      { issuer: issuer.url, clientId: "plane", authority: authority.certificate, ...more },
      systemClock,
    ),
  )
beforeEach(() => {
  keys = newKeys()
  kid = "one"
  issuer.down = false
  authenticate = open({ groupsClaim: "groups", usernameClaim: "name", usernamePrefix: "-" })
})

interface Draft {
  readonly claims?: Record<string, unknown>
  readonly audience?: string
  readonly from?: string
  readonly seconds?: number
  readonly notBefore?: number
  readonly key?: KeyObject
}

function token(draft: Draft = {}): Promise<string> {
  const { claims = {}, audience = "plane", from = issuer.url, seconds = 600 } = draft
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ sub: "1", name: "carol", groups: ["team"], ...claims })
    .setProtectedHeader({ alg: "ES256", kid })
    .setIssuer(from)
    .setAudience(audience)
    .setNotBefore(now + (draft.notBefore ?? 0))
    .setExpirationTime(now + seconds)
    .sign(draft.key ?? keys.privateKey)
}

const who = async (draft?: Draft): Promise<Principal | undefined> =>
  authenticate({ token: await token(draft) })

describe("people of another issuer", () => {
  it("are known by name and groups, as people", async () => {
    expect(await who()).toEqual({
      ...{ name: "carol", kind: "human" },
      groups: ["team", "system:authenticated"],
      signedInBy: { ground: `issuer:plane@${issuer.url}`, until: expect.any(Number) },
    })
  })

  it("carry the issuer's name before theirs unless told otherwise", async () => {
    authenticate = open()
    expect((await who())?.name).toBe(`${issuer.url}#1`)
    authenticate = open({ usernamePrefix: "x:", groupsClaim: "groups", groupsPrefix: "y:" })
    expect(await who()).toMatchObject({ name: "x:1", groups: ["y:team", "system:authenticated"] })
  })

  it.each<[string, Draft]>([
    ["is for another audience", { audience: "other" }],
    ["is of another issuer", { from: "https://other.example" }],
    ["has expired", { seconds: -60 }],
    ["is not good yet", { notBefore: 120 }],
    ["is signed with another key", { key: newKeys().privateKey }],
    ["has no name", { claims: { name: undefined } }],
    ["names the engine", { claims: { name: "setpoint:engine" } }],
    ["names a source", { claims: { name: "setpoint-source/default.site" } }],
    ["names a part of the system", { claims: { name: "system:admin" } }],
    ["names a service account", { claims: { name: "system:serviceaccount:a:b" } }],
  ])("are not let in by a token that %s", async (_, draft) => {
    expect(await who(draft)).toBeUndefined()
  })

  it("are not let in without a signature, or with the public key as a secret", async () => {
    const [, body = ""] = (await token()).split(".")
    const none = Buffer.from('{"alg":"none"}').toString("base64url")
    expect(await authenticate({ token: `${none}.${body}.` })).toBeUndefined()
    const pem = keys.publicKey.export({ type: "spki", format: "pem" })
    const forged = await new SignJWT({ name: "carol" })
      .setProtectedHeader({ alg: "HS256", kid })
      .setIssuer(issuer.url)
      .setAudience("plane")
      .setExpirationTime("10m")
      .sign(Buffer.from(pem))
    expect(await authenticate({ token: forged })).toBeUndefined()
  })

  it("get no group of the system by claiming it", async () => {
    const groups = ["system:masters", "setpoint:humans", "team"]
    expect((await who({ claims: { groups } }))?.groups).toEqual(["team", "system:authenticated"])
  })

  it("are not known by an address that nobody verified", async () => {
    authenticate = open({ usernameClaim: "email" })
    const email = "carol@example.com"
    expect((await who({ claims: { email, email_verified: true } }))?.name).toBe(email)
    expect((await who({ claims: { email } }))?.name).toBe(email)
    for (const said of [false, "false", "true", 0, null, {}]) {
      expect(await who({ claims: { email, email_verified: said } })).toBeUndefined()
    }
  })

  it("cost the issuer one question, also when many wrong keys are named", async () => {
    await who()
    const before = issuer.asked
    await Promise.all([who(), who(), who()])
    kid = "two"
    for (let index = 0; index < 5; index++) await who()
    expect(issuer.asked - before).toBe(0)
  })

  it("come in again after the issuer was away", async () => {
    issuer.down = true
    expect(await who()).toBeUndefined()
    issuer.down = false
    authenticate = open({ usernameClaim: "name" })
    expect(await who()).toBeDefined()
  })

  it("are not let in when the issuer's certificate is not trusted", async () => {
    authenticate = signIn(oidcAuthenticator({ issuer: issuer.url, clientId: "plane" }, systemClock))
    expect(await who()).toBeUndefined()
  })
})
