// What can go wrong in a simulated system, as rules that a test lays down: on which calls, how, how
// often. The first rule that matches a call decides; without one the call simply works.

import type { SimRandom } from "./sim-random.ts"

export type SimCall = "observe" | "list" | "create" | "update" | "delete" | "batch"

export type SimFaultHow =
  /** Proven refusals and failures before any effect. */
  | "unauthorized"
  | "throttled"
  | "refused"
  | "serverError"
  /** The effect happens, the answer does not arrive. */
  | "lostReply"
  /** Never answers; ends when the caller's signal aborts. With and without the effect. */
  | "hang"
  | "hangAfter"
  | "slow"
  /** The effect lands after a while, also when the caller has given up meanwhile. */
  | "late"
  /** Says done; the effect lands after a while, or never. */
  | "accepted"
  | "lieDone"
  /** An update makes the first of its changes, then the answer is lost. */
  | "half"
  /** A list ends early and says so. */
  | "partialList"
  /** A list, complete as it says, without anything; an absence that is none. */
  | "lieEmpty"
  /** The state of a while ago, as if it were now. */
  | "stale"

export interface SimFaultRule {
  readonly how: SimFaultHow
  /** Every call when missing. */
  readonly on?: readonly SimCall[]
  /** Only calls that concern this identity. */
  readonly identity?: string
  /** How many calls it hits; for ever when missing. */
  readonly times?: number
  /** Lets so many matching calls pass first. */
  readonly skip?: number
  /** For "slow", "late", "accepted" and "stale": how much. */
  readonly ms?: number
}

interface ActiveRule {
  readonly rule: SimFaultRule
  skip: number
  left: number
}

export class SimFaults {
  #rules: ActiveRule[] = []
  #storm: { readonly random: SimRandom; rate: number; kinds: readonly SimFaultRule[] } | undefined

  /** Lays a rule down; the answer lifts it again. */
  add(rule: SimFaultRule): () => void {
    const left = rule.times ?? Number.POSITIVE_INFINITY
    const active: ActiveRule = { rule, skip: rule.skip ?? 0, left }
    this.#rules.push(active)
    return () => {
      this.#rules = this.#rules.filter((one) => one !== active)
    }
  }

  /** Any of these at random, until `calm`. */
  storm(random: SimRandom, rate: number, kinds: readonly SimFaultRule[]): void {
    this.#storm = { random, rate, kinds }
  }

  /** Everything works again. */
  calm(): void {
    this.#rules = []
    this.#storm = undefined
  }

  match(call: SimCall, identities: readonly string[]): SimFaultRule | undefined {
    for (const active of this.#rules) {
      if (active.left <= 0 || !concerns(active.rule, call, identities)) continue
      if (active.skip > 0) {
        active.skip--
        continue
      }
      active.left--
      return active.rule
    }
    const storm = this.#storm
    if (storm === undefined || !storm.random.chance(storm.rate)) return undefined
    return storm.random.pick(storm.kinds.filter((rule) => concerns(rule, call, identities)))
  }
}

function concerns(rule: SimFaultRule, call: SimCall, identities: readonly string[]): boolean {
  if (rule.on !== undefined && !rule.on.includes(call)) return false
  return rule.identity === undefined || identities.includes(rule.identity)
}
