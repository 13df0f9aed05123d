// A GuardPolicy: what holds for many loops at once, and what none of them can loosen.

import type { LoopLimits, TimeWindow } from "./loop.ts"

export interface GuardPolicy {
  readonly name: string
  /** Ids of loops, `NAMESPACE.*` or `*`. */
  readonly loops: readonly string[]
  /** For each of these loops. */
  readonly limits?: LoopLimits
  /** For all loops of the plane together. */
  readonly everywhere?: { readonly deletes: number; readonly windowMs: number }
  /** Destroying one of these always waits for a person. */
  readonly protectedKinds: readonly string[]
  readonly approvals: {
    readonly required: number
    readonly separateAuthor: boolean
    readonly approvers: readonly string[]
  }
  /** Nothing acts inside of these. */
  readonly freezes: readonly TimeWindow[]
}

export function covers({ loops }: GuardPolicy, loop: string): boolean {
  return loops.some((one) => {
    if (one === "*" || one === loop) return true
    return one.endsWith(".*") && loop.startsWith(one.slice(0, -1))
  })
}
