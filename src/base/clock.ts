// Time as a port. Nothing else in the core may read a clock or set a timer, so that the simulator
// can run the whole plane in virtual time.

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall time in milliseconds since 1970. May jump: never use it to order things. */
  now(): number
  /** Milliseconds that only grow; for durations, freshness and deadlines. */
  monotonic(): number
  /** Since this boot of the machine, which outlives processes; undefined where unknown. */
  sinceBoot?(): { readonly id: string; readonly ms: number } | undefined
  /** Calls `wake` once after the delay. */
  after(delayMs: number, wake: () => void): Timer
}

let lastSecond = Number.NaN
let lastText = ""

/** To the second. The last one is kept: many objects are written within one second. */
export function toTimestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}

/** Sleeps, or ends early with `false` when the signal aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false)
    const onAbort = () => {
      timer.cancel()
      resolve(false)
    }
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort)
      resolve(true)
    })
    signal?.addEventListener("abort", onAbort, { once: true })
  })
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** "5m", "1h30m", "250ms" to milliseconds; undefined when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  let total = 0
  let rest = text
  while (rest !== "") {
    const match = /^(\d{1,9})(ms|s|m|h|d)/.exec(rest)
    const unit = units[match?.[2] ?? ""]
    if (match === null || unit === undefined) return undefined
    total += Number(match[1]) * unit
    rest = rest.slice(match[0].length)
  }
  return text === "" ? undefined : total
}
