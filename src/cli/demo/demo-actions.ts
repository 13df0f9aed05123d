// The keys of the demo. Each prints the real shell command, runs exactly that, waits for what it
// brings about, and says what happened; nothing is acted out.

import type { DemoPlane, ShellResult } from "./demo-shell.ts"
import { type DemoStatus, type DemoView, waitFor } from "./demo-view.ts"
import { type DemoWorld, pageCount, pageKey, pageName } from "./demo-world.ts"

export interface DemoStage {
  readonly world: DemoWorld
  readonly plane: DemoPlane
  readonly view: DemoView
  say(text: string): void
  /** Prints the command and runs it. */
  run(command: string): Promise<ShellResult>
  /** Runs, and shows its output too. */
  show(command: string): Promise<ShellResult>
  /** Starts the plane again and waits until it answers. */
  restart(): Promise<number | undefined>
}

export interface DemoAction {
  readonly key: string
  readonly title: string
  act(stage: DemoStage): Promise<void>
}

const effectMs = 20_000
const stoppedMs = 1000

/** Pages 51 to 100 are never among the 40 that are removed. */
let turn = 50
function nextPage(): number {
  turn = turn >= pageCount ? 51 : turn + 1
  return turn
}

const drift = (key: string, title: string, command: (file: string) => string): DemoAction => ({
  key,
  title,
  act: async (stage) => {
    const page = nextPage()
    const before = await stage.view.lastAct(pageKey(page))
    const stops = (await stage.view.status())?.stops ?? []
    await stage.run(command(`www/${pageName(page)}.html`))
    const limit = stops.length > 0 ? stoppedMs : effectMs
    const healed = await waitFor(() => stage.world.isAsDeclared(page) || undefined, limit, 2)
    if (healed === undefined) return notHealed(stage)
    const act = await waitFor(async () => {
      const last = await stage.view.lastAct(pageKey(page))
      return last.sequence > before.sequence ? last : undefined
    }, effectMs)
    stage.say(`healed in ${Math.round(healed.ms)} ms; history: ${act?.value.text ?? "no answer"}`)
  },
})

async function notHealed(stage: DemoStage): Promise<void> {
  const status = await stage.view.status()
  const why = status?.stops[0] ?? status?.oldest ?? "the plane does not answer"
  stage.say(`not healed: ${why}`)
}

const remove: DemoAction = {
  key: "r",
  title: "remove 40 of 100 manifests",
  act: async (stage) => {
    if (stage.world.manifestsAway() > 0) return stage.say("they are away; b brings them back")
    await stage.run("mv site/page-0[1-4]?.yaml away/")
    const seen = await waitFor(async () => {
      const status = await stage.view.status()
      const taken = status?.source !== "good" || status.declared < pageCount
      return status?.plan !== undefined || (status !== undefined && taken) ? status : undefined
    }, effectMs)
    const plan = seen?.value.plan
    if (plan === undefined) return stage.say(noPlanText(seen?.value, stage.world.filesThere()))
    stage.say(`held ${plan.actions} actions in plan ${plan.name}, none executed:`)
    stage.say(await stage.view.planReason(plan.name))
    stage.say(`${stage.world.filesThere()} files are still there; a approves, j rejects`)
  },
}

function noPlanText(status: DemoStatus | undefined, files: number): string {
  if (status === undefined) return "the plane has not looked yet"
  if (status.source !== "good") return `source ${status.source}: ${status.issue}`
  return `denied: exactly this was rejected before and nothing changed since; ${files} files stay`
}

async function pendingPlan(stage: DemoStage): Promise<string | undefined> {
  const status = await stage.view.status()
  if (status?.plan === undefined) stage.say("no plan waits; r makes one")
  return status?.plan?.name
}

const approve: DemoAction = {
  key: "a",
  title: "approve the held plan",
  act: async (stage) => {
    const plan = await pendingPlan(stage)
    if (plan === undefined) return
    const stops = (await stage.view.status())?.stops ?? []
    const wait = stops.length > 0 ? " --no-wait" : ""
    const { code } = await stage.show(`./setpoint approve ${plan} --yes${wait}`)
    if (code !== 0) return
    const limit = stops.length > 0 ? stoppedMs : effectMs
    const done = await waitFor(
      async () => ((await stage.view.planPhase(plan)) === "Done" ? true : undefined),
      limit,
    )
    const left = `${stage.world.filesThere()} files are left`
    if (done !== undefined) return stage.say(`done: ${left}`)
    stage.say(`approved, not done yet: ${stops[0] ?? "still under way"}; ${left}`)
  },
}

const reject: DemoAction = {
  key: "j",
  title: "reject the held plan",
  act: async (stage) => {
    const plan = await pendingPlan(stage)
    if (plan === undefined) return
    const { code } = await stage.show(`./setpoint reject ${plan}`)
    if (code !== 0) return
    await waitFor(
      async () => ((await stage.view.planPhase(plan)) === "Rejected" ? true : undefined),
      effectMs,
    )
    const phase = await stage.view.planPhase(plan)
    stage.say(`plan ${plan} is ${phase}; all ${stage.world.filesThere()} files stay`)
  },
}

const bringBack: DemoAction = {
  key: "b",
  title: "bring the manifests back",
  act: async (stage) => {
    if (stage.world.manifestsAway() === 0) return stage.say("no manifest is away; r removes some")
    await stage.run("mv away/*.yaml site/")
    await untilWhole(stage)
  },
}

/** Until everything declared is there again, or someone has to do something first. */
async function untilWhole(stage: DemoStage): Promise<void> {
  const now = await stage.view.status()
  const blocked = (now?.stops.length ?? 0) > 0 || now?.source !== "good"
  const whole = await waitFor(
    async () => {
      const status = await stage.view.status()
      const fine = status?.converged === pageCount && status.plan === undefined
      return fine && stage.world.filesThere() === pageCount ? status : undefined
    },
    blocked ? 2 * stoppedMs : effectMs,
  )
  if (whole !== undefined) {
    return stage.say(
      `all ${pageCount} as declared after ${Math.round(whole.ms)} ms; nothing is held`,
    )
  }
  const status = await stage.view.status()
  const counts = `${status?.converged ?? 0} of ${status?.objects ?? 0} as declared`
  const why = status?.stops[0] ?? (status?.issue || status?.oldest || "the plane does not answer")
  stage.say(`${counts}: ${why}`)
}

const unreadable: DemoAction = {
  key: "u",
  title: "make the source unreadable",
  act: async (stage) => {
    await stage.run("chmod 000 site")
    if (!stage.plane.bound) {
      return stage.say("root ignores permissions and setpriv is missing: nothing changes")
    }
    const seen = await waitFor(async () => {
      const status = await stage.view.status()
      return status?.source === "unreadable" ? status : undefined
    }, effectMs)
    if (seen === undefined) return stage.say("the plane did not notice")
    stage.say(`source unreadable after ${Math.round(seen.ms)} ms: ${seen.value.issue}`)
    stage.say(`the last good state stays: ${stage.world.filesThere()} files, nothing deleted`)
  },
}

const fix: DemoAction = {
  key: "f",
  title: "make it readable again",
  act: async (stage) => {
    await stage.run("chmod 755 site")
    const good = await waitFor(async () => {
      const status = await stage.view.status()
      return status?.source === "good" ? status : undefined
    }, effectMs)
    if (good === undefined) return stage.say("the source is not read yet")
    stage.say(`source good again after ${Math.round(good.ms)} ms`)
  },
}

const stop: DemoAction = {
  key: "s",
  title: "stop all acting",
  act: async (stage) => {
    await stage.show("./setpoint stop --reason 'demo: s was pressed'")
    const status = await stage.view.status()
    if (status !== undefined) stage.say(`status: ${status.stops[0] ?? "not stopped"}`)
    stage.say("now e, c and d heal nothing; g goes on")
  },
}

const goOn: DemoAction = {
  key: "g",
  title: "go on after a stop",
  act: async (stage) => {
    const { code } = await stage.show("./setpoint resume")
    if (code !== 0 || stage.world.manifestsAway() > 0) return
    await untilWhole(stage)
  },
}

const kill: DemoAction = {
  key: "k",
  title: "kill -9 the plane",
  act: async (stage) => {
    await stage.run(`kill -9 ${stage.plane.pid}`)
    if (!(await stage.plane.ended())) return stage.say("it is still there")
    stage.say("the plane is dead; starting it again")
    const ms = await stage.restart()
    if (ms === undefined) return stage.say("it does not answer; plane.log says why")
    const status = await stage.view.status()
    const counts = `${status?.converged ?? 0} of ${status?.objects ?? 0} objects as declared`
    stage.say(`process ${stage.plane.pid} answers after ${Math.round(ms)} ms: ${counts}`)
    if (status?.stops[0] !== undefined) stage.say(`the stop survived: ${status.stops[0]}`)
    if (status?.plan !== undefined) stage.say(`plan ${status.plan.name} still waits`)
  },
}

const plan: DemoAction = {
  key: "p",
  title: "plan: what would change",
  act: async (stage) => {
    const { code } = await stage.show("./setpoint plan site")
    const meaning: Readonly<Record<number, string>> = {
      0: "nothing to do",
      2: "differences",
      3: "something is held",
    }
    stage.say(`exit code ${code}: ${meaning[code] ?? "failed"}`)
  },
}

const status: DemoAction = {
  key: "t",
  title: "status",
  act: async (stage) => void (await stage.show("./setpoint status")),
}

export const demoActions: readonly DemoAction[] = [
  drift("e", "edit a file", (file) => `echo 'changed by hand' > ${file}`),
  drift("c", "chmod a file", (file) => `chmod 777 ${file}`),
  drift("d", "delete a file", (file) => `rm ${file}`),
  ...[remove, approve, reject, bringBack, unreadable, fix, stop, goOn, kill, plan, status],
]

/** Once through every key, in an order in which each has something to do. */
export const tour = "ecdptrabrjbuefsegkpt"
