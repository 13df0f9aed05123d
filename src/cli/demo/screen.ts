// What the demo's screen looks like: the first one, the keys, the line with the counters. Pure.

import type { DemoAction } from "./stage.ts"

export interface Places {
  readonly folder: string
  readonly dashboard: string
  readonly kubeconfig: string
  readonly frontPort: number
}

type Cell = Pick<DemoAction, "key" | "title">

/** Fits 80 columns and 24 lines together with the two lines before it and the counters below. */
export function firstScreen(places: Places, actions: readonly Cell[], columns: number): string[] {
  const { folder, dashboard, kubeconfig, frontPort } = places
  return [
    `dashboard  ${dashboard}`,
    `kubectl    export KUBECONFIG=${kubeconfig}`,
    `shell      cd ${folder} && ./setpoint status`,
    "",
    "site   100 config files: site/ declares, www/ has them; a naive loop keeps naive/",
    `web    5 replicas behind http://127.0.0.1:${frontPort}, under load all the time`,
    "quota  tenant ann uses 10 of its 10 GPUs (simulated ones)",
    ...helpLines(actions, columns),
    "",
    "Try k, then r and a, then 9. Each key prints the command that it runs.",
  ]
}

export function lastScreen(program: string): string[] {
  return [
    "",
    "Now a folder of your own. It only looks until you say otherwise:",
    `  ${program} up FOLDER --mode Observe`,
    `  ${program} plan FOLDER            # what it would do`,
  ]
}

/** The keys in as many columns as fit. */
export function helpLines(actions: readonly Cell[], columns: number): string[] {
  const cells = actions.map(({ key, title }) => `${key}  ${title}`)
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

export interface Counters {
  readonly requests: number
  readonly failed: number
  readonly files: number
  readonly naive: number
  readonly waiting: string
}

export function counterLine(counters: Counters, columns: number): string {
  const { requests, failed, files, naive, waiting } = counters
  const counts = `web ${requests} requests, ${failed} failed | www ${files} | naive ${naive}`
  return `${counts}${waiting === "" ? "" : ` | ${waiting}`}`.slice(0, Math.max(0, columns - 1))
}

/** Breaks between words; the rest is indented a little more than the first line. */
export function wrapLine(text: string, width: number): string[] {
  const indent = `${/^ */.exec(text)?.[0] ?? ""}  `
  const lines: string[] = []
  let rest = text
  while (rest.length > width && width > indent.length + 10) {
    const space = rest.lastIndexOf(" ", width)
    // A word that is too long, a link, stays whole: terminals wrap it so that it can be copied.
    const end = space < indent.length ? rest.indexOf(" ", width) : space
    if (end < 0) break
    lines.push(rest.slice(0, end).trimEnd())
    rest = `${indent}${rest.slice(end).trimStart()}`
  }
  return [...lines, rest]
}

/** The beginning and the end of a long output. */
export function shortened(lines: readonly string[], head = 14, tail = 2): readonly string[] {
  const left = lines.length - head - tail
  if (left <= 1) return lines
  return [...lines.slice(0, head), `... ${left} more lines ...`, ...lines.slice(-tail)]
}
