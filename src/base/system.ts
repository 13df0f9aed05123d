// The named adapter for real time and randomness. Composition roots hand these in; nothing else
// in the core may import this file (test/tidy checks it).

import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"
import type { Clock } from "./clock.ts"
import type { Random } from "./random.ts"

const bootId = readBootId()

/** Other systems do not name their boots. */
function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return undefined
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => (bootId === undefined ? undefined : { id: bootId, ms: uptime() * 1000 }),
  after(delayMs, wake) {
    const handle = setTimeout(wake, Math.min(delayMs, 0x7fffffff))
    return { cancel: () => clearTimeout(handle) }
  },
}

const poolBytes = 4096
let pool = new Uint8Array(0)
let used = 0

/** Asking the system for a few bytes costs as much as asking for many; each byte is given once. */
function pooledBytes(count: number): Uint8Array {
  if (count > poolBytes / 8) return new Uint8Array(randomBytes(count))
  if (used + count > pool.length) {
    pool = new Uint8Array(randomBytes(poolBytes))
    used = 0
  }
  const bytes = pool.slice(used, used + count)
  pool.fill(0, used, used + count)
  used += count
  return bytes
}

export const systemRandom: Random = {
  bytes: pooledBytes,
  next: () => Math.random(),
}
