// s and c: stop all acting, and go on. A stop is a file that is read before every change.

import { type DemoAction, stopped } from "../stage.ts"
import { untilWhole } from "./remove-manifests.ts"

export const stop: DemoAction = {
  key: "s",
  title: "stop all acting",
  act: async (stage) => {
    await stage.show("./setpoint stop --reason 'demo: s was pressed'")
    stage.say(`status: ${(await stopped(stage)) ?? "not stopped"}`)
    stage.say("now e and k heal nothing, while web serves on; c continues")
  },
}

export const resume: DemoAction = {
  key: "c",
  title: "continue after a stop",
  act: async (stage) => {
    const { code } = await stage.show("./setpoint resume")
    const { world } = stage
    if (code !== 0 || world.manifestsAway() > 0 || !world.isReadable()) return
    await untilWhole(stage)
  },
}
