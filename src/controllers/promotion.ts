// Which revision a loop may take that is promoted from another one: the newest that the other loop
// proved, or the reason why there is none. Whatever is in the way, the answer is never "take
// another one instead". Pure; the running plane and a cold plan share it.

import { protects } from "../base/protections.ts"
import type { LoopSpec, PromotionSpec } from "../contract/loop.ts"
import { newestProven, type Proofs } from "../ledger/proofs.ts"

export interface PromotionFacts {
  specOf(loop: string): LoopSpec | undefined
  /** Whether there is such a loop, which may not be open yet. */
  exists(loop: string): boolean
  /** What it has now, which it may not have looked at yet. */
  revisionOf?(loop: string): string | undefined
  /** The revision of its source that a person rolled the loop back from, while that stands. */
  rolledBackFrom(loop: string): string | undefined
  readonly proofs: Pick<Proofs, "of">
}

export type Promotion =
  /** `waiting`: something newer is on its way. */
  | { readonly kind: "take"; readonly revision: string; readonly waiting?: string }
  | { readonly kind: "wait"; readonly waiting: string }
  | { readonly kind: "refused"; readonly why: string; readonly hint: string }

/** Undefined for a loop that takes what its source has. */
export function promotionOf(loop: string, facts: PromotionFacts): Promotion | undefined {
  const spec = facts.specOf(loop)?.source
  if (spec?.promotion === undefined) return undefined
  const { promotion } = spec
  const { from } = promotion
  if (facts.specOf(from) === undefined && facts.exists(from)) {
    return { kind: "wait", waiting: `waiting for ${from}: it has not been opened yet` }
  }
  const refused = obstacle(loop, promotion, facts)
  if (refused !== undefined) return { kind: "refused", ...refused }
  const proof = facts.proofs.of(from)
  const known = proof?.repository === spec.git?.url ? proof : undefined
  const proven = newestProven(known, promotion.cleanRounds)
  const counted = known?.revisions.at(-1)
  const revisionNow = facts.revisionOf?.(from) ?? counted?.revision
  const isNew = revisionNow !== undefined && revisionNow !== counted?.revision
  const current = isNew ? { revision: revisionNow, rounds: 0 } : counted
  if (!protects("promotion-takes-what-is-proven") && current !== undefined) {
    return { kind: "take", revision: current.revision }
  }
  const bad = facts.rolledBackFrom(from)
  const back = bad === undefined ? "" : `waiting: ${shortRevision(bad)} was rolled back in ${from}`
  const waiting = current?.revision === bad ? back : waitingText(promotion, current)
  // What it proved before somebody saw what is wrong with it counts no more. Nor is an older one
  // taken instead: this loop may have gone past that already.
  if (proven?.revision === bad && bad !== undefined) return { kind: "wait", waiting: back }
  if (proven === undefined) return { kind: "wait", waiting }
  const { revision } = proven
  return revision === current?.revision
    ? { kind: "take", revision }
    : { kind: "take", revision, waiting }
}

/** "waiting for default.staging: 2 of 3 clean rounds at 1f3c5a7e9b0d" */
function waitingText(
  { from, cleanRounds }: PromotionSpec,
  current: { readonly revision: string; readonly rounds: number } | undefined,
): string {
  if (current === undefined) return `waiting for ${from}: it has looked at no revision yet`
  const { rounds, revision } = current
  const proven = `${rounds} of ${cleanRounds} clean rounds`
  return `waiting for ${from}: ${proven} at ${shortRevision(revision)}`
}

export const shortRevision = (revision: string): string => revision.slice(0, 12)

function obstacle(
  loop: string,
  { from }: PromotionSpec,
  { specOf }: PromotionFacts,
): { readonly why: string; readonly hint: string } | undefined {
  const own = specOf(loop)?.source
  if (own?.git === undefined) {
    const why = "this loop's source is no git repository, and can't be read as it was"
    return { why, hint: "keep both environments in one git repository" }
  }
  const other = specOf(from)
  if (other === undefined) {
    return { why: "there is no such loop", hint: "make it, or correct spec.source.promotion.from" }
  }
  if (other.source?.git?.url !== own.git.url) {
    const hint = "point both loops at the same repository, each at its own folder"
    return { why: "its source is another repository", hint }
  }
  const seen = [loop]
  for (let next: string | undefined = from; next !== undefined; ) {
    seen.push(next)
    if (next === loop) {
      const why = `promotions go in a circle: ${seen.join(" from ")}`
      return { why, hint: "let one of these loops take what its source has" }
    }
    if (seen.indexOf(next) < seen.length - 1) break // A circle of others, which hold by themselves.
    next = specOf(next)?.source?.promotion?.from
  }
  return undefined
}

/** How many clean rounds others ask of this loop; undefined when nobody promotes from it. */
export function roundsAsked(
  loop: string,
  all: Iterable<{ readonly spec: LoopSpec }>,
): number | undefined {
  let asked: number | undefined
  for (const { spec } of all) {
    const promotion = spec.source?.promotion
    if (promotion?.from === loop) asked = Math.max(asked ?? 0, promotion.cleanRounds)
  }
  return asked
}

/** How a loop that is promoted stands, for people. */
export function promotionView(promotion: Promotion): {
  readonly state: "taken" | "waiting" | "refused"
  readonly message: string
} {
  if (promotion.kind === "refused") return { state: "refused", message: promotion.why }
  if (promotion.kind === "wait") return { state: "waiting", message: promotion.waiting }
  const { revision, waiting } = promotion
  const taken = `at ${shortRevision(revision)}, which is proven`
  return waiting === undefined
    ? { state: "taken", message: taken }
    : { state: "waiting", message: `${taken}; ${waiting}` }
}
