// Everything that is wrong now and that a person should know, gathered from what the plane holds in
// memory: plans that wait, stops, broken invariants, loops with objects that need someone, sources
// that can't be used. Whoever looks from a namespace sees that namespace; all of it is seen from
// setpoint-system.

import { systemNamespace } from "../api/admission/loop-label.ts"
import { parseLoopId } from "../contract/loop.ts"
import type { Alarm } from "../contract/notification.ts"
import { stopText } from "../contract/stop.ts"
import { planSummary } from "../controllers/plan-object.ts"
import { issueText } from "../controllers/source-state.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { invariantKey } from "./alarm-doubts.ts"
import type { Plane } from "./plane.ts"

/** When something that has no time of its own was first seen. */
export class AlarmTimes {
  readonly #since = new Map<string, number>()

  of(key: string, now: number): number {
    const since = this.#since.get(key) ?? now
    this.#since.set(key, since)
    return since
  }

  /** What is gone begins anew when it comes back. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#since.keys()) if (!keys.has(key)) this.#since.delete(key)
  }
}

export function alarmsOf(plane: Plane, times: AlarmTimes): readonly Alarm[] {
  const now = plane.ports.clock.now()
  const loops = plane.loops.all()
  const drafts = [
    ...stops(plane),
    ...loops.flatMap((loop) => [...held(plane, loop), ...stalled(plane, loop)]),
    ...loops.flatMap((loop) => failingSource(plane, loop)),
    ...brokenInvariants(plane),
  ]
  times.keepOnly(new Set(drafts.map(({ key }) => key)))
  return drafts.map((draft) => ({ ...draft, since: draft.since ?? times.of(draft.key, now) }))
}

/** As seen from a namespace. */
export function alarmsFor(namespace: string, alarms: readonly Alarm[]): readonly Alarm[] {
  if (namespace === systemNamespace) return alarms
  return alarms.filter(
    ({ loop }) => loop === undefined || parseLoopId(loop).namespace === namespace,
  )
}

type Draft = Omit<Alarm, "since"> & { readonly since?: number }

/** A pause of one object is somebody's daily work. */
function stops({ ports }: Plane): readonly Draft[] {
  const wide = ports.stop.entries().filter(({ object }) => object === undefined)
  return wide.map((entry): Draft => {
    const message = stopText(entry)
    const loop = entry.loop === "*" ? {} : { loop: entry.loop }
    const subject = entry.scope === "all" ? "all acting" : "deletes"
    const began = Date.parse(entry.at)
    const since = Number.isFinite(began) ? { since: began } : {}
    const next = "setpoint status"
    return { key: `stop/${message}`, type: "Stopped", ...loop, subject, message, ...since, next }
  })
}

function held({ engine }: Plane, { id: loop }: LoopEngine): readonly Draft[] {
  const plan = engine.plans.pending(loop)
  if (plan === undefined) return []
  const subject = `plan ${plan.name}`
  const message = `${planSummary(plan.held)}: ${plan.held[0]?.reasons[0]?.message ?? "held"}`
  const next = `setpoint plans ${plan.name}`
  return [{ key: `held/${loop}/${plan.name}`, type: "Held", loop, subject, message, next }]
}

/** One alarm for all objects of a loop: a hundred that fail together are one trouble. */
function stalled({ engine }: Plane, { id: loop }: LoopEngine): readonly Draft[] {
  const stuck = engine.reporter.unconverged(loop).filter(({ state }) => state === "stuck")
  const [first] = stuck
  if (first === undefined) return []
  const others = stuck.length === 1 ? "" : ` and ${stuck.length - 1} more`
  const subject = `${first.key}${others}`
  const next = `setpoint explain ${first.key}`
  const { message, since } = first
  return [{ key: `stalled/${loop}`, type: "Stalled", loop, subject, message, since, next }]
}

function failingSource({ loops }: Plane, { id: loop }: LoopEngine): readonly Draft[] {
  const state = loops.sourceState(loop)
  if (state === undefined || state.kind === "reading" || state.kind === "good") return []
  const [issue] = state.issues
  const message = `it is ${state.kind}, the last good revision stays: ${
    issue === undefined ? "no reason is known" : issueText(issue)
  }`
  const subject = loops.sourceOf(loop)?.description ?? "source"
  const key = `source/${loop}`
  return [{ key, type: "SourceFailing", loop, subject, message, next: "setpoint status" }]
}

function brokenInvariants({ invariants }: Plane): readonly Draft[] {
  return invariants.keeper.standing().flatMap(({ invariant, state, message, since }): Draft[] => {
    if (state !== "Broken") return []
    const { name, namespace, loop } = invariant
    const began = Date.parse(since)
    return [
      {
        key: invariantKey(invariant),
        ...{ type: "InvariantBroken", loop, subject: `invariant ${name}`, message },
        ...(Number.isFinite(began) ? { since: began } : {}),
        next: `setpoint describe invariant ${name} -n ${namespace}`,
      },
    ]
  })
}
