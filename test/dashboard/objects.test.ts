// Every object as a tree of owners, and one object with everything about it: on a real plane, by
// keyboard and by mouse, while things change.

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { killAllBelow } from "../../src/providers/process/adapter/testing/process-rig.ts"
import { fileResource, type PlaneRig } from "../e2e/plane/plane-rig.ts"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { signedInAs } from "./deciding-rig.ts"
import { checkAccessibility, DashboardRig, hasChromium } from "./rig.ts"

const hostile = `<img src=x onerror="window.hurt=1">\u202etxt.exe\u001b[31m\nsecond line\n`
const tick = "i=0; while :; do i=$((i+1)); echo tick $i; printf '\\033[31mred\\n'; sleep 0.3; done"
const files = "files.host.setpoint.dev/default"
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
const text = (...more: string[]) => `${[...lines, ...more].join("\n")}\n`

function declare(plane: PlaneRig): void {
  plane.declareMany(3)
  plane.declare("config", text())
  plane.declare("hostile", hostile)
  const write = (name: string, object: object) =>
    writeFileSync(plane.manifest(name), JSON.stringify(object))
  write("copy", {
    ...{ apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name: "copy" } },
    spec: {
      path: plane.target("copy"),
      contentFrom: { kind: "File", name: "f0000", field: "spec.content" },
    },
  })
  write("web", {
    ...{ apiVersion: "process.setpoint.dev/v1", kind: "ProcessSet", metadata: { name: "web" } },
    spec: { replicas: 2, template: { command: ["sh", "-c", tick] } },
  })
}

describe.skipIf(hasChromium.missing)("objects", () => {
  let rig: DashboardRig
  let page: Page
  beforeAll(async () => {
    rig = await DashboardRig.open(declare)
    page = rig.page
    await rig.plane.converged(9)
    await rig.signIn()
  })
  afterAll(async () => {
    if (rig === undefined) return
    // They outlive a plane that is killed.
    await rig.plane.end("SIGKILL")
    killAllBelow(join(rig.plane.data, "processes"))
    await rig.close()
  })
  afterEach(() => rig.checkQuiet())

  const row = (name: string | RegExp) => page.getByRole("row", { name })
  const tab = (name: string) => page.getByRole("tab", { name })
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "")
  const open = async (key: string) => {
    await rig.goto(`/objects/${key}`)
    await tab("Commands").waitFor()
  }
  const field = (path: string) => page.locator(`tr[data-field="${path}"]`)

  it("are a tree: loops, kinds, objects, and below an object what it owns", async () => {
    await rig.goto("/objects")
    await row(/^web 2 Ready/).waitFor()
    const tree = await page.getByRole("treegrid").evaluate((grid) =>
      [...grid.querySelectorAll("tbody tr[role=row]")].map((line) => {
        const name = line.querySelector("a, .tree-loop, .tree-kind")?.textContent ?? ""
        return `${line.getAttribute("aria-level")} ${name.replace(/^web-.*-/, "web-")}`
      }),
    )
    expect(tree).toEqual([
      ...["1 default.site", "2 File", "3 config", "3 copy", "3 f0000", "3 f0001", "3 f0002"],
      ...["3 hostile", "2 ProcessSet", "3 web", "4 web-0", "4 web-1"],
    ])
    await row(/^copy/).getByRole("link", { name: "f0000" }).waitFor()
    await checkAccessibility(rig, "objects")
  })

  it("are reached by keys alone", async () => {
    await rig.goto("/objects")
    await row(/^web 2 Ready/).waitFor()
    await page.getByRole("treegrid").locator("tr[tabindex='0']").focus()
    await page.keyboard.press("Home")
    await waitFor("the first line", async () => (await focused()).startsWith("default.site"))
    for (const key of ["ArrowDown", "ArrowLeft", "ArrowDown"]) await page.keyboard.press(key)
    await waitFor("the next kind", async () => (await focused()).startsWith("ProcessSet"))
    expect(await row(/^config/).count()).toBe(0)
    for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key)
    await waitFor("its first child", async () => (await focused()).startsWith("web-"))
    await page.keyboard.press("ArrowLeft")
    await waitFor("its owner", async () => (await focused()).startsWith("web2"))
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "web" }).waitFor()
    expect(new URL(page.url()).pathname).toBe(
      "/objects/processsets.process.setpoint.dev/default/web",
    )
  })

  it("are filtered by what the address says, and come and go by themselves", async () => {
    await rig.goto("/objects?q=f00")
    await row(/^f0001/).waitFor()
    await page.getByText("3 of 9 objects").waitFor()
    expect(await row(/^config/).count()).toBe(0)
    rig.plane.declare("f0099", "new\n")
    await row(/^f0099 Ready/).waitFor()
    await page.getByRole("searchbox", { name: "Search objects" }).fill("f0099")
    await page.getByText("1 of 10 objects").waitFor()
    await page.reload()
    await page.getByText("1 of 10 objects").waitFor()
    rmSync(rig.plane.manifest("f0099"))
    await page.getByText("No object matches.").waitFor()
    await page.getByRole("button", { name: "Show all" }).first().click()
    await page.getByRole("button", { name: /^Ready 9/ }).click()
    expect(new URL(page.url()).search).toBe("?state=Ready")
    await page.getByRole("combobox", { name: "Kind" }).selectOption({ label: "ProcessSet" })
    await page.getByText("1 of 9 objects").waitFor()
  })

  it("show drift as it happens, line by line, and what was done about it", async () => {
    await open(`${files}/config`)
    await page.getByText("Every field that is declared is so.").waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("combobox").selectOption("1 day")
    await dialog.getByLabel(/Reason/).fill("we look at it")
    await dialog.getByRole("button", { name: "Pause" }).click()
    const resume = page.getByRole("main").getByRole("button", { name: "Resume" })
    await resume.waitFor()
    writeFileSync(rig.plane.target("config"), text("somebody was here"))
    await field("content").getByText("Drift").waitFor()
    await page.locator("ins, del").filter({ hasText: "somebody was here" }).waitFor()
    expect(await page.getByText("line 3", { exact: true }).count()).toBe(0)
    await page
      .getByText(/we look at it/)
      .first()
      .waitFor()
    await checkAccessibility(rig, "object-drift")
    await resume.click()
    await dialog.getByRole("button", { name: "Resume" }).click()
    await field("content").getByText("Same").waitFor()
    expect(readFileSync(rig.plane.target("config"), "utf8")).toBe(text())
    await tab("Timeline").click()
    const causes = () =>
      page
        .locator(".timeline > li")
        .evaluateAll((items) => items.map((item) => item.getAttribute("data-cause")))
    await waitFor("both causes", async () => {
      const found = await causes()
      return (found.includes("drift") && found.includes("edit")) || found.join(" ")
    })
    const drift = page.locator("li[data-cause=drift]").first()
    expect(await drift.textContent()).toContain("somebody was here")
    const edit = page.locator("li[data-cause=edit]").first()
    expect(await edit.textContent()).toMatch(/Created.*site\/config\.yaml.*revision [0-9a-f]{12}/)
    await checkAccessibility(rig, "object-timeline")
  })

  it("show hostile values as text, and what can't be seen as what it is", async () => {
    await open(`${files}/hostile`)
    const cell = field("content").locator("code.value").first()
    await cell.waitFor()
    expect(await cell.textContent()).toContain(
      '<img src=x onerror="window.hurt=1">\u2039U+202E\u203atxt.exe\u2039U+001B\u203a[31m',
    )
    await tab("Timeline").click()
    await page.locator("li[data-cause=edit]").first().waitFor()
    expect(await page.evaluate(() => Reflect.get(window, "hurt"))).toBeUndefined()
    expect(await page.locator("main img").count()).toBe(0)
    const all = (await page.locator("main").textContent()) ?? ""
    expect(["\u202e", "\u001b"].filter((mark) => all.includes(mark))).toEqual([])
    await rig.goto(`/objects/${encodeURIComponent('<img src=x onerror="window.hurt=1">')}/x/y`)
    rig.expectTrouble(/404|400/)
    await page.getByRole("alert").first().waitFor()
    expect(await page.evaluate(() => Reflect.get(window, "hurt"))).toBeUndefined()
  })

  it("follow what a process writes", async () => {
    await rig.goto("/objects?q=web-")
    await page.getByRole("link", { name: /^web-/ }).first().click()
    await tab("Log").click()
    const log = page.getByRole("log")
    await log.getByText(/tick \d/).waitFor()
    const count = async () => ((await log.textContent()) ?? "").match(/tick \d+/g)?.length ?? 0
    const before = await count()
    await waitFor("more of it", async () => (await count()) > before || (await count()))
    expect(await log.textContent()).toContain("\u2039U+001B\u203a[31mred")
    await checkAccessibility(rig, "object-log")
  })

  it("name their ties in both directions, and lead there", async () => {
    await open("processsets.process.setpoint.dev/default/web")
    await tab("Ties").click()
    const owns = page.getByRole("region", { name: "Owns" })
    expect(await owns.getByRole("link").count()).toBe(2)
    await checkAccessibility(rig, "object-ties")
    await owns.getByRole("link").first().click()
    await page.getByRole("link", { name: "ProcessSet web" }).waitFor()
    await open(`${files}/f0000`)
    await tab("Ties").click()
    const takers = page.getByRole("region", { name: "Gives values to" })
    await takers.getByRole("link", { name: "File copy" }).click()
    await page.getByRole("heading", { level: 1, name: "copy" }).waitFor()
    await tab("Commands").click()
    await page.getByText("kubectl get files.host.setpoint.dev copy -n default -o yaml").waitFor()
  })

  it("are adopted by a person, and not by an agent", async () => {
    writeFileSync(rig.plane.target("old"), "it was here before\n")
    rig.plane.declare("old", "ours\n")
    await rig.goto("/objects?q=old")
    await row(/^old Held/).waitFor()
    await page.getByRole("link", { name: "old" }).click()
    await field("content").getByText("Adopt").waitFor()
    const agent = await signedInAs(rig, "helper", "agent")
    await rig.goto(new URL(page.url()).pathname, agent)
    const offered = agent.getByRole("main").getByRole("button", { name: "Adopt" })
    await waitFor(
      "it may not",
      async () => (await offered.getAttribute("aria-disabled")) === "true",
    )
    await agent.context().close()
    await page.getByRole("main").getByRole("button", { name: "Adopt" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Adopt" }).click()
    await field("content").getByText("Same").waitFor()
    expect(readFileSync(rig.plane.target("old"), "utf8")).toBe("ours\n")
    await tab("Timeline").click()
    await page
      .locator("li[data-cause=adopt]")
      .first()
      .getByText(/\(by (?!the engine)/)
      .waitFor()
  })

  it("can be released by those who may, and say why others can't", async () => {
    await open(`${files}/f0001`)
    const release = page.getByRole("button", { name: "Release" })
    expect(await release.getAttribute("aria-disabled")).toBe("true")
    expect(await release.getAttribute("title")).toContain("take it out of the source first")
    const path = rig.plane.target("mine")
    const mine = {
      ...{ apiVersion: "host.setpoint.dev/v1", kind: "File" },
      ...{ metadata: { name: "mine" }, spec: { path, content: "mine\n" } },
    }
    await rig.plane.client.call("POST", "/apis/host.setpoint.dev/v1/namespaces/default/files", mine)
    await open(`${files}/mine`)
    await field("content").getByText("Same").waitFor()
    await page.getByRole("button", { name: "Release" }).click()
    const dialog = page.getByRole("dialog")
    rig.expectTrouble(/400|422/)
    await dialog.getByRole("button", { name: "Release" }).click()
    await dialog.getByRole("alert").getByText("SPT-OWN-002").waitFor()
    await dialog.getByLabel(/Reason/).fill("handed over")
    await dialog.getByRole("button", { name: "Release" }).click()
    await page.getByText("none: it is stored and not acted on").waitFor()
    expect(readFileSync(path, "utf8")).toBe("mine\n")
    await tab("Timeline").click()
    await page.locator("li[data-cause=release]").getByText("handed over").waitFor()
  })

  it("may have names that mean something else, or are as long as names can be", async () => {
    const long = `${"long-name.".repeat(24)}end`
    const names = ["constructor", "1e9", "0", long]
    for (const [at, name] of names.entries()) {
      await rig.plane.client.create(fileResource, {
        ...{ apiVersion: "host.setpoint.dev/v1", kind: "File" },
        metadata: { name, namespace: "default" },
        spec: { path: rig.plane.target(`named-${at}`), content: `${name}\n` },
      })
    }
    for (const name of names) {
      await rig.goto(`/objects?q=${name}`)
      await page.getByRole("link", { name, exact: true }).click()
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
      await page.getByText("Ready", { exact: true }).first().waitFor()
      for (const one of ["Timeline", "Events", "Ties", "Fields"]) await tab(one).click()
      await field("content").waitFor()
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(wide, name).toBeLessThanOrEqual(0)
    }
    await checkAccessibility(rig, "object-long-name")
  })
})
