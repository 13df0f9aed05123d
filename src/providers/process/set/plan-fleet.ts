// One step of scaling and replacing, as a pure function: which replicas stay, which are taken out
// of service, which are let go, and in which free slots new ones are made. It never takes a replica
// out of service when fewer than `replicas - maxUnavailable` would be left, and never makes one
// beyond `replicas + maxSurge`, those that are still stopping counted.

import { protects } from "../../../base/protections.ts"
import type { Replica } from "./replica.ts"

export interface FleetWish {
  readonly replicas: number
  readonly maxSurge: number
  readonly maxUnavailable: number
  readonly minReadyMs: number
  readonly drainMs: number
  /** The revision that all replicas should have. */
  readonly revision: string
}

export interface Kept {
  readonly replica: Replica
  readonly drainingSince: number | undefined
}

export interface FleetPlan {
  /** Everything else that exists is let go. */
  readonly kept: readonly Kept[]
  /** Slots in which replicas of the wished revision are made. */
  readonly made: readonly number[]
  /** When something changes by time alone, in milliseconds. */
  readonly nextAt: number | undefined
}

/** How exactly the end of a balancer's use is known. */
const markAgainMs = 1000

/** In service, and ready for long enough. */
export function isAvailable(replica: Replica, minReadyMs: number, now: number): boolean {
  if (!replica.ready || replica.ending || replica.drainingSince !== undefined) return false
  if (minReadyMs === 0) return true
  return replica.readySince !== undefined && now - replica.readySince >= minReadyMs
}

export function planFleet(wish: FleetWish, replicas: readonly Replica[], now: number): FleetPlan {
  const here = replicas.filter((one) => !one.ending)
  const available = (one: Replica) => isAvailable(one, wish.minReadyMs, now)
  const revived = chooseRevived(wish, here)
  const serving = here.filter((one) => one.drainingSince === undefined || revived.has(one))
  const leaving = chooseLeaving(wish, serving, available)
  const kept = here.flatMap((one) => keep(wish, one, revived.has(one), leaving.has(one), now))
  const current = serving.filter((one) => one.revision === wish.revision && !leaving.has(one))
  const room = wish.replicas + wish.maxSurge - replicas.length
  const made = freeSlots(replicas, Math.min(wish.replicas - current.length, room))
  return { kept, made, nextAt: nextTime(wish, kept, now) }
}

/** Replicas on their way out that are wanted after all: the spec went back, or was scaled up. */
function chooseRevived(wish: FleetWish, here: readonly Replica[]): Set<Replica> {
  const current = here.filter((one) => one.revision === wish.revision)
  const missing = wish.replicas - current.filter((one) => one.drainingSince === undefined).length
  const draining = current.filter((one) => one.drainingSince !== undefined)
  const best = [...draining].sort((a, b) => Number(b.ready) - Number(a.ready) || bySlot(a, b))
  return new Set(best.slice(0, Math.max(0, missing)))
}

function chooseLeaving(
  wish: FleetWish,
  serving: readonly Replica[],
  available: (one: Replica) => boolean,
): Set<Replica> {
  const least = wish.replicas - wish.maxUnavailable
  const old = serving.filter((one) => one.revision !== wish.revision)
  const current = serving.filter((one) => one.revision === wish.revision)
  const leaving = new Set<Replica>()
  // Replicas that do no work go first, but not all at once: new ones have to prove themselves.
  const unproven = current.filter((one) => !available(one)).length
  const spare = Math.max(0, serving.length - least - unproven)
  const idle = old.filter((one) => !available(one)).sort(bySlot)
  for (const one of idle.slice(0, spare)) leaving.add(one)
  const surplus = Math.max(0, current.length - wish.replicas)
  const ranked = [...current].sort(
    (a, b) => Number(available(a)) - Number(available(b)) || bySlot(b, a),
  )
  const working = old.filter(available).sort(bySlot)
  let budget = serving.filter(available).length - least
  if (!protects("rollout-keeps-availability")) budget = serving.length
  for (const one of [...working, ...ranked.slice(0, surplus)]) {
    if (!available(one)) leaving.add(one)
    else if (budget > 0) {
      leaving.add(one)
      budget--
    }
  }
  return leaving
}

function keep(
  wish: FleetWish,
  replica: Replica,
  revived: boolean,
  leaving: boolean,
  now: number,
): Kept[] {
  if (revived) return [{ replica, drainingSince: undefined }]
  const since = replica.drainingSince ?? (leaving ? now : undefined)
  if (since === undefined) return [{ replica, drainingSince: undefined }]
  const drains = protects("drained-before-stopped") && replica.ready
  if (!drains) return []
  // The time counts from when no balancer has it any more. A time in the future is a clock that was
  // set back: the wait begins again, and ends.
  const listed = replica.listed && now - since >= markAgainMs
  const drainingSince = listed ? now : Math.min(since, now)
  if (!replica.listed && now - drainingSince >= wish.drainMs) return []
  return [{ replica, drainingSince }]
}

function freeSlots(replicas: readonly Replica[], count: number): number[] {
  const taken = new Set(replicas.map((one) => one.slot))
  const free: number[] = []
  for (let slot = 0; free.length < count; slot++) if (!taken.has(slot)) free.push(slot)
  return free
}

function nextTime(wish: FleetWish, kept: readonly Kept[], now: number): number | undefined {
  const times = kept.flatMap(({ drainingSince, replica }) => {
    if (drainingSince !== undefined) return replica.listed ? [] : [drainingSince + wish.drainMs]
    return replica.readySince === undefined ? [] : [replica.readySince + wish.minReadyMs]
  })
  const coming = times.filter((time) => time > now)
  return coming.length === 0 ? undefined : Math.min(...coming)
}

const bySlot = (a: Replica, b: Replica) => (a.slot ?? -1) - (b.slot ?? -1)
