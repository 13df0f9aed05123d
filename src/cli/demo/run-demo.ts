// The live demo: a real plane over 100 manifests in a temporary folder, and keys that do to it what
// happens to real systems. It leaves nothing behind: no process, no folder, no stop.

import { printable } from "../render/printable.ts"
import type { Terminal } from "../terminal.ts"
import { type DemoAction, type DemoStage, demoActions, tour } from "./demo-actions.ts"
import { DemoPlane, runShell } from "./demo-shell.ts"
import { type DemoStatus, DemoView, waitFor } from "./demo-view.ts"
import { DemoWorld, pageCount } from "./demo-world.ts"
import { type Keys, readKeys } from "./read-keys.ts"

const startMs = 30_000
const headLines = 14
const tailLines = 3

export async function runDemo(terminal: Terminal, keep: boolean): Promise<boolean> {
  const world = new DemoWorld()
  const plane = new DemoPlane(world)
  const keys = readKeys(process.stdin)
  const quit = () => keys.close()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, quit)
  try {
    const stage = newStage(terminal, world, plane)
    terminal.print(`Setpoint demo in ${world.folder}`)
    terminal.print(`$ ${plane.command}`)
    const ms = await stage.restart()
    if (ms === undefined) {
      const { output } = await runShell(world, "tail -n 20 plane.log")
      terminal.note(`the plane did not start:\n${output}`)
      return false
    }
    terminal.print(
      `  ${pageCount} files declared in site/ are kept in www/, ${Math.round(ms)} ms after start`,
    )
    terminal.print(`  from a second terminal: cd ${world.folder} && ./setpoint status`)
    for (const line of helpLines(terminal.columns)) terminal.print(line)
    await play(stage, keys, terminal)
    return true
  } finally {
    keys.close()
    await plane.end()
    if (keep) terminal.print(`kept ${world.folder}`)
    else {
      world.remove()
      terminal.print("the plane has ended and the folder is gone")
    }
  }
}

async function play(stage: DemoStage, keys: Keys, terminal: Terminal): Promise<void> {
  for (;;) {
    const key = await keys.next()
    if (key === undefined || key === "q") return
    if (key === "nobody") {
      terminal.print("\nnobody presses keys here, so this is a tour through all of them")
      for (const one of tour) await press(stage, one, terminal)
      return
    }
    await press(stage, key, terminal)
  }
}

async function press(stage: DemoStage, key: string, terminal: Terminal): Promise<void> {
  if (key === "?") {
    for (const line of helpLines(terminal.columns)) terminal.print(line)
    return
  }
  const action = demoActions.find((one) => one.key === key)
  if (action === undefined) {
    terminal.print(`no key ${JSON.stringify(key)} here; ? shows them`)
    return
  }
  terminal.print(`\n${terminal.paint("bold", `[${key}] ${action.title}`)}`)
  await action.act(stage)
}

function newStage(terminal: Terminal, world: DemoWorld, plane: DemoPlane): DemoStage {
  const view = new DemoView(world)
  const say = (text: string) => {
    const width = terminal.interactive ? terminal.columns - 1 : Number.POSITIVE_INFINITY
    for (const line of wrapLine(`  ${printable(text)}`, width)) terminal.print(line)
  }
  const run = (command: string) => {
    terminal.print(terminal.paint("cyan", `$ ${command}`))
    return runShell(world, command)
  }
  return {
    ...{ world, plane, view, say },
    run: async (command) => {
      const result = await run(command)
      if (result.code !== 0) say(`exit code ${result.code}: ${result.output}`)
      return result
    },
    show: async (command) => {
      const result = await run(command)
      for (const line of shortened(result.output.split("\n"))) say(line)
      return result
    },
    restart: async () => {
      plane.start()
      const ready = await waitFor(async () => {
        if (!plane.running) return "ended"
        const status = await view.status()
        const looked = status !== undefined && isLookedAt(status)
        return looked ? "ready" : undefined
      }, startMs)
      return ready?.value === "ready" ? ready.ms : undefined
    },
  }
}

/** The beginning and the end of a long output. */
function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - headLines - tailLines
  if (left <= 1) return lines
  return [...lines.slice(0, headLines), `... ${left} more lines ...`, ...lines.slice(-tailLines)]
}

/** As declared, or with a reason why not. */
function isLookedAt({ objects, converged, explained, source }: DemoStatus): boolean {
  return source !== "reading" && objects > 0 && converged + explained >= objects
}

/** Breaks between words; the rest is indented a little more than the first line. */
export function wrapLine(text: string, width: number): string[] {
  const indent = `${/^ */.exec(text)?.[0] ?? ""}  `
  const lines: string[] = []
  let rest = text
  while (rest.length > width && width > indent.length + 10) {
    const space = rest.lastIndexOf(" ", width)
    const end = space <= indent.length ? width : space
    lines.push(rest.slice(0, end).trimEnd())
    rest = `${indent}${rest.slice(end).trimStart()}`
  }
  return [...lines, rest]
}

/** The keys in as many columns as fit. */
export function helpLines(columns: number): string[] {
  const more: Pick<DemoAction, "key" | "title">[] = [
    { key: "?", title: "these keys" },
    { key: "q", title: "quit and clean up" },
  ]
  const cells = [...demoActions, ...more].map(({ key, title }) => `${key}  ${title}`)
  const width = Math.max(...cells.map((cell) => cell.length)) + 3
  const across = Math.max(1, Math.floor((columns - 2) / width))
  const down = Math.ceil(cells.length / across)
  const lines = [""]
  for (let row = 0; row < down; row++) {
    const line = Array.from({ length: across }, (_, column) =>
      (cells[column * down + row] ?? "").padEnd(width),
    )
    lines.push(`  ${line.join("")}`.trimEnd())
  }
  return lines
}
