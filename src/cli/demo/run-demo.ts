// The live demo: a real plane in a temporary folder with three loops, a load, a naive loop beside
// it, and keys that do to them what happens to real systems. It leaves nothing behind: no process,
// no folder, no stop, however it ends.

import type { Terminal } from "../terminal.ts"
import { runShell } from "./demo-shell.ts"
import { freePorts } from "./free-ports.ts"
import { Guardian } from "./guardian.ts"
import { demoActions, otherKeys, tour } from "./keys/keys.ts"
import { endProcesses, removeDemo } from "./leftovers.ts"
import { type LiveStage, newStage } from "./new-stage.ts"
import { type Keys, readKeys } from "./read-keys.ts"
import { firstScreen, helpLines, lastScreen } from "./screen.ts"
import { typedName } from "./typed-name.ts"
import { DemoWorld } from "./world/demo-world.ts"
import { pageCount } from "./world/pages.ts"
import { portCount, replicaCount } from "./world/web.ts"

const shownKeys = [...demoActions, ...otherKeys]
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

export async function runDemo(terminal: Terminal, keep: boolean): Promise<boolean> {
  const world = new DemoWorld(await freePorts(portCount))
  const guardian = new Guardian(world)
  const quit = new AbortController()
  const keys = readKeys(process.stdin, () => quit.abort())
  const onSignal = () => {
    keys.close()
    quit.abort()
  }
  for (const signal of signals) process.on(signal, onSignal)
  const stage = newStage(terminal, world, quit.signal)
  try {
    const started = await start(stage, terminal)
    if (started) await play(stage, keys, terminal)
    return started
  } catch (error) {
    if (!quit.signal.aborted) throw error
    return true // Told to end in the middle of something.
  } finally {
    keys.close()
    stage.close()
    await end(stage, terminal, keep)
    guardian.dismiss()
  }
}

async function start(stage: LiveStage, terminal: Terminal): Promise<boolean> {
  const { world, plane, load, view } = stage
  stage.display.print(`Setpoint demo in ${world.folder}`)
  stage.display.live()
  stage.naive.start()
  const ready = (await stage.restart()) !== undefined
  const served = await stage.until("web", async () => {
    if (!ready) return false
    const all = (await view.backends()) === replicaCount
    return all && world.naiveFiles() === pageCount ? true : undefined
  })
  if (served?.value !== true) {
    const { output } = await runShell(world, `tail -n 20 ${plane.log}`)
    terminal.note(`the plane did not start:\n${output}`)
    return false
  }
  await load.start()
  const { output: dashboard } = await runShell(world, "./setpoint dashboard")
  const { folder, frontPort } = world
  const places = { folder, frontPort, dashboard, kubeconfig: world.path(".setpoint/kubeconfig") }
  stage.display.print(firstScreen(places, shownKeys, terminal.columns).join("\n"))
  return true
}

async function end(stage: LiveStage, terminal: Terminal, keep: boolean): Promise<void> {
  const { world } = stage
  await stage.naive.end()
  await stage.plane.end()
  await endProcesses(world.folder)
  if (keep) {
    terminal.print(`kept ${world.folder}`)
    return
  }
  await removeDemo(world.folder)
  terminal.print("the plane and all that it started have ended, and the folder is gone")
  for (const line of lastScreen(typedName())) terminal.print(line)
}

async function play(stage: LiveStage, keys: Keys, terminal: Terminal): Promise<void> {
  for (;;) {
    const key = await keys.next()
    if (key === undefined || key === "q") return
    if (key === "nobody") {
      stage.display.print("\nnobody presses keys here, so this is a tour through all of them")
      for (const one of tour) await press(stage, one, terminal)
      return
    }
    await press(stage, key, terminal)
  }
}

async function press(stage: LiveStage, key: string, terminal: Terminal): Promise<void> {
  if (key === "?") {
    return stage.display.print(helpLines(shownKeys, terminal.columns).join("\n"))
  }
  const action = demoActions.find((one) => one.key === key)
  if (action === undefined)
    return stage.display.print(`no key ${JSON.stringify(key)} here; ? shows them`)
  stage.display.print(`\n${terminal.paint("bold", `[${key}] ${action.title}`)}`)
  await action.act(stage)
  const { requests, failed } = stage.load
  stage.display.print(terminal.paint("dim", `  web: ${requests} requests, ${failed} failed`))
}
