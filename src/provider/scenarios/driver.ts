// What a provider brings to the scenario suite: its kind, a real system of its own, samples, and a
// back door through which the suite looks, meddles and breaks things behind the provider's back. A
// driver judges nothing: the suite does, and it never trusts the provider about what is there.

import type { Clock } from "../../base/clock.ts"
import type { JsonObject } from "../../base/json.ts"
import type { Random } from "../../base/random.ts"
import type { CompositeKind } from "../../contract/composite.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ActWorld } from "../../contract/world.ts"
import type { ApiObject } from "../../object/object.ts"

/** In the order in which they run. */
export const scenarioNames = [
  "create",
  "drift",
  "delete",
  "adopt",
  "import",
  "foreign",
  "stale",
  "credentials",
  "server-stopped",
  "partial-answer",
  "plane-killed",
  "source-emptied",
  "observer-lies",
  "many-targets",
] as const

export type ScenarioName = (typeof scenarioNames)[number]

export type TroubleName = "credentials" | "server-stopped" | "partial-answer"

/** Begins a trouble in the real system; what it answers with ends the trouble. */
export type Trouble = () => Promise<() => Promise<void>>

/** A change made by hand, without the provider: to the target that this spec describes. */
export type ByHand = (spec: JsonObject) => Promise<void> | void

/** What a scenario gives to the driver; nothing of it is there afterwards. */
export interface ScenarioPlace {
  /** Empty, and removed afterwards with everything in it. */
  readonly directory: string
  /** Real time. The plane's own may run faster. */
  readonly clock: Clock
  readonly random: Random
}

export interface ScenarioSystem {
  /** All kinds that the plane needs, made anew, as a new process would; one is under test. */
  kinds(): readonly KindProvider[]
  /** Kinds made of others, where the one under test is such. */
  composites?(): readonly CompositeKind[]
  /** The real handles; `worldWith({ ... })` makes one from those that the kinds use. */
  readonly world: ActWorld
  /** Objects that are declared with the samples all the time: a zone, a key. */
  readonly ground?: readonly ApiObject[]
  /**
   * The n-th sample, from 0: another target for every n, and many different ones. Version 1 is the
   * same target, wanted otherwise in as many fields as an update can change.
   */
  spec(n: number, version: 0 | 1): JsonObject
  /**
   * Everything that is really there, foreign things too, by identity as the kind's `identity` says
   * it; read without the provider. Members that have the name of a spec field must be equal to it
   * when the target is as declared; others are only compared with what they were before. Nothing
   * belongs here that changes when the same thing is written again (times, inodes, pids).
   */
  facts(): Promise<ReadonlyMap<string, JsonObject>>
  /** By field: changes it so that it is not as either version of the sample wants it. */
  readonly drifts: Readonly<Record<string, ByHand>>
  /** Makes what the spec describes, as somebody would who does not know of Setpoint. */
  readonly make: ByHand
  readonly remove: ByHand
  /** Makes things that are nobody's, some of them as much like ours as can be. */
  foreign(): Promise<void> | void
  /** The scope with which `setpoint import` finds the samples, where the kind can be imported. */
  readonly importScope?: Readonly<Record<string, string>>
  /** What the scenarios of these names begin: wrong keys, a server that is gone, cut answers. */
  readonly troubles?: Partial<Record<TroubleName, Trouble>>
  close?(): Promise<void>
}

export interface ScenarioDriver {
  /** The kind under test, by its name. */
  readonly kind: string
  /** Where it is made of others: whose acts and observations count, and what names a sample. */
  readonly madeOf?: { readonly kind: string; identity(spec: JsonObject): string }
  /** A fresh real system without targets; called once per scenario and closed after it. */
  open(place: ScenarioPlace): Promise<ScenarioSystem>
  /** Fields of the spec that can't drift, each with its reason; every other one is tried. */
  readonly steady?: Readonly<Record<string, string>>
  /** Scenarios that can't be had with this medium, each with its reason. */
  readonly skip?: Partial<Readonly<Record<ScenarioName, string>>>
  /** How many targets `many-targets` makes where 1,000 are too many for one machine. */
  readonly targetsMax?: number
  /** How long one step may take at most on a busy machine; a minute when missing. */
  readonly deadlineMs?: number
}
