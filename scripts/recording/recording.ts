// What a program wrote to its terminal and when, as frames for a picture. Pure.

import type { Frame } from "./svg-film.ts"
import { TerminalScreen } from "./terminal-screen.ts"

export interface Written {
  /** Seconds since the beginning. */
  readonly at: number
  readonly text: string
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** How often is looked, and how long a film shows what only waits. */
export interface Pace {
  readonly everySeconds: number
  readonly waitSeconds: number
  /** A line that changes while nothing happens. */
  readonly ticker: RegExp
}

/** What stood on the screen; equal looks are one frame, and nobody watches a wait to its end. */
export function framesOf(written: readonly Written[], size: Size, pace: Pace): Frame[] {
  const { everySeconds, waitSeconds, ticker } = pace
  const screen = new TerminalScreen(size.columns, size.rows)
  const frames: { rows: Frame["rows"]; seconds: number }[] = []
  const end = (written.at(-1)?.at ?? 0) + 2 * everySeconds
  let next = 0
  let waited = 0
  let before = ""
  for (let at = 0; at < end; at += everySeconds) {
    for (; next < written.length && (written[next]?.at ?? 0) <= at; next++) {
      screen.write(written[next]?.text ?? "")
    }
    const rows = screen.cells()
    const still = rows.map(textOf).filter((line) => !ticker.test(line))
    const shown = still.join("\n")
    waited = shown === before ? waited + everySeconds : 0
    before = shown
    if (waited <= waitSeconds) add(frames, rows, everySeconds)
  }
  const last = frames.at(-1)
  if (last !== undefined) last.seconds += 4
  return frames
}

function add(
  frames: { rows: Frame["rows"]; seconds: number }[],
  rows: Frame["rows"],
  seconds: number,
): void {
  const last = frames.at(-1)
  const same = last !== undefined && JSON.stringify(last.rows) === JSON.stringify(rows)
  if (same) last.seconds += seconds
  else frames.push({ rows, seconds })
}

const textOf = (row: Frame["rows"][number]): string => row.map(({ text }) => text).join("")
