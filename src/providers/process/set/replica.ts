// One replica as the set sees it: what its object's name, marks and status say. The name is what
// counts, since nobody can change it: SET-REVISION-SLOT. What can't be read is treated as a replica
// of no revision, which is replaced like any old one.

import { isArray, isObject, type Json } from "../../../base/json.ts"
import type { ApiObject } from "../../../object/object.ts"

export const setGroup = "process.setpoint.dev"
/** RFC 3339 time at which a replica was taken out of service; it is stopped some time later. */
export const drainingMark = `${setGroup}/draining-since`
export const setLabel = `${setGroup}/set`
export const slotLabel = `${setGroup}/slot`
export const revisionLabel = `${setGroup}/revision`

export interface Replica {
  readonly name: string
  /** Undefined when the name says none. */
  readonly slot: number | undefined
  readonly revision: string
  /** Its process was begun; before that nothing is its own fault. */
  readonly begun: boolean
  readonly ready: boolean
  /** Milliseconds; undefined when not ready. */
  readonly readySince: number | undefined
  readonly drainingSince: number | undefined
  /** A balancer still sends connections to it. */
  readonly listed: boolean
  /** It is being deleted. */
  readonly ending: boolean
  readonly object: ApiObject
}

export function replicaName(set: string, revision: string, slot: number): string {
  return `${set}-${revision}-${slot}`
}

/** `listed`: names that balancers still send connections to. */
export function readReplica(set: string, object: ApiObject, listed: ReadonlySet<string>): Replica {
  const { name, annotations, deletionTimestamp } = object.metadata
  const rest = name.startsWith(`${set}-`) ? name.slice(set.length + 1) : ""
  const parts = /^([0-9a-f]{10})-([0-9]{1,5})$/.exec(rest)
  const ready = isReady(object)
  return {
    name,
    slot: parts?.[2] === undefined ? undefined : Number(parts[2]),
    revision: parts?.[1] ?? "",
    begun: isObject(object.status?.outputs),
    ready,
    readySince: ready ? readySince(object) : undefined,
    drainingSince: timeOf(annotations?.[drainingMark]),
    listed: listed.has(name),
    ending: deletionTimestamp !== undefined,
    object,
  }
}

/** What the kind Process reports: a fact of the newest observation, never a wish. */
export function isReady({ status }: ApiObject): boolean {
  return isObject(status?.outputs) && status.outputs.ready === true
}

/** In service: ready, and neither leaving nor being deleted. */
export function isServing(object: ApiObject): boolean {
  const { annotations, deletionTimestamp } = object.metadata
  return (
    isReady(object) && deletionTimestamp === undefined && annotations?.[drainingMark] === undefined
  )
}

/** Since its object says Ready without a break, and not before the process began. */
function readySince({ status }: ApiObject): number | undefined {
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  const ready = conditions.find(({ type }) => type === "Ready")
  const since = ready?.status === "True" ? timeOf(ready.lastTransitionTime) : undefined
  const started = isObject(status?.outputs) ? timeOf(status.outputs.startedAt) : undefined
  return since === undefined ? undefined : Math.max(since, started ?? since)
}

function timeOf(text: Json | undefined): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN
  return Number.isFinite(time) ? time : undefined
}
