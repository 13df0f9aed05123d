// 9: a new version of web is rolled out, and the plane is killed in the middle. The replicas and
// the balancer do not notice; a new plane goes on where the old one was. No request fails, and
// nothing is started twice.

import type { DemoProcess } from "../demo-view.ts"
import { type DemoAction, type DemoStage, requestsSince, stopped } from "../stage.ts"
import { replicaCount } from "../world/web.ts"

const meanwhile = 50

export const killPlane: DemoAction = {
  key: "9",
  title: "kill -9 the plane in a rollout",
  act: async (stage) => {
    const stop = await stopped(stage)
    if (stop !== undefined) return stage.say(`nothing is rolled out: ${stop}; c goes on`)
    const told = requestsSince(stage)
    const old = stage.world.webVersion()
    const version = `v${old + 1}`
    await stage.run(`sed -i 's/VERSION: v${old}/VERSION: ${version}/' web/set.yaml`)
    const begun = await stage.until("the first of the new version", async () => {
      const fresh = await ofVersion(stage, version)
      return fresh.length > 0 && fresh.length < replicaCount ? fresh : undefined
    })
    if (begun === undefined) return stage.say("the rollout has not begun")
    await stage.run(`kill -9 ${stage.plane.pid}`)
    if (!(await stage.plane.ended())) return stage.say("it is still there")
    const asked = stage.load.requests + meanwhile
    await stage.until("more requests", () => stage.load.requests >= asked || undefined)
    stage.say(`the plane is dead with ${begun.value.length} of ${replicaCount} new; ${told()}`)
    const ms = await stage.restart()
    if (ms === undefined) return stage.say(`it does not answer; ${stage.plane.log} says why`)
    stage.say(`process ${stage.plane.pid} answers after ${Math.round(ms)} ms and goes on`)
    await tellRollout(stage, version, begun.value)
    stage.say(told())
  },
}

async function ofVersion(stage: DemoStage, version: string): Promise<readonly DemoProcess[]> {
  const all = await stage.view.replicas()
  return all.filter((one) => one.version === version && one.pid > 0)
}

async function tellRollout(
  stage: DemoStage,
  version: string,
  begun: readonly DemoProcess[],
): Promise<void> {
  const done = await stage.until(`all ${replicaCount} of ${version} to serve`, async () => {
    const all = await stage.view.replicas()
    const right = all.length === replicaCount && all.every((one) => one.version === version)
    if (!right || (await stage.view.rollout()) !== "Complete") return undefined
    return (await stage.view.backends()) === replicaCount ? all : undefined
  })
  if (done === undefined) return stage.say("the rollout has not ended yet")
  const kept = begun.filter(({ pid }) => done.value.some((one) => one.pid === pid)).length
  const twice = done.value.filter(({ run }) => run !== 1).length
  stage.good(
    `${replicaCount} of ${version} serve; ${kept} of ${begun.length} begun before were kept`,
  )
  stage.good(`started more than once: ${twice}`)
}
