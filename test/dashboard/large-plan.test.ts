// A plan of more actions than one page of the plane's answer: all of them can be read, few of them
// are in the page at a time.

import { afterAll, afterEach, beforeAll, describe, expect } from "vitest"
import { itInFull } from "../full.ts"
import { waitingPlan } from "./deciding-rig.ts"
import { DashboardRig, hasChromium } from "./rig.ts"

const count = 1300

describe.skipIf(hasChromium.missing || process.env.SETPOINT_TEST_FULL !== "1")(
  "a large plan",
  () => {
    let rig: DashboardRig
    beforeAll(async () => {
      rig = await DashboardRig.open((plane) => plane.declareMany(count), {
        args: ["--mode", "Propose"],
      })
      await rig.signIn()
    })
    afterAll(() => rig?.close())
    afterEach(() => rig.checkQuiet())

    itInFull("shows every action on the way from the first to the last", async () => {
      const plan = await waitingPlan(rig, count)
      await rig.goto(`/plans/${plan.name}`)
      const { page } = rig
      const list = page.getByRole("list", { name: `All ${count} actions` })
      const action = (name: string) => list.getByRole("article", { name: `create File ${name}` })
      await action("f0000").waitFor()
      expect(await list.getByRole("article").count()).toBeLessThan(60)
      const seen = new Set<string>()
      const note = async () => {
        for (const text of await list.locator(".plan-action-name").allTextContents()) seen.add(text)
      }
      // In steps of half of what is in sight, each drawn before the next: nothing is passed over.
      for (let step = 0; step < 5000 && seen.size < count; step++) {
        await note()
        await list.evaluate(async (box) => {
          box.scrollBy({ top: box.clientHeight / 2, behavior: "instant" })
          const frame = () => new Promise(requestAnimationFrame)
          await frame()
          await frame()
        })
      }
      expect(seen.size).toBe(count)
      await list.focus()
      await page.keyboard.press("Home")
      await action("f0000").waitFor()
      await page.keyboard.press("End")
      await action("f1299").waitFor()
      await rig.screenshot("plan-large")
    })
  },
)
