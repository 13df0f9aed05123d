// A clock whose monotonic readings are all different. Freshness is decided by them: a read that
// began at the very instant at which a write ended must still be told from one that began after it.

import type { Clock } from "../base/clock.ts"

const stepMs = 1e-6
/** Two units in the last place: what makes a large reading grow at all. */
const precision = 2 ** -51

export function strictClock(clock: Clock): Clock {
  let last = 0
  return {
    now: () => clock.now(),
    sinceBoot: () => clock.sinceBoot?.(),
    monotonic: () => {
      last = Math.max(clock.monotonic(), last + Math.max(stepMs, last * precision))
      return last
    },
    after: (delayMs, wake) => clock.after(delayMs, wake),
  }
}
