// How long to wait after the n-th failure in a row: exponential with full jitter, so that many keys
// that failed together do not come back together.

import { protects } from "../base/protections.ts"
import type { Random } from "../base/random.ts"

export interface BackoffOptions {
  readonly baseMs: number
  readonly maxMs: number
}

export const defaultBackoff: BackoffOptions = { baseMs: 250, maxMs: 300_000 }

/** `failures` counts from 1. Never 0 ms: even the luckiest draw lets other work go first. */
export function backoffMs(failures: number, options: BackoffOptions, random: Random): number {
  const exponent = protects("backoff-grows") ? Math.min(Math.max(failures, 1) - 1, 40) : 0
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** exponent)
  const part = protects("backoff-jitter") ? random.next() : 1
  return Math.max(1, Math.floor(part * ceiling))
}
