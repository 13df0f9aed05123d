// A clock that runs faster than real time, so that scenarios need not sit through the pauses a
// plane makes before it believes, retries or probes. What the plane does at each step is the same.

import type { Clock } from "../../base/clock.ts"

export function hurriedClock(clock: Clock, times: number): Clock {
  const [wall, start] = [clock.now(), clock.monotonic()]
  return {
    now: () => wall + (clock.now() - wall) * times,
    monotonic: () => start + (clock.monotonic() - start) * times,
    after: (delayMs, wake) => clock.after(delayMs / times, wake),
  }
}
