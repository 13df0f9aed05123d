// Ways in and out: a link, a token, an issuer; a session that ends while one looks; and a plane
// that is killed and comes back.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"
import { revokeToken } from "../../src/plane/adapters/token-file.ts"
import { OidcIssuerServer } from "../fixtures/oidc-issuer.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"
import { tokenOf } from "./sign-in-rig.ts"

describe.skipIf(hasChromium.missing)("signing in", () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-"))
  const args: string[] = []
  let issuer: OidcIssuerServer
  let rig: DashboardRig
  let page: Page
  let address: string
  beforeAll(async () => {
    const authority = openAuthority({ directory, random: systemRandom, now: systemClock.now })
    issuer = await OidcIssuerServer.open(authority.server(["127.0.0.1"]))
    const authorityFile = join(directory, "issuer.pem")
    writeFileSync(authorityFile, authority.certificate)
    args.push("--oidc-issuer", issuer.url, "--oidc-client-id", "dashboard")
    args.push("--oidc-username-claim", "name", "--oidc-ca-file", authorityFile)
    args.push("--oidc-username-prefix", "-")
    rig = await DashboardRig.open((plane) => plane.declareMany(3), { args })
    page = rig.page
    await rig.plane.converged(3)
    address = await rig.address()
  })
  afterAll(async () => {
    await rig?.close()
    issuer?.close()
    rmSync(directory, { recursive: true, force: true })
  })
  afterEach(() => rig.checkQuiet())

  const signedIn = (who: string) => page.getByText(who, { exact: true }).waitFor()
  const signOut = async (from = page) => {
    await from.getByRole("button", { name: "Sign out" }).click()
    await from.getByRole("heading", { name: "With a token" }).waitFor()
  }
  const useToken = async (token: string) => {
    await page.getByLabel("Token", { exact: true }).fill(token)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
  }

  it("shows the ways in, and nothing else, to those who are not signed in", async () => {
    await page.goto(`${address}/loops/default.site`)
    await page.getByRole("heading", { name: "With a link" }).waitFor()
    await page.getByRole("link", { name: /^Sign in with 127\.0\.0\.1/ }).waitFor()
    expect(await page.getByRole("button", { name: "STOP" }).count()).toBe(0)
    await checkAccessibility(rig, "sign-in")
  })

  it("lets a token in, to the page that was asked for, and nobody by a wrong one", async () => {
    rig.expectTrouble(/401 \(Unauthorized\).*dashboard\/sign-in/)
    await useToken("spt_wrong")
    await page.getByText("nobody is known by this token").waitFor()
    await page.getByText("SPT-API-055").waitFor()
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe("")
    await useToken(tokenOf(rig.plane, "bob"))
    await signedIn("bob")
    await page.getByRole("heading", { level: 1, name: /default\.site/ }).waitFor()
  })

  it("shows the sign-in page when the session ends, and comes back to where one was", async () => {
    rig.expectTrouble(/401 \(Unauthorized\)/)
    revokeToken(rig.plane.data, "bob")
    await page.getByText("Your session has ended.").waitFor()
    await rig.screenshot("session-ended")
    await useToken(tokenOf(rig.plane, "carla"))
    await signedIn("carla")
    await page.getByRole("heading", { level: 1, name: /default\.site/ }).waitFor()
    await signOut()
    expect(await page.getByText("Your session has ended.").count()).toBe(0)
  })

  it("stays signed in, whatever answer of before comes late", async () => {
    rig.expectTrouble(/401 \(Unauthorized\)/)
    await useToken(tokenOf(rig.plane, "dora"))
    await signedIn("dora")
    const late = Promise.withResolvers<void>()
    let isFirst = true
    const delivered = Promise.withResolvers<void>()
    await page.route("**/dashboard/session", async (route) => {
      const answer = await route.fetch()
      if (isFirst) {
        isFirst = false
        await late.promise
        await route.fulfill({ response: answer })
        delivered.resolve()
      } else await route.fulfill({ response: answer })
    })
    revokeToken(rig.plane.data, "dora")
    await page.getByText("Your session has ended.").waitFor()
    await useToken(tokenOf(rig.plane, "erin"))
    await signedIn("erin")
    late.resolve()
    await delivered.promise
    await page.unroute("**/dashboard/session")
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    await signedIn("erin")
  })

  it("asks nothing more as somebody who signed out", async () => {
    const held = Promise.withResolvers<void>()
    const out = Promise.withResolvers<void>()
    await page.route("**/setpoint/v1/status", async (route) => {
      held.resolve()
      await out.promise
      await route.continue().catch(() => {}) // Let go of meanwhile.
    })
    await held.promise
    await signOut()
    out.resolve()
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    await page.unroute("**/setpoint/v1/status")
  })

  it("opens by a link once, and says what is wrong with a used one", async () => {
    const link = await rig.link()
    await page.goto(link)
    await page.getByRole("button", { name: "Sign out" }).waitFor()
    await signOut()
    await page.goto(link)
    await page.getByText("This link was used before").waitFor()
  })

  it("signs in by way of an issuer, and out again", async () => {
    const context = await rig.newContext({ ignoreHTTPSErrors: true })
    const other = await rig.newPage(context)
    await other.goto(address)
    await other.getByRole("link", { name: /^Sign in with/ }).click()
    await other.getByRole("link", { name: "I agree" }).click()
    await other.getByText("carol", { exact: true }).waitFor()
    const cookies = await context.cookies()
    expect(cookies.filter(({ httpOnly }) => !httpOnly)).toEqual([])
    expect(JSON.stringify(await other.evaluate(() => ({ ...localStorage })))).not.toContain("ey")
    await signOut(other)
    // What was used once does not sign in again.
    await other.goto(`${address}/dashboard/oidc/callback?code=a&state=b`)
    await other.getByText("The issuer did not let you in").waitFor()
    await context.close()
  })

  it("keeps what it shows, marked as old, while the plane is gone, and finds back", async () => {
    await rig.signIn()
    await rig.goto("/")
    const row = page.getByRole("row", { name: "default.site" })
    await row.getByText("3 of 3").waitFor()
    await page.evaluate(() => Object.assign(window, { before: true }))
    rig.expectTrouble(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_FAILED/)
    await rig.plane.end("SIGKILL")
    await page.getByText("The plane does not answer.").waitFor()
    await page.getByText("No connection", { exact: true }).waitFor()
    await row.getByText("3 of 3").waitFor()
    await checkAccessibility(rig, "plane-lost")
    rig.plane.declare("more", "while it was away\n")
    await rig.plane.start({ args })
    await page.getByText("The plane does not answer.").waitFor({ state: "detached" })
    await row.getByText("4 of 4").waitFor()
    expect(await page.evaluate(() => "before" in window)).toBe(true)
    await page.getByRole("button", { name: "Sign out" }).waitFor()
  })

  it("is painted at once on this host", async () => {
    const paints: number[] = []
    for (let at = 0; at < 3; at++) {
      await rig.goto("/")
      await page.getByRole("row", { name: "default.site" }).waitFor()
      // What is in the page is noted as painted a frame later.
      const paint = await page.waitForFunction(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      )
      paints.push(Math.round((await paint.jsonValue()) ?? 0))
    }
    console.log(`first paint: ${paints.join(", ")} ms`)
    expect(paints).toHaveLength(3)
  })
})
