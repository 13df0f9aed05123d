// The journal in the browser: searched by every field, read record by record, verified; and the
// last fifteen minutes as charts that somebody who can't see them can read too.

import { writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { withdraw } from "./deciding-rig.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"

const files = 12

describe.skipIf(hasChromium.missing)("the journal", () => {
  let rig: DashboardRig
  let page: Page
  let names: readonly string[] = []

  beforeAll(async () => {
    rig = await DashboardRig.open((plane) => {
      names = plane.declareMany(files)
    })
    page = rig.page
    await rig.plane.converged(files)
    writeFileSync(rig.plane.target("f0003"), "drift <img src=x onerror=alert(1)>\n")
    await waitFor("the drift is healed", async () =>
      (await rig.plane.history("f0003")).some(
        ({ event }) => event.type === "receipt" && event.action.cause.kind === "drift",
      ),
    )
    await withdraw(rig, names.slice(0, 6))
    await rig.signIn()
  })
  afterAll(() => rig?.close())
  afterEach(() => rig.checkQuiet())

  const rows = () => page.getByRole("table").first().locator("tbody tr:not(.spacer)")
  const choice = (name: string) => page.getByRole("combobox", { name, exact: true })
  const object = () => page.getByRole("searchbox", { name: "Object" })
  const found = (text: string | RegExp) => page.getByRole("status").filter({ hasText: text })

  it("is searched by cause, verb, object and text, and the address keeps the search", async () => {
    await rig.goto("/journal")
    await rows().first().waitFor()
    await checkAccessibility(rig, "journal")
    await choice("Cause").selectOption("drift")
    await choice("Type").selectOption("receipt")
    await found(/^1 found/).waitFor()
    expect(await rows().first().textContent()).toContain("updated File f0003")
    expect(new URL(page.url()).search).toContain("cause=drift")
    await page.reload()
    await found(/^1 found/).waitFor()
    await page.getByRole("button", { name: "Clear" }).click()
    await object().fill("default/f0007")
    await object().press("Enter")
    await choice("Verb").selectOption("create")
    await choice("Type").selectOption("receipt")
    await found(/^1 found/).waitFor()
    await object().fill("no such thing <b>")
    await object().press("Enter")
    await page.getByText("No record is like that.").waitFor()
  })

  it("goes back in time page by page, and one record is shown whole", async () => {
    await rig.goto("/journal?loop=default.site&type=round")
    const held = rows().filter({ hasText: "judged 6 actions" })
    await held.first().waitFor()
    await held.first().getByRole("link").click()
    await page.getByRole("heading", { name: /^Record \d+ of default\.site$/ }).waitFor()
    const inputs = page.getByRole("region", { name: "What the guards judged by" })
    expect(await inputs.textContent()).toContain("12 targets")
    const said = page.getByRole("region", { name: "What they said" })
    expect(await said.textContent()).toContain("DeleteLimit")
    await checkAccessibility(rig, "record-round")
    await rig.goto("/journal?cause=drift&type=receipt")
    await rows().first().getByRole("link").click()
    const fields = page.getByRole("region", { name: "Fields" })
    await fields.getByText("drift <img src=x onerror=alert(1)>").waitFor()
    expect(await page.locator("main img").count()).toBe(0)
    await page.getByRole("link", { name: "Older" }).click()
    await page.getByRole("link", { name: "Newer" }).click()
    await fields.waitFor()
    await checkAccessibility(rig, "record")
  })

  it("is verified, and says from where", async () => {
    await rig.goto("/journal")
    await page.getByRole("button", { name: "Verify", exact: true }).click()
    await page.getByText(/^All \d+ journals are sound\.$/).waitFor()
    const row = page.getByRole("row", { name: /default\.site sound/ })
    expect(await row.textContent()).toMatch(/records 1 to \d+/)
  })

  it("has charts that are drawn, and the same numbers as a table", async () => {
    await rig.goto("/activity")
    const chart = page.getByRole("figure", { name: "Diff sets" })
    const drawn = () =>
      chart.locator(".plot-line").evaluateAll((paths) =>
        paths.flatMap((path) => {
          if (!(path instanceof SVGPathElement) || path.getAttribute("d") === "") return []
          return [getComputedStyle(path).stroke]
        }),
      )
    await waitFor("every line is drawn in a colour of its own", async () => {
      const colours = await drawn()
      return (colours.length === 6 && new Set(colours).size === 6) || colours.join("; ")
    })
    const area = (await chart.locator(".plot-area").boundingBox()) ?? { x: 0, y: 0, width: 0 }
    expect(await chart.locator(".plot-value").count()).toBeGreaterThan(1)
    // Files were made at some moment: there the line is highest, and who points there reads it.
    const top = await chart.locator(".plot-line.chart-1").evaluate((path) => {
      const points = [...(path.getAttribute("d") ?? "").matchAll(/[ML]([\d.]+) ([\d.]+)/g)]
      points.sort((one, other) => Number(one[2]) - Number(other[2]))
      return { x: Number(points[0]?.[1]), y: Number(points[0]?.[2]) }
    })
    expect(top.y).toBeGreaterThanOrEqual(0)
    expect(top.y).toBeLessThan(99)
    // The first and the last sample lie on the edge: a pointer there may be just outside.
    const inside = Math.min(Math.max((area.width * top.x) / 1000, 2), area.width - 2)
    await page.mouse.move(area.x + inside, area.y + 20)
    await chart.locator(".plot-cursor").waitFor({ state: "attached" })
    expect(await chart.locator(".legend li").first().textContent()).toMatch(/^creates [1-9]\d*$/)
    await page.mouse.move(10, 10)
    await chart.locator(".plot-cursor").waitFor({ state: "detached" })
    await chart.getByText("Diff sets as a table").click()
    const table = chart.getByRole("table")
    await table.getByRole("columnheader", { name: "deletes" }).waitFor()
    expect(await table.locator("tbody tr").count()).toBeGreaterThan(0)
    await page.getByRole("figure", { name: "Breakers" }).waitFor()
    await page.getByLabel("Loop").selectOption("default.site")
    await page.getByRole("figure", { name: "Time to converge" }).waitFor()
    await checkAccessibility(rig, "activity")
  })
})
