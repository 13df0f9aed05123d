// Judges what was really done in the world against the rules: each destruction needs an intent, a
// permission, a fresh and complete look at exactly the state that it ended, and a place in every
// window that counts, unless a person approved exactly it. It believes nothing that the plane says
// about its budgets.

import { equalJson } from "../../../src/base/json.ts"
import type { StopEntry } from "../../../src/contract/stop.ts"
import type { SimMutation, SimWorld } from "../../../src/sim/sim-world.ts"
import {
  allowedBy,
  destroyedBy,
  type Freeze,
  isFrozen,
  type LoopRules,
  loosest,
  PolicyRules,
  stops,
} from "./rules.ts"
import { Timeline } from "./timeline.ts"
import type { SeenAct, SeenIntent, Witness } from "./witness.ts"

export interface Destruction {
  readonly mutation: SimMutation
  readonly act: SeenAct
  readonly loop: string
  readonly uid: string
  readonly count: number
  /** When the act began, monotonic, and when it was permitted. */
  readonly at: number
  readonly permittedAt: number
  readonly approved: boolean
  readonly plain: boolean
}

/** Exactly one action that people approved. */
export interface Approved {
  readonly uid: string
  readonly verb: string
  readonly digest: string
  readonly token: string
  used: boolean
}

/** Between a read and the intent lie at most a round and a moment. */
const freshMs = 1000
const longestMs = 30 * 60_000

export class Oracle {
  readonly broken: string[] = []
  readonly destructions: Destruction[] = []
  readonly approved: Approved[] = []
  /** UIDs that a person deleted by name. */
  readonly plain = new Set<string>()
  /** UIDs that nothing may destroy without an approval. */
  readonly protectedUids = new Set<string>()
  readonly stopped = new Timeline<readonly StopEntry[]>([])
  readonly loops = new Map<string, LoopRules>()
  readonly policy = new PolicyRules()
  /** Who made or adopted what is known by an identity: whatever is there now is that object's. */
  readonly #owners = new Map<string, Set<string>>()
  readonly #versions = new Map<string, number>()
  readonly #owned = new Map<string, Set<string>>()
  /** How many targets a loop owned, whenever that moved. */
  readonly #sizes: { readonly loop: string; readonly at: number; readonly size: number }[] = []
  readonly #world: SimWorld
  readonly #witness: Witness
  #judged = 0
  acts = 0

  constructor(world: SimWorld, witness: Witness) {
    this.#world = world
    this.#witness = witness
  }

  /** Everything that happened since the last time. */
  judge(): void {
    for (const mutation of this.#world.ledger.slice(this.#judged)) this.#judge(mutation)
    this.#judged = this.#world.ledger.length
  }

  ownsAny(loop: string): boolean {
    return (this.#owned.get(loop)?.size ?? 0) > 0
  }

  #judge(mutation: SimMutation): void {
    const version = this.#version(mutation)
    if (mutation.who === "somebody") {
      return
    }
    this.acts++
    const act = this.#actOf(mutation)
    const intent = act && this.#intentOf(act)
    if (act === undefined || intent === undefined) {
      this.#say(mutation, act === undefined ? "nobody began it" : "it has no intent")
      return
    }
    const count = destroyedBy(mutation)
    this.#judgeTime(mutation, act, count > 0)
    const token = `${mutation.externalId}:${version}`
    const approval = this.#approvalOf(intent, token)
    if (approval !== undefined) approval.used = true
    const approved = approval !== undefined
    this.#judgeOwnership(mutation, intent, approved)
    if (count > 0) this.#judgeDestruction(mutation, act, intent, { count, token, approved })
    this.#own(mutation, intent)
  }

  #judgeDestruction(
    mutation: SimMutation,
    act: SeenAct,
    intent: SeenIntent,
    facts: { readonly count: number; readonly token: string; readonly approved: boolean },
  ): void {
    const { uid, loop, verb } = intent.action
    const { count, token, approved } = facts
    const plain = this.plain.has(uid) && verb === "delete"
    const permitted = verb === "delete" ? this.#witness.permitted.get(uid) : undefined
    const permittedAt = permitted?.at ?? act.at
    const one = { mutation, act, loop, uid, count, at: act.at, permittedAt, approved, plain }
    this.destructions.push(one)
    this.#judgeObserved(one, intent, token)
    this.#judgePermission(one, intent)
    if (!approved) this.#judgeUnapproved(one)
  }

  /** What is not ours is touched only where a person approved that it becomes so. */
  #judgeOwnership(mutation: SimMutation, { action, record }: SeenIntent, approved: boolean): void {
    if (mutation.verb === "created") return
    const adopts = action.verb === "adopt"
    const ours = this.#owners.get(mutation.identity)?.has(action.uid) ?? false
    if (adopts ? !approved : !ours) this.#say(mutation, "it is not ours")
    if (!adopts && record?.owned !== true) {
      this.#say(mutation, "its record does not say that it is ours")
    }
  }

  #judgeObserved({ mutation, act }: Destruction, intent: SeenIntent, token: string): void {
    if (act.action.token !== token) {
      this.#say(mutation, `it ended ${token}, judged was ${act.action.token}`)
    }
    const before = this.#witness.acts.findLast(
      (one) => one.action.uid === act.action.uid && one.tick < act.tick,
    )
    const read = this.#witness.reads.findLast(
      (one) =>
        one.endTick < intent.tick &&
        one.tokens.get(mutation.identity) === token &&
        one.beganTick > (before?.endTick ?? 0),
    )
    if (read === undefined) this.#say(mutation, "no complete read since the last act showed it")
    else if (intent.at - read.ended > freshMs) {
      this.#say(mutation, `the last complete read is ${intent.at - read.ended} ms old`)
    }
  }

  #judgePermission({ mutation, uid, approved }: Destruction, intent: SeenIntent): void {
    const { verb, digest } = intent.action
    const judged = this.#witness.allowed.get(digest)
    if (judged === undefined || judged > intent.tick) {
      this.#say(mutation, "the journal knows no allowing verdict from before")
    }
    if (verb === "delete") {
      const permitted = this.#witness.permitted.get(uid)
      if (permitted === undefined || permitted.tick > intent.tick)
        this.#say(mutation, "nothing permitted the delete")
    } else if (!approved && !intent.debited) {
      this.#say(mutation, "its intent drew on no window")
    }
  }

  #judgeUnapproved(one: Destruction): void {
    const { mutation, uid, at } = one
    if (this.protectedUids.has(uid)) this.#say(mutation, "it is protected")
    const policies = this.policy.inForce.during(at - 1000, at)
    if (policies.every((policy) => policy?.protects === true)) {
      this.#say(mutation, "a policy protects its kind")
    }
    const modes = this.loops.get(one.loop)?.mode.during(at - 1000, at) ?? []
    if (!modes.includes("Enforce")) this.#say(mutation, `the mode is ${modes.join()}`)
    this.#judgeWindows(one)
  }

  #judgeWindows(one: Destruction): void {
    const { loop, at } = one
    const rules = this.loops.get(loop)
    if (rules === undefined) {
      this.#say(one.mutation, `loop ${loop} is unknown`)
      return
    }
    const policies = this.policy.inForce.during(at - longestMs, at)
    const limits = [loosest(rules.limit.during(at - longestMs, at))]
    if (policies.every((policy) => policy?.limit !== undefined)) {
      limits.push(loosest(policies.flatMap((policy) => policy?.limit ?? [])))
    }
    for (const limit of limits) {
      if (limit === undefined) continue
      const inside = this.#inside(at, limit.windowMs, loop)
      const more = this.#glass(inside, [rules])
      const all = sum(inside)
      if (all > limit.deletes + more) {
        this.#say(one.mutation, `${all} in a window of ${limit.windowMs} ms for ${limit.deletes}`)
      }
      const share = sum(inside.filter(({ plain }) => !plain))
      const allowed = allowedBy(limit, this.#largest(loop, at - longestMs))
      if (share > allowed + more) {
        this.#say(one.mutation, `${share} in a window of ${limit.windowMs} ms, allowed ${allowed}`)
      }
    }
    this.#judgeEverywhere(one)
  }

  #judgeEverywhere({ at, mutation }: Destruction): void {
    const policies = this.policy.inForce.during(at - longestMs, at)
    const floors = policies.map((policy) => policy?.everywhere)
    if (floors.some((floor) => floor === undefined)) return
    const known = floors.filter((floor) => floor !== undefined)
    const deletes = Math.max(...known.map((floor) => floor.deletes))
    const windowMs = Math.min(...known.map((floor) => floor.windowMs))
    const inside = this.#inside(at, windowMs)
    const all = sum(inside)
    const more = this.#glass(inside, [...this.loops.values()])
    if (all > deletes + more) this.#say(mutation, `${all} everywhere, ${deletes} in a window`)
  }

  #inside(at: number, windowMs: number, loop?: string): Destruction[] {
    return this.destructions.filter(
      (one) =>
        !one.approved &&
        one.at > at - windowMs &&
        one.at <= at &&
        (loop === undefined || one.loop === loop),
    )
  }

  /** What was permitted while a glass was broken, and counted by it, may happen afterwards. */
  #glass(inside: readonly Destruction[], loops: readonly LoopRules[]): number {
    const used = loops
      .flatMap(({ glasses }) => glasses)
      .filter(({ from, until }) =>
        inside.some(({ permittedAt }) => from <= permittedAt && permittedAt < until),
      )
    return used.reduce((total, { deletes }) => total + deletes, 0)
  }

  /** Stop, mode and freeze hold for every act, not only for those that destroy. */
  #judgeTime(mutation: SimMutation, act: SeenAct, destroys: boolean): void {
    const { loop, object } = act.action
    const at = act.at
    const standing = this.stopped.during(at, at)
    const stopped = standing.every((entries) =>
      entries.some((entry) => stops(entry, { loop, object, destroys })),
    )
    if (stopped) this.#say(mutation, "acting was stopped")
    const rules = this.loops.get(loop)
    const modes = rules?.mode.during(at - 1000, at) ?? []
    if (modes.every((mode) => mode === "Observe")) this.#say(mutation, "the loop only observes")
    const policies = this.policy.inForce.during(at - 1000, at)
    const freezes = [rules?.freeze.during(at - 1000, at), policies.map((one) => one?.freeze)]
    const frozen = (all: readonly (Freeze | undefined)[] | undefined) =>
      all?.every((freeze) => freeze !== undefined && isFrozen(freeze, act.wall)) ?? false
    const glass = rules?.glasses.some(({ from, until }) => from <= at && at < until) ?? false
    if (freezes.some(frozen) && !glass) this.#say(mutation, "the loop was frozen")
  }

  /** The last that began before it; of updates the one that would make what it became. */
  #actOf({ who, verb, sequence, after }: SimMutation): SeenAct | undefined {
    const plain = { created: "create", updated: "update", deleted: "delete" } as const
    const begun = this.#witness.acts.filter(
      (act) => act.action.uid === who && act.verb === plain[verb] && act.mutations < sequence,
    )
    const exact = begun.findLast(({ desired }) => verb === "updated" && equalJson(desired, after))
    return exact ?? begun.at(-1)
  }

  #intentOf({ action, tick }: SeenAct): SeenIntent | undefined {
    return this.#witness.intents.findLast(
      (one) =>
        one.action.digest === action.digest && one.action.uid === action.uid && one.tick < tick,
    )
  }

  #approvalOf({ action }: SeenIntent, token: string): Approved | undefined {
    return this.approved.find(
      (one) =>
        !one.used &&
        one.uid === action.uid &&
        one.token === token &&
        (one.digest === action.digest || (one.verb === "delete" && action.verb === "delete")),
    )
  }

  #version({ externalId, verb }: SimMutation): number {
    const before = this.#versions.get(externalId) ?? 0
    this.#versions.set(externalId, verb === "deleted" ? before : before + 1)
    return before
  }

  /** Made by this object, or taken over by its adoption. */
  #own({ identity, verb, who, atMs }: SimMutation, { action }: SeenIntent): void {
    const owned = this.#owned.get(action.loop) ?? new Set()
    this.#owned.set(action.loop, owned)
    if (verb === "deleted") owned.delete(who)
    const owners = this.#owners.get(identity) ?? new Set()
    this.#owners.set(identity, owners)
    if (verb === "created" || action.verb === "adopt") owners.add(who)
    if (verb !== "deleted") owned.add(who)
    this.#sizes.push({ loop: action.loop, at: atMs, size: owned.size })
  }

  #largest(loop: string, from: number): number {
    const own = this.#sizes.filter((one) => one.loop === loop)
    const inside = own.filter((_, index) => (own[index + 1]?.at ?? Infinity) >= from)
    return Math.max(0, ...inside.map((one) => one.size))
  }

  #say({ verb, identity, atMs }: SimMutation, what: string): void {
    this.broken.push(`${verb} ${identity} at ${atMs}: ${what}`)
  }
}

const sum = (all: readonly Destruction[]): number =>
  all.reduce((total, { count }) => total + count, 0)
