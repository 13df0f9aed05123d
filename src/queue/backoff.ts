// How long to wait after the n-th failure in a row: exponential with full jitter, so that many keys
// that failed together do not come back together.

import type { Random } from "../base/random.ts"

export interface BackoffOptions {
  readonly baseMs: number
  readonly maxMs: number
}

export const defaultBackoff: BackoffOptions = { baseMs: 250, maxMs: 300_000 }

/** `failures` counts from 1. Never 0 ms: even the luckiest draw lets other work go first. */
export function backoffMs(failures: number, options: BackoffOptions, random: Random): number {
  const exponent = Math.min(Math.max(failures, 1) - 1, 40)
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** exponent)
  return Math.max(1, Math.floor(random.next() * ceiling))
}
