// Waits for something on the plane, looking again and again, with a line of progress on a terminal.

import { sleep } from "../base/clock.ts"
import { systemClock } from "../base/system.ts"
import type { Cli } from "./command.ts"

export interface Glance {
  readonly done: boolean
  /** For people who wait. */
  readonly text: string
}

const firstMs = 50
const longestMs = 1000

/** False when the time was over first. */
export async function waitUntil(
  cli: Cli,
  limitMs: number,
  glance: () => Promise<Glance>,
): Promise<boolean> {
  const deadline = systemClock.monotonic() + limitMs
  for (let waitMs = firstMs; ; waitMs = Math.min(longestMs, waitMs * 1.5)) {
    const { done, text } = await glance()
    cli.terminal.draw(done ? "" : text)
    if (done) return true
    if (systemClock.monotonic() >= deadline) {
      cli.terminal.draw("")
      return false
    }
    await sleep(systemClock, Math.min(waitMs, limitMs))
  }
}
