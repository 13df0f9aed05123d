// e: a config file is changed and another one gets a wrong mode, as by a person in a hurry. Both
// are put right within moments, with a receipt that says what was different.

import { type DemoAction, type DemoStage, effectMs, nothingMs, stopped } from "../stage.ts"
import { pageCount, pageKey, pageName } from "../world/pages.ts"

/** Pages 51 to 100 are never among the 40 that are removed. */
let turn = 50
function nextPage(): number {
  turn = turn >= pageCount ? 51 : turn + 1
  return turn
}

async function drift(stage: DemoStage, command: (file: string) => string): Promise<void> {
  const page = nextPage()
  const before = await stage.view.lastAct(pageKey(page))
  const stop = await stopped(stage)
  await stage.run(command(`www/${pageName(page)}.html`))
  const healed = await stage.until(
    `${pageName(page)} to be as declared`,
    () => stage.world.isAsDeclared(page) || undefined,
    stop === undefined ? effectMs : nothingMs,
  )
  if (healed === undefined) return stage.bad(`not healed: ${stop ?? "it takes longer"}`)
  const act = await stage.until("the receipt", async () => {
    const last = await stage.view.lastAct(pageKey(page))
    return last.sequence > before.sequence ? last : undefined
  })
  stage.good(`healed in ${Math.round(healed.ms)} ms; history: ${act?.value.text ?? "no answer"}`)
}

export const editConfig: DemoAction = {
  key: "e",
  title: "edit and chmod configs",
  act: async (stage) => {
    await drift(stage, (file) => `echo 'changed by hand' >> ${file}`)
    await drift(stage, (file) => `chmod 777 ${file}`)
  },
}
