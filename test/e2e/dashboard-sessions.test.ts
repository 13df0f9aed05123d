// What a browser's session stands on, on a real plane: the owner's token, somebody's token, a
// certificate, an issuer. Each ends with it, also over a restart, and nobody renews it from inside.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request as httpsRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import type { KeptSession } from "../../src/api/http/sessions.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { IssuerOptions } from "../../src/plane/adapters/local-access.ts"
import { localPrincipal } from "../../src/plane/adapters/local-token.ts"
import { type LocalPlane, openLocalPlane } from "../../src/plane/adapters/open-local-plane.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"
import { createToken, revokeToken } from "../../src/plane/adapters/token-file.ts"
import { silentLogger } from "../../src/telemetry/logger.ts"
import { OidcIssuerServer } from "../fixtures/oidc-issuer.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const own = { "setpoint-dashboard": "1", "content-type": "application/json" }
const halfDayMs = 12 * 3_600_000

let issuer: OidcIssuerServer
let issuerOptions: IssuerOptions
const issuerHome = mkdtempSync(join(tmpdir(), "spt-"))
beforeAll(async () => {
  const ports = { directory: issuerHome, random: systemRandom, now: systemClock.now }
  const authority = openAuthority(ports)
  issuer = await OidcIssuerServer.open(authority.server(["127.0.0.1"]))
  const authorityFile = join(issuerHome, "issuer.pem")
  writeFileSync(authorityFile, authority.certificate)
  const names = { usernameClaim: "name", usernamePrefix: "-" }
  issuerOptions = { issuer: issuer.url, clientId: "plane", authorityFile, ...names }
})
afterAll(() => {
  issuer.close()
  rmSync(issuerHome, { recursive: true, force: true })
})

let base: string
let directory: string
let local: LocalPlane
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "spt-"))
  directory = join(base, "data")
  local = await open(issuerOptions)
})
afterEach(async () => {
  await local.close()
  rmSync(base, { recursive: true, force: true })
})

const open = (given?: IssuerOptions): Promise<LocalPlane> =>
  openLocalPlane({
    ...{ directory, version: "0.0.0", keyFile: join(base, "key"), roots: [base] },
    ...{ listen: { port: 0, dashboardPort: 0 }, logger: silentLogger },
    ...(given === undefined ? {} : { issuer: given }),
    onFatal: (fault) => {
      throw fault
    },
  })

async function restart(given?: IssuerOptions): Promise<void> {
  await local.close()
  local = await open(given)
}

/** Cookies are named after the port, which may be another one after a restart. */
function cookie(secret: string): Record<string, string> {
  return { cookie: `setpoint-${new URL(local.server.dashboard).port}=${secret}` }
}

const ask = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, local.server.dashboard), { redirect: "manual", ...init })

const secretIn = (answer: Response): string =>
  /setpoint-\d+=(\w+);/.exec(answer.headers.getSetCookie().join())?.[1] ?? ""

async function whoIs(secret: string): Promise<string | undefined> {
  const answer = await ask("/dashboard/session", { headers: cookie(secret) })
  const { user } = (await answer.json()) as { user: { name: string } | null }
  return user?.name
}

async function byToken(token: string): Promise<string> {
  const body = JSON.stringify({ token })
  return secretIn(await ask("/dashboard/sign-in", { method: "POST", headers: own, body }))
}

/** As a page could that its person left open. */
async function renewed(secret: string): Promise<string> {
  const headers = { ...own, ...cookie(secret) }
  const path = "/setpoint/v1/dashboard/link"
  const answer = await ask(path, { method: "POST", headers, body: "{}" })
  const { url } = (await answer.json()) as { url: string }
  return secretIn(await ask(url))
}

async function byIssuer(): Promise<string> {
  const begun = await ask("/dashboard/oidc/start")
  const back = new URL(issuer.agree(begun.headers.get("location") ?? ""))
  const bound = begun.headers.getSetCookie().join().split(";")[0] ?? ""
  return secretIn(await ask(`${back.pathname}${back.search}`, { headers: { cookie: bound } }))
}

const kept = (): readonly KeptSession[] => {
  const file = readFileSync(join(directory, "sessions.json"), "utf8")
  return (JSON.parse(file) as { sessions: KeptSession[] }).sessions
}

describe("a session of the owner", () => {
  it("outlives a restart, and not the token that it stands on", async () => {
    const owner = localPrincipal().name
    const token = readFileSync(join(directory, "token"), "utf8").trim()
    const [typed, linked] = [await byToken(token), secretIn(await ask(local.server.ownerLink()))]
    const again = await renewed(linked)
    await restart(issuerOptions)
    for (const one of [typed, linked, again]) expect(await whoIs(one)).toBe(owner)
    // The token leaked: a person replaces it.
    await local.close()
    writeFileSync(join(directory, "token"), `${"0123456789abcdef".repeat(4)}\n`)
    local = await open(issuerOptions)
    for (const one of [typed, linked, again]) expect(await whoIs(one)).toBeUndefined()
  })
})

describe("a session of somebody with a certificate", () => {
  const linkOf = (pem: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const where = new URL("/setpoint/v1/dashboard/link", local.server.address)
      const ca = readFileSync(join(directory, "pki", "ca.crt"))
      const options = { method: "POST", ca, cert: pem, key: pem, agent: false }
      const call = httpsRequest(where, options, (answer) => {
        let text = ""
        answer.on("data", (part) => {
          text += String(part)
        })
        answer.on("end", () => resolve((JSON.parse(text) as { url: string }).url))
      })
      call.on("error", reject)
      call.end("{}")
    })

  it("outlives a restart, and not the authority that signed it", async () => {
    const pem = readFileSync(join(directory, "pki", "owner.pem"), "utf8")
    const secret = secretIn(await ask(await linkOf(pem)))
    await restart()
    expect(await whoIs(secret)).toBe(localPrincipal().name)
    await local.close()
    rmSync(join(directory, "pki"), { recursive: true })
    local = await open()
    expect(await whoIs(secret)).toBeUndefined()
  })
})

describe("a session of somebody with a token", () => {
  it("is opened by a token that was made this very moment", async () => {
    for (let at = 0; at < 5; at++) {
      expect(await byToken(`spt_wrong${at}`)).toBe("")
      const asked = { name: `new${at}`, kind: "human", lifeMs: 3_600_000 } as const
      const made = createToken(directory, asked, localPrincipal(), Date.now(), systemRandom)
      expect(await whoIs(await byToken(made.token))).toBe(asked.name)
    }
  })

  it("ends with that token, also one that was opened by a link from it", async () => {
    const asked = { name: "bob", kind: "human", lifeMs: 3_600_000 } as const
    const make = () => createToken(directory, asked, localPrincipal(), Date.now(), systemRandom)
    const first = await byToken(make().token)
    const second = await renewed(first)
    expect(await whoIs(second)).toBe("bob")
    revokeToken(directory, "bob")
    make()
    expect([await whoIs(first), await whoIs(second)]).toEqual([undefined, undefined])
  })
})

describe("a session of somebody of an issuer", () => {
  it("is not renewed from inside: half a day after they were let in it is over", async () => {
    const first = await byIssuer()
    expect(await whoIs(first)).toBe("carol")
    const [begun] = kept()
    const second = await renewed(await renewed(first))
    expect(await whoIs(second)).toBe("carol")
    const ends = kept().map(({ until }) => until)
    expect(ends).toHaveLength(3)
    expect(begun?.until).toBeGreaterThan(Date.now() + halfDayMs - 600_000)
    expect(Math.max(...ends)).toBeLessThanOrEqual((begun?.until ?? 0) + 1000)
  })

  it("outlives a restart, and not the plane's trust in that issuer", async () => {
    const first = await byIssuer()
    const second = await renewed(first)
    await restart(issuerOptions)
    expect([await whoIs(first), await whoIs(second)]).toEqual(["carol", "carol"])
    await restart({ ...issuerOptions, clientId: "another" })
    expect([await whoIs(first), await whoIs(second)]).toEqual([undefined, undefined])
  })
})
