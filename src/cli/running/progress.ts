// How far a plane has come, as one line that is drawn over itself on a terminal, and one sentence
// when it went quiet. Off a terminal only the sentence is printed.

import type { Plane } from "../../plane/plane.ts"
import { convergedCount } from "../../plane/status-view.ts"
import type { LoopEngine } from "../../reconcile/loop-engine.ts"
import type { Terminal } from "../terminal.ts"

export interface Progress {
  readonly objects: number
  readonly converged: number
  /** Held, denied or stuck: someone has to do something. */
  readonly waiting: number
  /** A loop whose source is not read yet, or objects that a pass has still to look at. */
  readonly busy: boolean
}

const needSomeone = new Set(["held", "denied", "stuck", "retrying"])

export function progressOf(plane: Plane, ids: readonly string[]): Progress {
  const sum = { objects: 0, converged: 0, waiting: 0, busy: false }
  for (const id of ids) {
    const loop = plane.loops.get(id)
    if (loop === undefined) {
      sum.busy = true
      continue
    }
    addLoop(sum, plane, loop)
  }
  sum.busy ||= sum.converged + sum.waiting < sum.objects
  return sum
}

function addLoop(
  sum: { objects: number; converged: number; waiting: number; busy: boolean },
  plane: Plane,
  { id, spec }: LoopEngine,
): void {
  const { engine, loops } = plane
  sum.objects += engine.feed?.count(id) ?? 0
  sum.converged += convergedCount(plane, id)
  for (const { state, reason } of engine.reporter.unconverged(id)) {
    if (needSomeone.has(state) || reason === "Restored" || spec.mode === "Observe") sum.waiting++
  }
  // A source that is not opened yet has no state: nothing declared is not the same as not read.
  const source = loops.sourceState(id)?.kind
  if (source === "reading" || (source === undefined && spec.source !== undefined)) sum.busy = true
}

export function progressText({ objects, converged }: Progress, columns: number): string {
  const width = Math.max(0, Math.min(30, columns - 50))
  const filled = objects === 0 ? 0 : Math.floor((width * converged) / objects)
  const bar = width < 5 ? "" : `  ${"█".repeat(filled)}${"░".repeat(width - filled)}`
  return `converging  ${converged} of ${objects} objects${bar}`.slice(0, Math.max(10, columns - 1))
}

export function quietText({ objects, converged, waiting }: Progress, ms: number): string {
  const time = ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
  const all = `${converged} of ${objects} as declared after ${time}`
  return waiting === 0 ? `${all}; watching` : `${all}; ${waiting} need someone`
}

/** A line at the bottom of a terminal that gives way to every line printed meanwhile. */
export class StatusLine {
  readonly #terminal: Terminal
  #text = ""

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  show(text: string): void {
    if (!this.#terminal.interactive || text === this.#text) return
    this.#text = text
    this.#terminal.draw(text)
  }

  print(line: string): void {
    const text = this.#text
    this.clear()
    this.#terminal.print(line)
    this.show(text)
  }

  clear(): void {
    if (this.#text !== "") this.#terminal.draw("")
    this.#text = ""
  }
}
