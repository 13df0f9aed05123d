// What tests of decisions need besides a rig: plans that wait, other people's tokens, and a second
// browser for somebody else.

import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import type { PlanView } from "../e2e/plane/views.ts"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { program } from "../program.ts"
import type { DashboardRig } from "./rig.ts"

/** The plan that waits, once it holds so many actions. */
export async function waitingPlan(
  rig: DashboardRig,
  actions: number,
  loop = rig.plane.loop,
): Promise<PlanView> {
  let found: PlanView | undefined
  await waitFor(`a plan of ${actions} actions`, async () => {
    const { plans } = (await rig.plane.call("GET", "plans")) as object as { plans: PlanView[] }
    const waits = ({ phase }: PlanView) => phase === "Pending" || phase === "Approved"
    found = plans.find((plan) => plan.loop === loop && waits(plan))
    return found?.actionCount === actions || (found?.summary ?? "no plan")
  })
  if (found === undefined) throw new Error("no plan")
  return found
}

/** Takes the manifests of these away: too many to go without a person. */
export async function withdraw(rig: DashboardRig, names: readonly string[]): Promise<PlanView> {
  for (const name of names) rmSync(rig.plane.manifest(name))
  return waitingPlan(rig, names.length)
}

/** Everything declared again, and nothing waiting. */
export async function restore(rig: DashboardRig, count: number): Promise<void> {
  rig.plane.declareMany(count)
  await rig.plane.converged(count)
}

export async function phaseOf(rig: DashboardRig, name: string): Promise<string> {
  return (await rig.plane.plans()).find((plan) => plan.name === name)?.phase ?? "none"
}

/** The command line, as the owner. */
export function setpoint(rig: DashboardRig, ...args: readonly string[]): string {
  const { base, data } = rig.plane
  const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config"), NO_COLOR: "1" }
  const ran = spawnSync(process.execPath, [program, "--data", data, ...args], {
    ...{ env, cwd: base, encoding: "utf8", timeout: 60_000 },
  })
  if (ran.status !== 0) throw new Error(`setpoint ${args.join(" ")}: ${ran.stderr}`)
  return ran.stdout
}

/** A browser of somebody else, signed in with a token of their own. */
export async function signedInAs(
  rig: DashboardRig,
  name: string,
  kind: "human" | "agent" | "service",
): Promise<Page> {
  const file = join(rig.plane.base, `${name}.token`)
  setpoint(rig, "token", "create", name, "--kind", kind, "--file", file)
  const context = await rig.context.browser()?.newContext()
  if (context === undefined) throw new Error("no browser")
  const page = await rig.newPage(context)
  await page.goto(await rig.address())
  await page.getByRole("textbox", { name: "Token" }).fill(readFileSync(file, "utf8").trim())
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("button", { name: "Sign out" }).waitFor()
  return page
}

/** Goes on with Tab until what has the focus is called so. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 80; press++) {
    const text = await page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute("aria-label") ?? element?.textContent ?? ""
    })
    if (name.test(text)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab never came to ${name}`)
}
