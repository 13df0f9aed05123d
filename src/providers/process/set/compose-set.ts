// A ProcessSet as a pure function: from what is declared, the replicas there are and the time to
// the replicas that should be there now, and to the parent's status. It remembers nothing: the
// status and the names and marks of the replicas are all that the next pass needs.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import { jsonText } from "../../../base/json-text.ts"
import type { Composition, NoComposition } from "../../../contract/composite.ts"
import { type ConditionInput, mergeConditions } from "../../../object/conditions.ts"
import type { ApiObject, Condition, ObjectMeta } from "../../../object/object.ts"
import { type FleetPlan, type FleetWish, isAvailable, type Kept, planFleet } from "./plan-fleet.ts"
import {
  drainingMark,
  type Replica,
  readReplica,
  replicaName,
  revisionLabel,
  setGroup,
  setLabel,
  slotLabel,
} from "./replica.ts"
import { type RevisionSource, replicaSpec, revisionOf } from "./revision.ts"
import {
  type GoodRevision,
  type Judged,
  judgeRollout,
  type RolloutFacts,
  type SetMemory,
  targetOf,
} from "./rollout.ts"
import { secretValues, withoutValues, withValues } from "./secret-values.ts"
import { memoryStatus, readMemory, timeText } from "./set-memory.ts"

export interface SetSpec {
  readonly replicas: number
  readonly template: JsonObject
  readonly ports?: { readonly base: number } | undefined
  readonly restart?: string | undefined
  readonly strategy: {
    readonly maxSurge: number
    readonly maxUnavailable: number
    readonly minReadySeconds: number
    readonly progressDeadlineSeconds: number
    readonly rollback: "Auto" | "Never"
  }
  readonly drainSeconds: number
}

export interface SetParent {
  readonly metadata: ObjectMeta
  readonly spec: SetSpec
  readonly status?: JsonObject
}

export interface SetInput {
  readonly parent: SetParent
  readonly children: readonly ApiObject[]
  /** The balancers there are. */
  readonly related: readonly ApiObject[]
  readonly now: number
  readonly hashSecret?: (value: Json) => string
}

export const nameMax = 48
/** It is remembered in the status, which has its own bound. */
const sourceBytesMax = 32 * 1024

export function composeSet(input: SetInput): Composition | NoComposition {
  const { parent, children, related, now } = input
  const { metadata, spec, status } = parent
  if (metadata.name.length > nameMax) {
    return { stalled: `its name is longer than ${nameMax} characters: replicas could not be named` }
  }
  const source = sourceOf(spec)
  if (jsonText(source).length > sourceBytesMax) {
    return { stalled: "its template is longer than 32 KiB; put long text into files" }
  }
  const listed = listedBy(metadata.name, related)
  const replicas = children.map((child) => readReplica(metadata.name, child, listed))
  const declared = declaredOf(source, input.hashSecret)
  const fill = filler(source, declared.revision, replicas)
  const memory = reachable(readMemory(status), fill)
  const target = targetOf(memory, declared)
  const wish = wishOf(spec, target.revision)
  const plan = planFleet(wish, replicas, now)
  const facts = factsOf(spec, declared, target, replicas, now)
  const judged = judgeRollout(memory, facts, now)
  const againMs = nextLook(plan, memory, judged.memory, now)
  return {
    children: [
      ...plan.kept.map((kept) => keptManifest(parent, kept, [target, memory.lastGood], fill)),
      ...plan.made.map((slot) => madeManifest(parent, target, slot, fill)),
    ],
    status: statusOf(parent, wish, replicas, judged, { ...facts, target }, now),
    ...(againMs === undefined ? {} : { againMs }),
  }
}

/** What is declared, as it may be remembered. */
function declaredOf(source: RevisionSource, hash: SetInput["hashSecret"]): GoodRevision {
  const open = withoutValues(source)
  const values = secretValues(source.template)
  const secrets = values.size === 0 ? undefined : hash?.([...values])
  return { revision: revisionOf(open, secrets), source: open }
}

/** A revision with its secret values; undefined when nobody has them any more. */
type Fill = (one: GoodRevision) => RevisionSource | undefined

function filler(source: RevisionSource, declared: string, replicas: readonly Replica[]): Fill {
  return ({ revision, source: open }) => {
    if (revision === declared) return withValues(open, secretValues(source.template))
    const others = replicas.filter((one) => one.revision === revision)
    const templates = [{}, ...others.map(({ object }) => object.spec ?? {})]
    for (const template of templates) {
      const found = withValues(open, secretValues(template))
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** A revision whose secrets are known to no replica any more is no way back. */
function reachable(memory: SetMemory, fill: Fill): SetMemory {
  const { lastGood, failed: _, ...rest } = memory
  return lastGood === undefined || fill(lastGood) !== undefined ? memory : rest
}

/** The replicas to which balancers of this set send connections, as they say themselves. */
function listedBy(set: string, balancers: readonly ApiObject[]): ReadonlySet<string> {
  const ours = balancers.filter(({ spec }) => isObject(spec?.backends) && spec.backends.set === set)
  return new Set(
    ours.flatMap(({ status }) => (isArray(status?.serving) ? status.serving.map(String) : [])),
  )
}

function sourceOf({ template, ports, restart }: SetSpec): RevisionSource {
  return {
    template,
    ...(ports === undefined ? {} : { ports: { base: ports.base } }),
    ...(restart === undefined ? {} : { restart }),
  }
}

function wishOf({ replicas, strategy, drainSeconds }: SetSpec, revision: string): FleetWish {
  const { maxSurge, maxUnavailable, minReadySeconds } = strategy
  const limits = { maxSurge, maxUnavailable, minReadyMs: minReadySeconds * 1000 }
  return { replicas, ...limits, drainMs: drainSeconds * 1000, revision }
}

function factsOf(
  { replicas, strategy }: SetSpec,
  declared: GoodRevision,
  target: GoodRevision,
  all: readonly Replica[],
  now: number,
): RolloutFacts {
  const minReadyMs = strategy.minReadySeconds * 1000
  const current = all.filter((one) => {
    return one.revision === target.revision && !one.ending && one.drainingSince === undefined
  })
  const available = current.filter((one) => isAvailable(one, minReadyMs, now))
  return {
    declared,
    replicas,
    available: available.length,
    current: current.length,
    failing: current.filter((one) => one.begun && !available.includes(one)).length,
    others: all.filter((one) => one.revision !== target.revision).length,
    deadlineMs: strategy.progressDeadlineSeconds * 1000,
    rollback: strategy.rollback,
  }
}

/** A decision is acted on in the next pass, which comes at once. */
function nextLook(
  { nextAt }: FleetPlan,
  before: SetMemory,
  { failed, rollout }: SetMemory,
  now: number,
): number | undefined {
  if (failed?.revision !== before.failed?.revision) return 1
  const times = [nextAt, rollout?.watchedUntil].filter((time) => time !== undefined)
  return times.length === 0 ? undefined : Math.max(1, Math.min(...times) - now)
}

function keptManifest(
  parent: SetParent,
  { replica, drainingSince }: Kept,
  known: readonly (GoodRevision | undefined)[],
  fill: Fill,
): ApiObject {
  const { slot, revision, object } = replica
  const from = known.find((one) => one?.revision === revision)
  const source = from === undefined ? undefined : fill(from)
  // A revision that nobody remembers keeps what its object says until it is replaced.
  const spec =
    source === undefined || slot === undefined ? (object.spec ?? {}) : replicaSpec(source, slot)
  const annotations: Record<string, string> =
    drainingSince === undefined ? {} : { [drainingMark]: timeText(drainingSince) }
  return manifest(parent, object.metadata.name, { revision, slot }, spec, annotations)
}

function madeManifest(parent: SetParent, target: GoodRevision, slot: number, fill: Fill) {
  const { revision } = target
  const name = replicaName(parent.metadata.name, revision, slot)
  const spec = replicaSpec(fill(target) ?? target.source, slot)
  return manifest(parent, name, { revision, slot }, spec, {})
}

function manifest(
  { metadata }: SetParent,
  name: string,
  { revision, slot }: { readonly revision: string; readonly slot: number | undefined },
  spec: JsonObject,
  annotations: Readonly<Record<string, string>>,
): ApiObject {
  const { namespace } = metadata
  const labels = {
    [setLabel]: metadata.name,
    ...(revision === "" ? {} : { [revisionLabel]: revision }),
    ...(slot === undefined ? {} : { [slotLabel]: String(slot) }),
  }
  return {
    apiVersion: `${setGroup}/v1`,
    kind: "Process",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations },
    spec,
  }
}

function statusOf(
  { metadata, spec, status }: SetParent,
  wish: FleetWish,
  replicas: readonly Replica[],
  judged: Judged,
  facts: RolloutFacts & { readonly target: GoodRevision },
  now: number,
): JsonObject {
  const inService = replicas.filter((one) => !one.ending && one.drainingSince === undefined)
  const available = replicas.filter((one) => isAvailable(one, wish.minReadyMs, now)).length
  const before = Array.isArray(status?.conditions) ? (status.conditions as Condition[]) : []
  const said = conditionsOf(spec, available, judged, facts)
  const observedGeneration = metadata.generation ?? 0
  const dated = said.map((condition) => ({ ...condition, observedGeneration }))
  return {
    observedGeneration,
    revision: facts.target.revision,
    replicas: replicas.length,
    readyReplicas: inService.filter((one) => one.ready).length,
    availableReplicas: available,
    updatedReplicas: facts.current,
    drainingReplicas: replicas.length - inService.length,
    selector: `${setLabel}=${metadata.name}`,
    ...memoryStatus(judged.memory),
    conditions: mergeConditions(before, dated, timeText(now)).map((one) => ({ ...one })),
  }
}

function conditionsOf(
  { replicas, strategy }: SetSpec,
  available: number,
  { memory, late }: Judged,
  { target, declared, current, others }: RolloutFacts & { readonly target: GoodRevision },
): ConditionInput[] {
  const { failed, rollout } = memory
  const counts = `${available} of ${replicas} available`
  const enough = available >= replicas - strategy.maxUnavailable
  const settled = available === replicas && current === replicas && others === 0
  const isBad = failed?.revision === declared.revision
  const ready = settled && !isBad
  const why = isBad ? "RolledBack" : settled ? "AllAvailable" : rollout ? "RollingOut" : "Waiting"
  const conditions: ConditionInput[] = [
    { type: "Ready", status: ready ? "True" : "False", reason: why, message: counts },
    {
      type: "Available",
      status: enough ? "True" : "False",
      reason: enough ? "EnoughReplicas" : "TooFewReplicas",
      message: counts,
    },
  ]
  const progressing = (status: "True" | "False", reason: string, message: string) =>
    conditions.push({ type: "Progressing", status, reason, message })
  if (isBad) {
    const back = rollout === undefined ? "went back" : "is going back"
    const message = `revision ${failed.revision}: ${failed.message}; ${back} to ${target.revision}`
    progressing("False", "RolledBack", message)
  } else if (late) {
    const message = `revision ${target.revision}: ${counts}, no progress in time`
    progressing("False", "ProgressDeadlineExceeded", message)
  } else if (rollout !== undefined) {
    progressing("True", "RollingOut", `revision ${target.revision}: ${counts}, ${others} old`)
  } else if (settled) progressing("True", "Complete", `revision ${target.revision}`)
  else progressing("True", "Recovering", `revision ${target.revision}: ${counts}`)
  return conditions
}
