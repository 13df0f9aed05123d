// The rules of the game, written down again, from the promises and not from the engine: which
// limits count (looser ones only when a person approved them), what is stopped, frozen, protected,
// which mode holds, and what may be destroyed in a window.

import type { JsonObject } from "../../../src/base/json.ts"
import type { StopEntry } from "../../../src/contract/stop.ts"
import type { SimMutation } from "../../../src/sim/sim-world.ts"
import { Timeline } from "./timeline.ts"

export interface Limit {
  readonly deletes: number
  readonly percent: number
  readonly windowMs: number
}

export interface Policy {
  readonly limit?: Limit
  readonly everywhere?: { readonly deletes: number; readonly windowMs: number }
  readonly protects: boolean
  readonly freeze?: Freeze
}

/** Begins at this minute of every hour. */
export interface Freeze {
  readonly minute: number
  readonly minutes: number
}

export type Mode = "Observe" | "Propose" | "Enforce"

/** The tighter one of each field. */
export function tighter(one: Limit, other: Limit): Limit {
  return {
    deletes: Math.min(one.deletes, other.deletes),
    percent: Math.min(one.percent, other.percent),
    windowMs: Math.max(one.windowMs, other.windowMs),
  }
}

/** When several counted in a span, nobody knows by which one it was judged: the loosest. */
export function loosest(limits: readonly Limit[]): Limit | undefined {
  const [first] = limits
  if (first === undefined) return undefined
  return limits.reduce(
    (loose, limit) => ({
      deletes: Math.max(loose.deletes, limit.deletes),
      percent: Math.max(loose.percent, limit.percent),
      windowMs: Math.min(loose.windowMs, limit.windowMs),
    }),
    first,
  )
}

export const isFrozen = ({ minute, minutes }: Freeze, wall: number): boolean => {
  const since = (Math.floor(wall / 60_000) - minute) % 60
  return (since < 0 ? since + 60 : since) < minutes
}

/** Allowed deletes per window, with at most so many targets owned. */
export const allowedBy = ({ deletes, percent }: Limit, owned: number): number =>
  Math.min(deletes, Math.max(1, Math.floor((percent * owned) / 100)))

export class LoopRules {
  readonly id: string
  readonly mode: Timeline<Mode>
  readonly limit: Timeline<Limit>
  readonly freeze: Timeline<Freeze | undefined>
  declared: Limit
  /** Glasses that people broke: from when, until when, and for how many. */
  readonly glasses: { readonly from: number; readonly until: number; readonly deletes: number }[] =
    []

  constructor(id: string, mode: Mode, limit: Limit, freeze: Freeze | undefined) {
    this.id = id
    this.mode = new Timeline(mode)
    this.limit = new Timeline(limit)
    this.freeze = new Timeline(freeze)
    this.declared = limit
  }

  declare(at: number, limit: Limit, ownsAny: boolean): void {
    this.declared = limit
    this.limit.set(at, ownsAny ? tighter(this.limit.now, limit) : limit)
  }

  loosened(at: number): void {
    this.limit.set(at, this.declared)
  }
}

export class PolicyRules {
  readonly inForce = new Timeline<Policy | undefined>(undefined)
  declared: Policy | undefined

  declare(at: number, policy: Policy | undefined): void {
    this.declared = policy
    this.inForce.set(at, tighterPolicy(this.inForce.now, policy))
  }

  loosened(at: number): void {
    this.inForce.set(at, this.declared)
  }
}

function tighterPolicy(before: Policy | undefined, after: Policy | undefined): Policy | undefined {
  if (before === undefined) return after
  if (after === undefined) return before
  const limit =
    before.limit !== undefined && after.limit !== undefined
      ? tighter(before.limit, after.limit)
      : (before.limit ?? after.limit)
  const [one, other] = [before.everywhere, after.everywhere]
  const everywhere =
    one !== undefined && other !== undefined
      ? {
          deletes: Math.min(one.deletes, other.deletes),
          windowMs: Math.max(one.windowMs, other.windowMs),
        }
      : (one ?? other)
  const freeze = before.freeze ?? after.freeze
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(everywhere === undefined ? {} : { everywhere }),
    ...(freeze === undefined ? {} : { freeze }),
    protects: before.protects || after.protects,
  }
}

export const stops = (
  { loop, object, scope }: StopEntry,
  act: { readonly loop: string; readonly object: string; readonly destroys: boolean },
): boolean => {
  if (scope === "deletes" && !act.destroys) return false
  return object === undefined ? loop === "*" || loop === act.loop : object === act.object
}

/** What a mutation destroyed, by what was there before and after it. */
export function destroyedBy({ verb, before = {}, after = {} }: SimMutation): number {
  if (verb === "created") return 0
  if (verb === "deleted") return 1
  return (
    toZero(before, after) +
    sooner(before, after) +
    tagsGone(before, after) +
    rulesGone(before, after)
  )
}

function toZero(before: JsonObject, after: JsonObject): number {
  const count = Number(before.replicas ?? 0)
  return count > 0 && Number(after.replicas ?? 0) === 0 ? count : 0
}

function sooner({ ttl: then }: JsonObject, { ttl: now }: JsonObject): number {
  return typeof then === "number" && typeof now === "number" && now < then ? 1 : 0
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : []

/** Members of a set go together. */
function tagsGone(before: JsonObject, after: JsonObject): number {
  const left = texts(after.tags)
  return texts(before.tags).some((tag) => !left.includes(tag)) ? 1 : 0
}

function rulesGone(before: JsonObject, after: JsonObject): number {
  const names = (value: unknown) =>
    Array.isArray(value) ? value.map((rule: JsonObject) => String(rule.name)) : []
  const [then, now] = [names(before.rules), names(after.rules)]
  const gone = then.filter((name) => !now.includes(name)).length
  return now.length === 0 ? Math.min(1, gone) : gone
}
