// States to return to and what must always be true: made, compared, rolled back to with a preview,
// ended; broken and whole again, with what was kept back meanwhile.

import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { signedInAs } from "./deciding-rig.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"

const hostile = `<script>window.hurt=1</script>\u202eevil`
const invariants = { group: "setpoint.dev", version: "v1alpha1", resource: "invariants" } as const

describe.skipIf(hasChromium.missing)("checkpoints and invariants", () => {
  let rig: DashboardRig
  let page: Page

  beforeAll(async () => {
    rig = await DashboardRig.open((plane) => plane.declareMany(5))
    page = rig.page
    await rig.plane.converged(5)
    await rig.signIn()
  })
  afterAll(() => rig?.close())
  afterEach(() => rig.checkQuiet())

  const reads = (name: string, text: string) =>
    waitFor(`${name} reads ${text}`, () => readFileSync(rig.plane.target(name), "utf8") === text)
  const dialog = (on = page) => on.getByRole("dialog")

  it("are created, compared with now, and listed with who and why", async () => {
    await rig.goto("/checkpoints")
    await page.getByRole("button", { name: "Create a checkpoint" }).click()
    await dialog().getByLabel("Loop").selectOption("default.site")
    await dialog().getByLabel("Name").fill("No Name")
    expect(
      await dialog().getByRole("button", { name: "Create" }).getAttribute("aria-disabled"),
    ).toBe("true")
    await dialog().getByLabel("Name").fill("first")
    await dialog().getByLabel("Reason, for those who come later").fill(hostile)
    await dialog().getByRole("button", { name: "Create" }).click()
    const row = page.getByRole("row", { name: /^first default\.site/ })
    await row.waitFor()
    expect(await row.textContent()).toContain(
      "<script>window.hurt=1</script>\u2039U+202E\u203aevil",
    )
    expect(await page.evaluate(() => "hurt" in window)).toBe(false)
    await checkAccessibility(rig, "checkpoints")
    rig.plane.declare("f0001", "edited\n")
    await reads("f0001", "edited\n")
    await row.getByRole("link", { name: "first" }).click()
    await page.getByText("1 changed since").waitFor()
    const difference = page.getByRole("article", { name: "changed File f0001" })
    expect(await difference.textContent()).toContain("edited")
    await checkAccessibility(rig, "checkpoint")
  })

  it("are returned to after a look at what would change; later the source is used", async () => {
    await rig.goto("/checkpoints/default.site/first")
    await page.getByRole("button", { name: "Roll back to this ..." }).click()
    await dialog().getByRole("article", { name: "changed File f0001" }).waitFor()
    expect(await dialog().textContent()).toContain(
      "is set aside until the source shows another one",
    )
    expect(readFileSync(rig.plane.target("f0001"), "utf8")).toBe("edited\n")
    await checkAccessibility(rig, "rollback")
    await dialog().getByRole("button", { name: "Roll back: 1 changed" }).click()
    await page.getByRole("heading", { name: "Rolled back now" }).waitFor()
    await reads("f0001", "content 1\n")
    await checkAccessibility(rig, "rolled-back")
    const robo = await signedInAs(rig, "robo", "agent")
    await rig.goto("/checkpoints/default.site/first", robo)
    const refused = robo.getByRole("button", { name: "Roll back to this ..." })
    expect(await refused.getAttribute("title")).toBe("Only people roll back.")
    await robo.context().close()
    await page.getByRole("button", { name: "End the rollback" }).click()
    await dialog().getByRole("button", { name: "Use the source again" }).click()
    await reads("f0001", "edited\n")
    await page.getByRole("heading", { name: "Rolled back now" }).waitFor({ state: "detached" })
  })

  it("show an invariant broken, since when, by what, and whole again", async () => {
    await rig.goto("/invariants")
    await page.getByText("There is no invariant yet.").waitFor()
    await rig.plane.client.create(invariants, {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Invariant" },
      metadata: { name: "nobody-says-bad", namespace: "default" },
      spec: {
        ...{ loop: "site", kinds: ["File"], for: "0s", over: ["Observed"] },
        expression: "objects.all(o, o.spec.content != 'bad\\n')",
        message: `somebody says bad ${hostile}`,
      },
    })
    await page.getByText("All 1 hold.").waitFor()
    rig.plane.declare("f0002", "bad\n")
    await page.getByText("1 of 1 do not hold.").waitFor()
    const card = page.getByRole("region", { name: "nobody-says-bad" })
    await card.getByText("Broken", { exact: true }).waitFor()
    expect(await card.textContent()).toContain("somebody says bad <script>")
    expect(await card.textContent()).toContain("f0002")
    expect(await page.evaluate(() => "hurt" in window)).toBe(false)
    await checkAccessibility(rig, "invariant-broken")
    rig.plane.declare("f0002", "content 2\n")
    await page.getByText("All 1 hold.").waitFor()
    await card.getByRole("link", { name: "Its history" }).click()
    await page.getByText("invariant nobody-says-bad is Broken").first().waitFor()
  })

  it("show what an invariant keeps back", async () => {
    await rig.plane.client.create(invariants, {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Invariant" },
      metadata: { name: "keep-first", namespace: "default" },
      spec: {
        ...{ loop: "site", kinds: ["File"], over: ["Predicted"] },
        expression: "objects.all(o, o.spec.content != 'worse\\n')",
      },
    })
    await rig.goto("/invariants")
    await page.getByText("All 2 hold.").waitFor()
    rig.plane.declare("f0003", "worse\n")
    const card = page.getByRole("region", { name: "keep-first" })
    await card.getByRole("heading", { name: "Kept back because of it" }).waitFor()
    await card.getByRole("link", { name: /f0003/ }).waitFor()
    expect(readFileSync(rig.plane.target("f0003"), "utf8")).toBe("content 3\n")
    await checkAccessibility(rig, "invariant-keeps")
  })
})
