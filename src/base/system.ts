// The named adapter for real time and randomness. Composition roots hand these in; nothing else
// in the core may import this file (test/tidy checks it).

import { randomBytes } from "node:crypto"
import type { Clock } from "./clock.ts"
import type { Random } from "./random.ts"

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, wake) {
    const handle = setTimeout(wake, Math.min(delayMs, 0x7fffffff))
    return { cancel: () => clearTimeout(handle) }
  },
}

export const systemRandom: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  next: () => Math.random(),
}
