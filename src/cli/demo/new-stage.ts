// The stage of a demo: its programs, its display, running commands and waiting. Everything that
// waits ends at once when the demo is told to.

import { setTimeout as pause } from "node:timers/promises"
import { scriptCommand } from "../../base/parts.ts"
import { shellWord } from "../command-text.ts"
import type { Terminal } from "../terminal.ts"
import { DemoProgram, runShell } from "./demo-shell.ts"
import { type DemoStatus, DemoView } from "./demo-view.ts"
import { Display } from "./display.ts"
import { Load } from "./load.ts"
import { shortened } from "./screen.ts"
import { type DemoStage, effectMs } from "./stage.ts"
import { unprivileged } from "./unprivileged.ts"
import type { DemoWorld } from "./world/demo-world.ts"

const startMs = 60_000
const everyMs = 20

export interface LiveStage extends DemoStage {
  readonly display: Display
  close(): void
}

export function newStage(terminal: Terminal, world: DemoWorld, quit: AbortSignal): LiveStage {
  const view = new DemoView(world)
  const load = new Load(world.frontPort)
  const plane = new DemoProgram(world, "./setpoint up loops --root www --root run", "plane.log")
  // The very Node that runs this: there may be no other.
  const node = [...unprivileged(), ...scriptCommand()].map(shellWord).join(" ")
  const naive = new DemoProgram(world, `${node} naive.mjs`, "naive.log")
  const display = new Display(terminal, () => {
    const { requests, failed } = load
    return { requests, failed, files: world.filesThere(), naive: world.naiveFiles() }
  })
  const run = async (command: string) => {
    display.command(command)
    const result = await runShell(world, command, quit)
    quit.throwIfAborted()
    return result
  }
  const until = waiter(display, quit)
  return {
    ...{ world, plane, naive, view, load, display, until },
    say: (text) => display.say(text),
    good: (text) => display.say(text, "green"),
    bad: (text) => display.say(text, "red"),
    run: async (command) => {
      const result = await run(command)
      if (result.code !== 0) display.say(`exit code ${result.code}: ${result.output}`)
      return result
    },
    show: async (command, head) => {
      const result = await run(command)
      for (const line of shortened(result.output.split("\n"), head)) display.say(line)
      return result
    },
    restart: async () => {
      display.command(plane.command)
      plane.start()
      const looked = async () => {
        if (!plane.running) return "ended"
        const all = await Promise.all(["site", "web", "quota"].map((name) => view.status(name)))
        return all.every(isLookedAt) ? "ready" : undefined
      }
      const ready = await until("the plane", looked, startMs)
      return ready?.value === "ready" ? ready.ms : undefined
    },
    close: () => {
      display.close()
      load.stop()
    },
  }
}

function waiter(display: Display, quit: AbortSignal): DemoStage["until"] {
  return async (what, probe, limitMs = effectMs) => {
    const started = performance.now()
    try {
      for (;;) {
        const value = await probe()
        const ms = performance.now() - started
        if (value !== undefined) return { value, ms }
        if (ms > limitMs) return undefined
        display.waiting = `waiting for ${what} (${Math.round(ms / 1000)} s)`
        await pause(everyMs, undefined, { signal: quit })
      }
    } finally {
      display.waiting = ""
    }
  }
}

/** As declared, or with a reason why not. */
function isLookedAt(status: DemoStatus | undefined): boolean {
  if (status === undefined) return false
  const { objects, converged, explained, source } = status
  return source !== "reading" && objects > 0 && converged + explained >= objects
}
