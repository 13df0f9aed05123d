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
  const signOut = async () => {
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "With a token" }).waitFor()
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
    // A question that was under way is answered to nobody.
    rig.expectTrouble(/401 \(Unauthorized\)/)
    await other.getByRole("button", { name: "Sign out" }).click()
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
      const first = await page.evaluate(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1,
      )
      paints.push(Math.round(first))
    }
    console.log(`first paint: ${paints.join(", ")} ms`)
    expect(paints.every((one) => one >= 0)).toBe(true)
  })
})
