// k: two of the five replicas are killed under load. Both come back, and no client notices.

import { type DemoAction, effectMs, nothingMs, requestsSince, stopped } from "../stage.ts"
import { replicaCount } from "../world/web.ts"

export const killReplicas: DemoAction = {
  key: "k",
  title: "kill two replicas",
  act: async (stage) => {
    const told = requestsSince(stage)
    const stop = await stopped(stage)
    const alive = (await stage.view.replicas()).filter(({ pid }) => pid > 0)
    const doomed = alive.slice(0, 2).map(({ pid }) => pid)
    if (doomed.length < 2) return stage.say("there are no two replicas to kill")
    await stage.run(`kill -9 ${doomed.join(" ")}`)
    const back = await stage.until(
      "both to be back in service",
      async () => {
        const now = (await stage.view.replicas()).filter(({ pid, ready }) => ready && pid > 0)
        const fresh = now.filter(({ pid }) => !doomed.includes(pid))
        if (now.length < replicaCount || fresh.length < now.length) return undefined
        return (await stage.view.backends()) === replicaCount ? now : undefined
      },
      stop === undefined ? effectMs : nothingMs,
    )
    if (back === undefined) {
      return stage.say(`not started again: ${stop ?? "it takes longer"}; ${told()}`)
    }
    const before = new Set(alive.map(({ pid }) => pid))
    const fresh = back.value.filter(({ pid }) => !before.has(pid))
    const pids = fresh.map(({ name, pid }) => `${name} as process ${pid}`).join(", ")
    stage.good(`back in service after ${Math.round(back.ms)} ms: ${pids}`)
    stage.say(told())
  },
}
