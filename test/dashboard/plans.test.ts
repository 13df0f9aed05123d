// Gate: a person decides on exactly what the page shows. What goes stale while it is open can't be
// approved any more and says why; a click that races is refused by the plane, by name.

import { existsSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { fileResource, loopResource } from "../e2e/plane/plane-rig.ts"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { phaseOf, restore, signedInAs, tabTo, waitingPlan, withdraw } from "./deciding-rig.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"

const files = 20
const hostile = `</script><img src=x onerror="window.hurt=1">\u202etxt.exe\u001b[31m`

/** Lets everybody go on once so many came. */
function meeting(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>()
  let came = 0
  return () => {
    came += 1
    if (came === count) all.resolve()
    return all.promise
  }
}

describe.skipIf(hasChromium.missing)("plans", () => {
  let rig: DashboardRig
  let names: readonly string[] = []
  let page: Page

  beforeAll(async () => {
    rig = await DashboardRig.open((plane) => {
      names = plane.declareMany(files)
    })
    page = rig.page
    await rig.plane.converged(files)
    await rig.signIn()
  })
  afterAll(() => rig?.close())
  afterEach(() => rig.checkQuiet())

  const some = (from: number, count: number) => names.slice(from, from + count)
  const left = () => names.filter((name) => existsSync(rig.plane.target(name))).length
  const approve = (on = page) => on.getByRole("button", { name: "Approve", exact: true })
  const done = (on: Page, count: number) =>
    on.getByRole("status").filter({ hasText: `${count} of ${count} done` })
  const dialog = (on = page) => on.getByRole("dialog")
  const open = async (name: string, on = page) => {
    await rig.goto(`/plans/${name}`, on)
    await on.getByRole("heading", { name: `Plan ${name}` }).waitFor()
    await approve(on).waitFor()
  }

  it("are approved with counts repeated, the safe answer focused, followed to Done", async () => {
    const plan = await withdraw(rig, some(0, 8))
    await rig.goto("/plans")
    const row = page.getByRole("row", { name: new RegExp(plan.name) })
    await row.getByText("8 deletes").waitFor()
    expect(await row.textContent()).toContain("8 of 20 targets")
    await checkAccessibility(rig, "plans")
    await row.getByRole("link").click()
    await page.getByText("8 of 20 targets would be deleted").first().waitFor()
    expect(await page.locator("#plan-hash").textContent()).toBe(plan.hash)
    const actions = page.getByRole("article")
    await actions.first().waitFor()
    expect(await actions.count()).toBe(8)
    expect(await actions.first().textContent()).toContain(rig.plane.target("f0000"))
    await checkAccessibility(rig, "plan")
    await approve().click()
    await dialog().getByText("8 deletes", { exact: true }).waitFor()
    expect(await dialog().textContent()).toContain(plan.hash)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel")
    await checkAccessibility(rig, "plan-approve")
    await dialog().getByRole("button", { name: "Approve 8 deletes" }).click()
    await done(page, 8).waitFor()
    await page.getByText("Done", { exact: true }).first().waitFor()
    await page
      .getByText(/done in \d+ ms/)
      .first()
      .waitFor()
    expect(left()).toBe(12)
    await checkAccessibility(rig, "plan-done")
    await rig.goto("/plans")
    await page.getByText("Nothing waits for a person.").waitFor()
  })

  it("are rejected, and then nothing of them happens", async () => {
    await restore(rig, files)
    const plan = await withdraw(rig, some(0, 4))
    await open(plan.name)
    await page.getByRole("button", { name: "Reject" }).click()
    await dialog().getByRole("button", { name: "Reject 4 deletes" }).click()
    await page.getByText("Rejected", { exact: true }).waitFor()
    expect(await phaseOf(rig, plan.name)).toBe("Rejected")
    expect(left()).toBe(files)
    await page
      .getByText(/rejected by/)
      .first()
      .waitFor()
    expect(await approve().getAttribute("aria-disabled")).toBe("true")
  })

  it("say at once when a covered target changed, disable Approve, and name what did", async () => {
    await restore(rig, files)
    const plan = await withdraw(rig, some(4, 5))
    await open(plan.name)
    writeFileSync(rig.plane.target("f0005"), "changed while it was open\n")
    const alert = page.getByRole("alert")
    await alert.getByText("This plan was replaced while you looked at it.").waitFor()
    const said = (await alert.textContent()) ?? ""
    expect(said).toContain(rig.plane.target("f0005"))
    expect(said).toContain("the target changed")
    expect(said).not.toContain("f0006")
    expect(await approve().getAttribute("aria-disabled")).toBe("true")
    await approve().click({ force: true })
    expect(await dialog().count()).toBe(0)
    await checkAccessibility(rig, "plan-stale")
    const next = await waitingPlan(rig, 5)
    expect(next.name).not.toBe(plan.name)
    await alert.getByRole("link", { name: `plan ${next.name}` }).click()
    await page.getByRole("heading", { name: `Plan ${next.name}` }).waitFor()
    await waitFor("Approve", async () => (await approve().getAttribute("aria-disabled")) === null)
  })

  it("show what the plane refuses when the click is faster than the news", async () => {
    await restore(rig, files)
    const plan = await withdraw(rig, some(4, 5))
    await open(plan.name)
    await approve().click()
    const confirm = dialog().getByRole("button", { name: "Approve 5 deletes" })
    await confirm.waitFor()
    // From now on nothing of the plane's news reaches this page but the answer to its decision.
    const news = /\/setpoint\/v1\/|watch=1/
    await page.route(news, () => {})
    rig.expectTrouble(/409/)
    writeFileSync(rig.plane.target("f0006"), "changed before the click\n")
    await confirm.click()
    const refusal = dialog().getByRole("alert")
    await refusal.getByText("SPT-PLAN-004").waitFor()
    expect(await refusal.textContent()).toContain(rig.plane.target("f0006"))
    expect(left()).toBe(files)
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await rig.goto("/plans")
  })

  it("go stale when the source declares it again while the page is open", async () => {
    await restore(rig, files)
    const plan = await withdraw(rig, some(10, 4))
    await open(plan.name)
    rig.plane.declare("f0010", "content 10\n")
    const alert = page.getByRole("alert")
    await alert.getByText(/gone/).waitFor()
    expect(await alert.textContent()).toContain("it is not waiting any more")
    expect(await approve().getAttribute("aria-disabled")).toBe("true")
    await restore(rig, files)
    await alert.getByText("Nothing of this loop waits now.").waitFor()
  })

  it("are approved once when two browsers click, and the second reads why not", async () => {
    const plan = await withdraw(rig, some(0, 3))
    const other = await signedInAs(rig, "bea", "human")
    await Promise.all([open(plan.name), open(plan.name, other)])
    await Promise.all([approve().click(), approve(other).click()])
    rig.expectTrouble(/409/)
    // Both have clicked before the plane hears of either: else the slower one finds it decided.
    const meet = meeting(2)
    for (const one of [page, other]) {
      await one.route(/\/plans\/[^/]+\/approval$/, async (route) => {
        await meet()
        await route.continue()
      })
    }
    const confirms = [page, other].map((one) =>
      dialog(one).getByRole("button", { name: "Approve 3 deletes" }).click(),
    )
    await Promise.all(confirms)
    await waitFor("it is done", async () => (await phaseOf(rig, plan.name)) === "Done")
    const said = async (one: Page) => (await one.getByText("SPT-PLAN-010").count()) > 0
    await waitFor("one is refused", async () => (await said(page)) !== (await said(other)))
    for (const one of [page, other]) await done(one, 3).waitFor()
    expect([await said(page), await said(other)].sort()).toEqual([false, true])
    expect(left()).toBe(files - 3)
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await other.context().close()
  })

  it("need two people when the loop says so, and tell agents why they can't", async () => {
    await restore(rig, files)
    const loop = { ...loopResource, namespace: "default", name: "site" }
    await rig.plane.client.patch(loop, "merge", { spec: { approvals: { required: 2 } } })
    const plan = await withdraw(rig, some(0, 3))
    const robo = await signedInAs(rig, "robo", "agent")
    await open(plan.name, robo)
    await robo.getByText("robo is an agent, and only people decide").first().waitFor()
    expect(await approve(robo).getAttribute("aria-disabled")).toBe("true")
    await checkAccessibility(rig, "plan-agent", robo)
    await open(plan.name)
    await page.getByText("2 different people, 0 so far").waitFor()
    await approve().click()
    await dialog().getByRole("button", { name: "Approve 3 deletes" }).click()
    await page.getByText("Approved, 1 of 2").waitFor()
    await page
      .getByText(/approved it already/)
      .first()
      .waitFor()
    expect(left()).toBe(files)
    const carl = await signedInAs(rig, "carl", "human")
    await open(plan.name, carl)
    await carl.getByText("Approved by", { exact: true }).waitFor()
    await approve(carl).click()
    await dialog(carl).getByRole("button", { name: "Approve 3 deletes" }).click()
    await done(carl, 3).waitFor()
    await done(page, 3).waitFor()
    expect(left()).toBe(files - 3)
    for (const one of [robo, carl]) await one.context().close()
  })

  it("show the exact difference as text, whatever it says; a part may be approved", async () => {
    const { client } = rig.plane
    const loop = { ...loopResource, namespace: "default", name: "default" }
    await client.patch(loop, "merge", { spec: { mode: "Propose" } })
    for (const name of ["one", "two"]) {
      await client.create(fileResource, {
        ...{ apiVersion: "host.setpoint.dev/v1", kind: "File" },
        metadata: { name, namespace: "default" },
        spec: { path: `${rig.plane.target(name)}<b>&amp;`, content: `${name}\n${hostile}\n` },
      })
    }
    const plan = await waitingPlan(rig, 2, "default.default")
    await open(plan.name)
    const one = page.getByRole("article", { name: "create File one" })
    await one.getByText("\u2039U+202E\u203a").waitFor()
    expect(await one.textContent()).toContain('<img src=x onerror="window.hurt=1">')
    expect(await page.evaluate(() => "hurt" in window)).toBe(false)
    expect(await page.locator("main img, main script, main b").count()).toBe(0)
    await page.getByText("Asked by", { exact: true }).waitFor()
    await checkAccessibility(rig, "plan-hostile")
    await one.getByRole("checkbox").check()
    await page.getByRole("button", { name: "Approve the chosen: 1 create" }).click()
    await dialog().getByText("of the plan's 2 creates").waitFor()
    await dialog().getByRole("button", { name: "Approve 1 create" }).click()
    await done(page, 1).waitFor()
    const exists = (name: string) => existsSync(`${rig.plane.target(name)}<b>&amp;`)
    expect([exists("one"), exists("two")]).toEqual([true, false])
    const rest = await waitingPlan(rig, 1, "default.default")
    expect(rest.name).not.toBe(plan.name)
  })

  it("are found, read and approved by keyboard alone", async () => {
    const rest = await waitingPlan(rig, 1, "default.default")
    await rig.goto("/")
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await page.keyboard.press("g")
    await page.keyboard.press("p")
    await page.getByRole("link", { name: rest.name }).waitFor()
    await tabTo(page, new RegExp(`^${rest.name}`))
    await page.keyboard.press("Enter")
    await approve().waitFor()
    await tabTo(page, /^Approve$/)
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "detached" })
    await tabTo(page, /^Approve$/)
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await done(page, 1).waitFor()
  })
})
