// Loops and how they stand, one loop, and Stop: on a plane where much is wrong, with texts that
// would like to be more than text.

import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { heldLoop, hostileText, invalidLoop, observedLoop } from "./loops-rig.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"
import { tokenOf } from "./sign-in-rig.ts"

describe.skipIf(hasChromium.missing)("loops and stop", () => {
  let rig: DashboardRig
  let page: Page
  beforeAll(async () => {
    rig = await DashboardRig.open((plane) => plane.declareMany(5))
    page = rig.page
    await rig.plane.converged(5)
    await Promise.all([heldLoop(rig.plane), invalidLoop(rig.plane), observedLoop(rig.plane)])
    await rig.signIn()
  })
  afterAll(() => rig?.close())
  afterEach(() => rig.checkQuiet())

  const row = (name: string | RegExp) => page.getByRole("row", { name })
  const stops = async () => (await rig.plane.status()).stops

  it("shows how every loop stands, the worst first, and is usable by everyone", async () => {
    await row("default.site").getByText("Converged").waitFor()
    await row("default.held").getByText("Held", { exact: true }).waitFor()
    await row("default.held").getByRole("link", { name: "9 held" }).waitFor()
    await row("default.invalid").getByText("Source invalid").waitFor()
    expect(await row("default.site").textContent()).toContain("5 of 5")
    const names = await page.getByRole("row").allTextContents()
    const at = (name: string) => names.findIndex((text) => text.startsWith(name))
    expect(at("default.invalid")).toBeLessThan(at("default.held"))
    expect(at("default.held")).toBeLessThan(at("default.site"))
    expect(await page.title()).toBe("Overview · Setpoint")
    await checkAccessibility(rig, "overview")
  })

  it("shows drift that was put right, without a reload", async () => {
    rmSync(rig.plane.target("f0001"))
    await waitFor("it is back", async () => existsSync(rig.plane.target("f0001")))
    await row("default.site")
      .getByText(/^\s*[1-9]\d*$/)
      .waitFor()
  })

  it("is found through by keyboard alone", async () => {
    await page.keyboard.press("?")
    const keys = page.getByRole("dialog", { name: "Keys" })
    await keys.getByText("Filter or search on this page").waitFor()
    await checkAccessibility(rig, "keys")
    await page.keyboard.press("Escape")
    await keys.waitFor({ state: "detached" })
    await page.keyboard.press("/")
    await page.keyboard.type("held enf")
    await row("default.site").waitFor({ state: "detached" })
    expect(new URL(page.url()).searchParams.get("filter")).toBe("held enf")
    await page.keyboard.press("Tab")
    await page.getByRole("searchbox").fill("no such loop")
    await page.getByText('No loop matches "no such loop".').waitFor()
    await page.getByRole("searchbox").fill("held")
    await row("default.held").focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: /default\.held/ }).waitFor()
    await page.keyboard.press("g")
    await page.keyboard.press("o")
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  })

  it("shows one loop: source with file and line, budgets, windows and what it did", async () => {
    await rig.goto("/loops/default.invalid")
    await page
      .getByText(/broken\.yaml:\d+:\d+/)
      .first()
      .waitFor()
    await page.getByText("The last good revision stays in force.").waitFor()
    await page.getByText("0 used, 50 of 50 left").waitFor()
    await page.getByRole("heading", { name: "Recent activity" }).waitFor()
    await checkAccessibility(rig, "loop-invalid")
    await rig.goto("/loops/default.observed")
    await page.getByText("Europe/Berlin").waitFor()
    await page.getByRole("link", { name: "files/default/observed-a" }).first().waitFor()
    await checkAccessibility(rig, "loop-observed")
    await rig.goto("/loops/default.held")
    await page.getByRole("link", { name: /9 actions in / }).waitFor()
    await rig.screenshot("loop-held")
    await rig.goto("/loops/default.nowhere")
    await page.getByText("No such loop, or none that you may see.").waitFor()
  })

  it("looks at a loop when asked to", async () => {
    await rig.goto("/loops/default.site")
    await page.getByRole("button", { name: "Look now" }).click()
    const dialog = page.getByRole("dialog", { name: "Look at default.site now?" })
    await dialog.getByText("setpoint look default.site").waitFor()
    await dialog.getByRole("button", { name: "Look", exact: true }).click()
    await dialog.waitFor({ state: "detached" })
  })

  it("stops everything from any page, with a reason as text, and says who and when", async () => {
    await rig.goto("/loops/default.site")
    await page.getByRole("button", { name: "STOP", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Stop" })
    await dialog.getByLabel("Reason, for those who come later").fill(hostileText)
    await checkAccessibility(rig, "stop-dialog")
    await dialog.getByRole("button", { name: "Stop all acting" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await stops()).toMatchObject([{ loop: "*", scope: "all" }])
    expect(existsSync(join(rig.plane.data, "stop"))).toBe(true)
    const banner = page.getByRole("status").filter({ hasText: "Stopped: all acting, everywhere" })
    await banner.getByText("\u2039U+202E\u203agnp.exe").waitFor()
    expect(await page.title()).toBe("Loop · Setpoint")
    await page.getByRole("button", { name: "STOPPED" }).waitFor()
    await rig.goto("/stop")
    await page.getByRole("heading", { name: "In flight when it was stopped" }).waitFor()
    await checkAccessibility(rig, "stop")
    await rig.goto("/")
    await row("default.site").getByText("Stopped", { exact: true }).waitFor()
    await rig.screenshot("overview-stopped")
  })

  it("acts on nothing meanwhile, and resumes when somebody confirms it", async () => {
    rmSync(rig.plane.target("f0002"))
    await row("default.site").getByText("4 of 5").waitFor()
    await page.getByRole("button", { name: "Resume", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: /^Resume all acting/ })
    await dialog.getByText("setpoint resume").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await stops()).toHaveLength(1)
    expect(existsSync(rig.plane.target("f0002"))).toBe(false)
    await page.getByRole("button", { name: "Resume", exact: true }).click()
    await dialog.getByRole("button", { name: "Resume", exact: true }).click()
    await page.getByText("Stopped: all acting").first().waitFor({ state: "detached" })
    expect(await stops()).toEqual([])
    await row("default.site").getByText("5 of 5").waitFor()
  })

  it("stops only deletes of only one loop, by the key that is for it", async () => {
    await page.keyboard.press("!")
    const dialog = page.getByRole("dialog", { name: "Stop" })
    await dialog.getByLabel(/^Deletes only/).check()
    await dialog.getByLabel("Where").selectOption("default.held")
    await dialog.getByRole("button", { name: "Stop deletes" }).click()
    await page.getByText("Stopped: deletes in loop default.held").waitFor()
    expect(await stops()).toMatchObject([{ loop: "default.held", scope: "deletes" }])
    await page.getByRole("button", { name: "Resume", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }).click()
    await page.getByText("Stopped: deletes").first().waitFor({ state: "detached" })
  })

  it("shows those who may not stop or resume why they may not", async () => {
    await rig.plane.call("POST", "stop", { loop: "default.held", reason: "for a look" })
    const other = await rig.newPage(await rig.newContext())
    await other.goto(await rig.address())
    await other.getByLabel("Token", { exact: true }).fill(tokenOf(rig.plane, "helper", "service"))
    await other.getByRole("button", { name: "Sign in" }).click()
    const resume = other.getByRole("button", { name: "Resume", exact: true })
    await resume.waitFor()
    expect(await resume.getAttribute("aria-disabled")).toBe("true")
    expect(await resume.getAttribute("title")).toBe("Only people lift a stop.")
    await resume.click({ force: true })
    expect(await other.getByRole("dialog").count()).toBe(0)
    await other.context().close()
    await rig.plane.call("POST", "resume", { loop: "default.held" })
  })

  it("fits a small window on every page, with Stop in sight and nothing cut off", async () => {
    await page.setViewportSize({ width: 400, height: 800 })
    const [plan] = (await rig.plane.status()).loops.flatMap((loop) => loop.plan ?? [])
    const paths = [
      ...["/", "/loops/default.site", "/objects", "/plans", `/plans/${plan?.name}`, "/activity"],
      ...["/objects/files.host.setpoint.dev/default/f0000", "/journal", "/journal/default.site/1"],
      ...["/invariants", "/checkpoints", "/checkpoints/default.site/last-good", "/stop"],
    ]
    for (const path of paths) {
      await rig.goto(path)
      await page.getByRole("heading", { level: 1 }).waitFor()
      const stop = await page.getByRole("button", { name: "STOP", exact: true }).boundingBox()
      expect((stop?.y ?? 99) + (stop?.height ?? 0), path).toBeLessThan(60)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(wide, path).toBeLessThanOrEqual(0)
      await rig.screenshot(`small${path.replaceAll("/", "-").replace(/-$/, "-overview")}`)
    }
    await rig.goto("/objects")
    const name = page.getByRole("link", { name: "f0000", exact: true })
    const shown = await name.boundingBox()
    expect(shown?.width).toBeGreaterThan(30)
    expect((shown?.x ?? 400) + (shown?.width ?? 0)).toBeLessThan(400)
    await checkAccessibility(rig, "small-objects")
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it("keeps the theme that was chosen", async () => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    await page.getByRole("button", { name: "Theme: system" }).click()
    await page.getByRole("button", { name: "Theme: light" }).click()
    expect(await theme()).toBe("dark")
    await page.reload()
    await page.getByRole("button", { name: "Theme: dark" }).click()
    expect(await theme()).toBe("system")
  })
})
