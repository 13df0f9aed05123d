import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type OidcOptions, openIssuer } from "../../src/api/http/oidc.ts"
import { OidcFlow } from "../../src/api/http/oidc-flow.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { OidcIssuerServer } from "../fixtures/oidc-issuer.ts"

const directory = mkdtempSync(join(tmpdir(), "spt-"))
const authority = openAuthority({ directory, random: systemRandom, now: systemClock.now })
const redirect = "http://127.0.0.1:7444/dashboard/oidc/callback"
const secret = "the client's own"

let server: OidcIssuerServer
let clock: SimClock
let flow: OidcFlow
let rearm = () => {}
beforeAll(async () => {
  server = await OidcIssuerServer.open(authority.server(["127.0.0.1"]), secret)
})
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(() => {
  // Tokens are dated by the issuer's clock.
  clock = new SimClock({ wallMs: Date.now() })
  server.nonce = undefined
  server.claims = { name: "carol", groups: ["team", "system:masters"] }
  flow = open()
})
afterEach(() => {
  rearm()
  rearm = () => {}
})

function open(more: Partial<OidcOptions> = {}): OidcFlow {
  const options = {
    ...{ issuer: server.url, clientId: "plane", clientSecret: secret },
    ...{ usernameClaim: "name", usernamePrefix: "-", groupsClaim: "groups" },
    ...{ authority: authority.certificate, ...more },
  }
  return new OidcFlow(openIssuer(options, clock), clock, systemRandom)
}

/** What the browser brings back. */
function brought(location: string): { state: string; code: string } {
  const { searchParams } = new URL(server.agree(location))
  return { state: searchParams.get("state") ?? "", code: searchParams.get("code") ?? "" }
}

describe("signing in by way of an issuer", () => {
  it("ends with a person whom the issuer vouches for, without groups of the system", async () => {
    const { location, binding } = await flow.begin(redirect)
    const asked = new URL(location).searchParams
    expect(asked.get("code_challenge_method")).toBe("S256")
    expect(asked.get("redirect_uri")).toBe(redirect)
    expect(location).not.toContain(secret)
    const principal = await flow.finish({ ...brought(location), binding })
    expect(principal).toEqual({
      ...{ name: "carol", kind: "human" },
      groups: ["team", "system:authenticated"],
      signedInBy: { ground: `issuer:plane@${server.url}`, until: expect.any(Number) },
    })
  })

  it("can't be finished twice, too late, or without having begun", async () => {
    const { location, binding } = await flow.begin(redirect)
    const back = brought(location)
    await flow.finish({ ...back, binding })
    await expect(flow.finish({ ...back, binding })).rejects.toThrow(/finished before/)
    await expect(flow.finish({ state: "x", code: "y", binding })).rejects.toThrow(/not begun here/)
    const late = await flow.begin(redirect)
    const lateBack = brought(late.location)
    await clock.advance(601_000)
    await expect(flow.finish({ ...lateBack, binding: late.binding })).rejects.toThrow(/too long/)
  })

  it("is finished in the browser that began it: nobody signs others in as themselves", async () => {
    const { location } = await flow.begin(redirect)
    const finish = flow.finish({ ...brought(location), binding: "of another" })
    await expect(finish).rejects.toThrow(/another browser/)
  })

  it("twin: without that protection what one began ends in the browser of another", async () => {
    rearm = disarm("sign-in-is-bound-to-its-browser")
    const { location } = await flow.begin(redirect)
    const principal = await flow.finish({ ...brought(location), binding: "of another" })
    expect(principal.name).toBe("carol")
  })

  it.each([
    ["made for another sign-in", () => (server.nonce = "of another"), /names nobody/],
    ["of a name of the system", () => (server.claims = { name: "system:admin" }), /names nobody/],
    ["without a name", () => (server.claims = {}), /names nobody/],
  ])("does not take a token %s", async (_, spoil, message) => {
    spoil()
    const { location, binding } = await flow.begin(redirect)
    await expect(flow.finish({ ...brought(location), binding })).rejects.toThrow(message)
  })

  it("does not take a code that the issuer did not give, or gave another client", async () => {
    const { location, binding } = await flow.begin(redirect)
    const { state } = brought(location)
    const finish = flow.finish({ state, code: "made up", binding })
    await expect(finish).rejects.toThrow(/gave no token/)
    const other = open({ clientSecret: "wrong" })
    const begun = await other.begin(redirect)
    const back = brought(begun.location)
    await expect(other.finish({ ...back, binding: begun.binding })).rejects.toThrow(/gave no token/)
  })

  it("says so when the person did not agree or the issuer is away", async () => {
    const { location, binding } = await flow.begin(redirect)
    const state = new URL(location).searchParams.get("state") ?? ""
    await expect(flow.finish({ state, code: "", binding })).rejects.toThrow(/did not let you in/)
    const away = open({ issuer: "https://127.0.0.1:1" })
    await expect(away.begin(redirect)).rejects.toThrow(/does not answer/)
    await expect(away.begin(redirect)).rejects.toThrow(/SPT-API-057|no place to sign in/)
  })
})
