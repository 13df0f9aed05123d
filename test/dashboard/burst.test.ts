// Ten thousand objects that all change while one looks: the page stays usable, and shows them all.
// How long its frames took is printed, not judged: that is this machine's matter, too.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { manifestText } from "../e2e/plane/plane-rig.ts"
import { DashboardRig, hasChromium } from "./rig.ts"

const count = 10_000
const perFile = 1000

interface Frames {
  readonly gaps: number[]
  readonly from: number
}

describe.skipIf(hasChromium.missing)("ten thousand objects", () => {
  let rig: DashboardRig
  let page: Page
  beforeAll(async () => {
    rig = await DashboardRig.open(
      (plane) => {
        const texts = Array.from({ length: count }, (_, at) => {
          const name = `m${String(at).padStart(5, "0")}`
          return manifestText(name, { path: plane.target(name), content: `${at}\n` })
        })
        for (let at = 0; at < count; at += perFile) {
          const file = join(plane.site, `${at}.yaml`)
          writeFileSync(file, texts.slice(at, at + perFile).join("---\n"))
        }
      },
      // Every one is stored, looked at and reported on; nothing is written outside.
      { args: ["--mode", "Observe"] },
    )
    page = rig.page
    await rig.signIn()
  })
  afterAll(() => rig?.close())
  afterEach(() => rig.checkQuiet())

  it("appear as they come, at more than anybody could read", async () => {
    await rig.goto("/objects")
    await page.getByRole("heading", { level: 1, name: "Objects" }).waitFor()
    await page.evaluate(countFrames)
    const before = await rig.plane.status()
    const started = performance.now()
    await page.getByText(`${count.toLocaleString("en")} objects`).waitFor({ timeout: 120_000 })
    const seconds = (performance.now() - started) / 1000
    const after = await rig.plane.status()
    const { gaps } = (await page.evaluate("window.frames_")) as Frames
    console.log(framesText(gaps, (after.revision - before.revision) / seconds))
    expect(gaps.length).toBeGreaterThan(0)
  })

  it("are scrolled and searched through without being in the page", async () => {
    await page.getByRole("button", { name: "Open all" }).click()
    await page.getByRole("row", { name: /m00000/ }).waitFor()
    expect(await page.getByRole("row").count()).toBeLessThan(300)
    await page.getByRole("row", { name: /m00000/ }).focus()
    await page.keyboard.press("End")
    await page.getByRole("row", { name: /m09999/ }).waitFor()
    await rig.screenshot("ten-thousand")
    await page.getByRole("searchbox").fill("m04711")
    await page.getByRole("row", { name: /m04711/ }).waitFor()
    await page.getByRole("row", { name: /m09999/ }).waitFor({ state: "detached" })
  })

  it("are counted in the overview", async () => {
    await page.keyboard.press("Escape")
    await rig.goto("/")
    await page.getByRole("row", { name: "default.site" }).getByText("of 10,000").waitFor()
  })
})

/** In the page: how long it was from one frame to the next. */
function countFrames(): void {
  const gaps: number[] = []
  Object.assign(window, { frames_: { gaps, from: performance.now() } })
  let last = performance.now()
  const next = (now: number) => {
    gaps.push(now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
}

function framesText(gaps: readonly number[], perSecond: number): string {
  const long = gaps.filter((gap) => gap > 100)
  const worst = Math.round(Math.max(0, ...gaps))
  const rate = Math.round(perSecond)
  return `${rate} changes/s, ${gaps.length} frames, ${long.length} over 100 ms, worst ${worst} ms`
}
