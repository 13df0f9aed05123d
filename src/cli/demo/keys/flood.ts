// f: four more pieces of work for a tenant that uses ten of its ten GPUs. Ten go on, four wait, and
// `explain` says why. Pressed again, the four are taken back.

import { type DemoAction, type DemoStage, stopped } from "../stage.ts"
import { floodCount, quotaCount, workName } from "../world/quota.ts"

const all = quotaCount + floodCount

export const flood: DemoAction = {
  key: "f",
  title: `flood the tenant to ${all}, or back`,
  act: async (stage) => {
    const stop = await stopped(stage)
    if (stop !== undefined) stage.say(`nothing is started or stopped: ${stop}`)
    if (stage.world.isFlooded()) return recede(stage)
    await stage.run("mv more/work-*.yaml quota/")
    const seen = await stage.until("the pool to decide", async () => {
      const phases = [...(await stage.view.work()).values()]
      const waits = phases.filter((phase) => phase === "Waiting").length
      const runs = phases.filter((phase) => phase === "Running").length
      return waits === floodCount && runs === quotaCount ? { runs, waits } : undefined
    })
    if (seen === undefined) return stage.say("the pool has not decided yet")
    stage.good(`${seen.value.runs} run, ${seen.value.waits} wait; nobody was stopped`)
    await stage.show(`./setpoint explain workload ${workName(all)}`)
  },
}

async function recede(stage: DemoStage): Promise<void> {
  const files = Array.from({ length: floodCount }, (_, index) => workName(quotaCount + index + 1))
  await stage.run(`mv ${files.map((name) => `quota/${name}.yaml`).join(" ")} more/`)
  const gone = await stage.until("the four to go", async () => {
    const work = await stage.view.work()
    return work.size === quotaCount ? true : undefined
  })
  stage.say(gone === undefined ? "they are still there" : `the ${quotaCount} run on`)
}
