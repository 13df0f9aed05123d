// Keys that only look: the status, what would change, the naive loop, a new link to the dashboard.

import type { DemoAction } from "../stage.ts"

export const status: DemoAction = {
  key: "t",
  title: "status",
  act: async (stage) => void (await stage.show("./setpoint status")),
}

const meaning: Readonly<Record<number, string>> = {
  0: "nothing to do",
  2: "differences",
  3: "something is held",
}

export const plan: DemoAction = {
  key: "p",
  title: "plan: what would change",
  act: async (stage) => {
    const { code } = await stage.show("./setpoint plan site")
    stage.say(`exit code ${code}: ${meaning[code] ?? "failed"}`)
  },
}

export const showNaive: DemoAction = {
  key: "o",
  title: "show the naive loop",
  act: async (stage) => void (await stage.show("cat naive.mjs")),
}

export const dashboard: DemoAction = {
  key: "d",
  title: "another dashboard link",
  act: async (stage) => void (await stage.show("./setpoint dashboard")),
}
