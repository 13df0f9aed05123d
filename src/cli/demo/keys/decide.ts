// a, y, j: what a person can say to a held plan. An approval covers what was seen: when one of the
// files has changed since, it is refused, and a new plan says what is there now.

import type { PendingPlan } from "../demo-view.ts"
import { type DemoAction, type DemoStage, nothingMs, stopped } from "../stage.ts"

async function pendingPlan(stage: DemoStage): Promise<PendingPlan | undefined> {
  const status = await stage.view.status()
  if (status?.plan === undefined) stage.say("no plan waits; r makes one")
  return status?.plan
}

let turn = 9

export const approveStale: DemoAction = {
  key: "a",
  title: "approve after a target changed",
  act: async (stage) => {
    const plan = await pendingPlan(stage)
    if (plan === undefined) return
    const hash = await stage.view.planHash(plan.name)
    turn = turn >= 49 ? 10 : turn + 1
    await stage.run(`echo 'somebody still needs this' >> www/page-0${turn}.html`)
    await stage.until("the plane to see it", async () => {
      const now = (await stage.view.status())?.plan
      return now !== undefined && now.name !== plan.name ? now : undefined
    })
    const { code } = await stage.show(`./setpoint approve ${plan.name} --hash ${hash}`, 1)
    const files = `${stage.world.filesThere()} files are still there`
    if (code === 0) stage.bad(`approved: ${files}`)
    else stage.good(`refused (exit code ${code}): ${files}`)
    const now = (await stage.view.status())?.plan
    if (now !== undefined) stage.say(`plan ${now.name} shows what is there now; y approves that`)
  },
}

export const approve: DemoAction = {
  key: "y",
  title: "approve what waits now",
  act: async (stage) => {
    const plan = await pendingPlan(stage)
    if (plan === undefined) return
    const stop = await stopped(stage)
    const wait = stop === undefined ? "" : " --no-wait"
    const { code } = await stage.show(`./setpoint approve ${plan.name} --yes${wait}`, 4)
    if (code !== 0) return
    const done = await stage.until(
      "the plan to be done",
      async () => ((await stage.view.planPhase(plan.name)) === "Done" ? true : undefined),
      stop === undefined ? undefined : nothingMs,
    )
    const left = `${stage.world.filesThere()} files are left`
    if (done !== undefined) return stage.say(`done: ${left}`)
    stage.say(`approved, not done yet: ${stop ?? "still under way"}; ${left}`)
  },
}

export const reject: DemoAction = {
  key: "j",
  title: "reject what waits now",
  act: async (stage) => {
    const plan = await pendingPlan(stage)
    if (plan === undefined) return
    const { code } = await stage.show(`./setpoint reject ${plan.name}`)
    if (code !== 0) return
    const phase = await stage.until("the plan to be rejected", async () =>
      (await stage.view.planPhase(plan.name)) === "Rejected" ? "Rejected" : undefined,
    )
    const files = stage.world.filesThere()
    stage.say(`plan ${plan.name} is ${phase?.value ?? "still open"}; all ${files} files stay`)
  },
}
