// The invariants as they stand: state, since when, last looked at, what breaks them, and what is
// kept back or stopped because of each. Shows nobody an invariant that they may not read.

import { toTimestamp } from "../base/clock.ts"
import { waitingPhases } from "../contract/plan.ts"
import type { InvariantStanding } from "../controllers/invariant-keeper.ts"
import { setpointGroup } from "../object/object.ts"
import type { Plane } from "./plane.ts"
import type { Sight } from "./route-access.ts"

const keptShown = 50
const codes: ReadonlySet<string> = new Set([
  "InvariantBroken",
  "InvariantUnknown",
  "InvariantWaits",
])

export function invariantsOf(plane: Plane, sight: Sight): object {
  const seen = plane.invariants.keeper.standing().filter(({ invariant }) => {
    const { namespace, name } = invariant
    const place = { group: setpointGroup, resource: "invariants", namespace, name }
    return sight.may({ verb: "get", ...place })
  })
  return { invariants: seen.sort(byTrouble).map((one) => view(plane, one, sight)) }
}

function view(plane: Plane, standing: InvariantStanding, sight: Sight): object {
  const { invariant, state, since, message, evidence, correction, turning } = standing
  const { name, namespace, loop, spec } = invariant
  const { expression, kinds, over, signals, onBroken, forMs } = spec
  const { checkedAt } = standing
  const kept = sight.journal(loop) ? keptBack(plane, loop, name) : []
  const stops = sight.loop(loop) ? stopsOf(plane, loop, name) : []
  const prune = sight.loop(loop) ? prunesOf(plane, loop, name) : {}
  return {
    ...{ name, namespace, loop, expression, kinds, over, signals, onBroken, forMs },
    ...{ state: state ?? "Unknown", since, message, evidence: evidence.slice(0, keptShown) },
    ...(correction === undefined ? {} : { correction }),
    ...(checkedAt === undefined ? {} : { checkedAt: toTimestamp(checkedAt) }),
    ...(turning === undefined ? {} : { turning }),
    keptCount: kept.length,
    kept: kept.slice(0, keptShown),
    ...prune,
    stops,
  }
}

/** What the source no longer declares and this invariant keeps from being deleted. */
function prunesOf({ loops }: Plane, loop: string, name: string): object {
  const state = loops.sourceState(loop)
  const kept = state === undefined || !("kept" in state) ? undefined : state.kept
  if (kept === undefined || !names(kept.why, name)) return {}
  return { prune: { objects: kept.keys.size, why: kept.why } }
}

interface Kept {
  readonly object: string
  readonly code: string
  readonly message: string
  readonly plan?: string
}

/** What guards kept back by this invariant's name: objects and actions that wait. */
function keptBack({ engine }: Plane, loop: string, name: string): Kept[] {
  const found = new Map<string, Kept>()
  for (const { key, reason, message } of engine.reporter.unconverged(loop)) {
    if (codes.has(reason) && names(message, name)) {
      found.set(key, { object: key, code: reason, message })
    }
  }
  const plan = engine.plans.pending(loop)
  const waits = plan !== undefined && waitingPhases.has(plan.phase) ? plan.held : []
  for (const { action, reasons } of waits) {
    const reason = reasons.find((one) => codes.has(one.code) && names(one.message, name))
    if (reason === undefined || plan === undefined) continue
    const { code, message } = reason
    found.set(action.object, { object: action.object, code, message, plan: plan.name })
  }
  return [...found.values()]
}

/** By the whole name: `one` is not `one-admin`. */
function names(message: string, name: string): boolean {
  const start = message.indexOf(`invariant ${name}`)
  if (start < 0) return false
  return !/[a-z0-9.-]/.test(message.charAt(start + "invariant ".length + name.length))
}

function stopsOf({ ports }: Plane, loop: string, name: string): object[] {
  return ports.stop
    .entries()
    .filter((one) => one.loop === loop && one.reason?.startsWith(`invariant ${name}:`) === true)
    .map(({ scope, at, by }) => ({ scope, at, by }))
}

const rank = { Broken: 0, Unknown: 1, Holding: 2 } as const

function byTrouble(left: InvariantStanding, right: InvariantStanding): number {
  const order = rank[left.state ?? "Unknown"] - rank[right.state ?? "Unknown"]
  const [one, other] = [left.invariant, right.invariant].map(
    ({ namespace, name }) => `${namespace}/${name}`,
  )
  return order !== 0 ? order : (one ?? "") < (other ?? "") ? -1 : 1
}
