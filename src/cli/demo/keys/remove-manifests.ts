// r: forty of the hundred manifests disappear, as by a bad merge. The naive loop deletes what they
// declared; Setpoint holds all forty deletes for a person.

import type { DemoStatus } from "../demo-view.ts"
import { type DemoAction, type DemoStage, effectMs, nothingMs } from "../stage.ts"
import { pageCount } from "../world/pages.ts"

const left = 60

export const removeManifests: DemoAction = {
  key: "r",
  title: "remove 40 of 100 manifests",
  act: async (stage) => {
    if (!stage.world.isReadable()) return stage.say("site/ can't be read; b puts it right")
    if (stage.world.manifestsAway() > 0) return stage.say("they are away; b brings them back")
    await stage.run("mv site/page-0[1-4]?.yaml away/")
    const naive = await stage.until(
      "the naive loop",
      () => stage.world.naiveFiles() <= left || undefined,
    )
    const after = naive === undefined ? "" : ` after ${Math.round(naive.ms)} ms`
    stage.bad(`naive loop: ${stage.world.naiveFiles()} of ${pageCount} files left${after}`)
    const seen = await stage.until("the plan", async () => planOrReason(stage))
    const plan = seen?.value.plan
    if (plan === undefined) return stage.say(noPlanText(seen?.value, stage.world.filesThere()))
    stage.good(`setpoint:   ${stage.world.filesThere()} of ${pageCount} files left`)
    stage.say(`held ${plan.actions} actions in plan ${plan.name}, none executed:`)
    stage.say(await stage.view.planReason(plan.name))
    stage.say("next: a (approve too late), y (approve), j (reject) or b (bring them back)")
  },
}

async function planOrReason(stage: DemoStage): Promise<DemoStatus | undefined> {
  const status = await stage.view.status()
  if (status?.plan !== undefined) return status
  if (status === undefined) return undefined
  return status.source !== "good" || status.declared < pageCount ? status : undefined
}

function noPlanText(status: DemoStatus | undefined, files: number): string {
  if (status === undefined) return "the plane has not looked yet"
  if (status.source !== "good") return `source ${status.source}: ${status.issue}`
  return `denied: exactly this was rejected before and nothing changed since; ${files} files stay`
}

/** b: everything that keys took away from site/ comes back. */
export const bringBack: DemoAction = {
  key: "b",
  title: "bring back what was taken",
  act: async (stage) => {
    const readable = stage.world.isReadable()
    if (readable && stage.world.manifestsAway() === 0) {
      return stage.say("nothing was taken away; r and u do that")
    }
    if (!readable) await stage.run("chmod 755 site")
    if (stage.world.manifestsAway() > 0) await stage.run("mv away/*.yaml site/")
    await untilWhole(stage)
  },
}

/** Until everything declared is there again, or someone has to do something first. */
export async function untilWhole(stage: DemoStage): Promise<void> {
  const stop = (await stage.view.status())?.stops[0]
  const whole = await stage.until(
    "everything to be as declared",
    async () => {
      const status = await stage.view.status()
      const fine = status?.converged === pageCount && status.plan === undefined
      return fine && stage.world.filesThere() === pageCount ? status : undefined
    },
    stop === undefined ? effectMs : nothingMs,
  )
  if (whole !== undefined) {
    const ms = Math.round(whole.ms)
    return stage.say(`all ${pageCount} as declared after ${ms} ms; nothing is held`)
  }
  const status = await stage.view.status()
  const counts = `${status?.converged ?? 0} of ${status?.objects ?? 0} as declared`
  const why = status?.stops[0] ?? (status?.issue || status?.oldest || "the plane does not answer")
  stage.say(`${counts}: ${why}`)
}
