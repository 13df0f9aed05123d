// The processes of a workload as objects: one for each member, and one for each member's
// checkpoint. Where they sit and since when stands on every one of them, so that each alone tells
// the whole. An evicted workload keeps its objects, stopped, with their logs.

import { sha256 } from "../../base/hash.ts"
import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import { type ApiObject, whyAnnotation } from "../../object/object.ts"
import type { WorkloadSpec } from "./quota-spec.ts"
import type { Seat } from "./snapshot.ts"

export const quotaGroup = "gpu.setpoint.dev"
export const processGroup = "process.setpoint.dev"
const workloadLabel = `${quotaGroup}/workload`
const memberLabel = `${quotaGroup}/member`
const roleLabel = `${quotaGroup}/role`
const nameMark = `${quotaGroup}/workload-name`
const uidMark = `${quotaGroup}/workload-uid`
const seatsMark = `${quotaGroup}/seats`
const sinceMark = `${quotaGroup}/since`

/**
 * A name within so many characters: a long one is cut, and its hash tells it from others that begin
 * alike.
 */
function shortName(name: string, max: number): string {
  if (name.length <= max) return name
  const hash = sha256(name).slice(0, 20)
  const begin = name.slice(0, max - hash.length - 1).replace(/[^a-z0-9]+$/, "")
  return `${begin}-${hash}`
}

/** Label values end at 63 characters, names of objects at 253 with what is put around them. */
export const workloadMark = (name: string): string => shortName(name, 63)
const placeName = (name: string): string => shortName(name, 230)

/** The mark of the workload that a process was made for. */
export const markOf = ({ metadata }: ApiObject): string => metadata.labels?.[workloadLabel] ?? ""

/** A workload with where and since when it sits. */
export interface Seated {
  readonly object: ApiObject
  readonly spec: WorkloadSpec
  readonly seats: readonly Seat[]
  /** Wall clock, in milliseconds. */
  readonly since: number
}

export interface ChildWish {
  readonly state: "Running" | "Stopped"
  /** Why it is so; the journal says it. */
  readonly why?: string
}

export function memberChildren(seated: Seated, wish: ChildWish): readonly ApiObject[] {
  const { process } = seated.spec
  const { command, env, ...rest } = process
  return seated.seats.map((_, member) =>
    child(seated, member, "member", wish, {
      ...{ command: [...command], ...rest },
      env: { ...env, ...seatEnv(seated, member) },
      state: wish.state,
    }),
  )
}

/** The commands that save a workload's work. Every eviction has its own, told apart by its time. */
export function checkpointChildren(
  seated: Seated,
  wish: ChildWish,
  evictedAt: string,
  pids: readonly (number | undefined)[],
): readonly ApiObject[] {
  const { process, checkpoint } = seated.spec
  if (checkpoint === undefined) return []
  const { env, cwd, user } = process
  return seated.seats.map((_, member) => {
    const pid = pids[member]
    return child(seated, member, "checkpoint", wish, {
      command: [...checkpoint.command],
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === undefined ? {} : { user }),
      env: {
        ...{ ...env, ...seatEnv(seated, member), SETPOINT_EVICTED_AT: evictedAt },
        ...(pid === undefined ? {} : { SETPOINT_PID: String(pid) }),
      },
      ...{ restart: "Never", state: wish.state },
    })
  })
}

/** The same process, stopped. */
export function halted({ apiVersion, kind, metadata, spec }: ApiObject, why: string): ApiObject {
  const { name, labels = {}, annotations = {} } = metadata
  const own = (marks: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(marks).filter(([mark]) => mark.startsWith(quotaGroup)))
  return {
    ...{ apiVersion, kind, spec: { ...spec, state: "Stopped" } },
    metadata: {
      name,
      labels: own(labels),
      annotations: { ...own(annotations), [whyAnnotation]: why.slice(0, 500) },
    },
  }
}

function seatEnv({ object, seats }: Seated, member: number): Record<string, string> {
  const { node = "", devices = [] } = seats[member] ?? {}
  return {
    SETPOINT_WORKLOAD: object.metadata.name,
    SETPOINT_MEMBER: String(member),
    SETPOINT_NODE: node,
    SETPOINT_GPUS: devices.join(","),
    CUDA_VISIBLE_DEVICES: devices.join(","),
  }
}

type Role = "member" | "checkpoint"

function child(
  { object, seats, since }: Seated,
  member: number,
  role: Role,
  { why }: ChildWish,
  spec: JsonObject,
): ApiObject {
  const { name, uid = "" } = object.metadata
  return {
    apiVersion: `${processGroup}/v1`,
    kind: "Process",
    metadata: {
      // What differs stands in front: behind it, a workload could be named like it.
      name: `${role === "member" ? "gpu" : "gpu-checkpoint"}.${placeName(name)}.${member}`,
      labels: {
        [workloadLabel]: workloadMark(name),
        ...{ [memberLabel]: String(member), [roleLabel]: role },
      },
      annotations: {
        ...{ [nameMark]: name, [uidMark]: uid },
        [seatsMark]: seatsText(seats),
        [sinceMark]: new Date(since).toISOString(),
        ...(why === undefined ? {} : { [whyAnnotation]: why.slice(0, 500) }),
      },
    },
    // Its place on the host goes with the workload, not with the object that describes it.
    spec: { id: `gpu-${uid}-${role === "member" ? "" : "checkpoint-"}${member}`, ...spec },
  }
}

/** As much as an object's annotations may hold. */
const seatsTextMax = 262_144

/** `node/0,1;node/2,3`: one for each member. */
export const seatsText = (seats: readonly Seat[]): string =>
  seats.map(({ node, devices }) => `${node}/${devices.join(",")}`).join(";")

export function readSeats(written: Json | undefined): readonly Seat[] | undefined {
  if (typeof written !== "string" || written.length > seatsTextMax) return undefined
  const seats = written.split(";").map((one): Seat | undefined => {
    const parts = /^([a-z0-9.-]{1,253})\/([0-9]{1,4}(?:,[0-9]{1,4})*)$/.exec(one)
    if (parts === null) return undefined
    return { node: parts[1] ?? "", devices: (parts[2] ?? "").split(",").map(Number) }
  })
  const known = seats.filter((seat) => seat !== undefined)
  return known.length === seats.length ? known : undefined
}

/** What the objects of one workload say together. */
export interface Processes {
  readonly members: readonly ApiObject[]
  readonly checkpoints: readonly ApiObject[]
  /** Of the members; undefined when they can't be read. */
  readonly seats: readonly Seat[] | undefined
  readonly since: number | undefined
  /** A member that may still hold its GPUs. */
  readonly holding: readonly ApiObject[]
}

export function readProcesses(children: readonly ApiObject[]): Processes {
  const ofRole = (role: Role) =>
    children
      .filter(({ metadata }) => metadata.labels?.[roleLabel] === role)
      .sort((left, right) => memberOf(left) - memberOf(right))
  const members = ofRole("member")
  const holding = members.filter((one) => !isEnded(one))
  const [told = members[0]] = holding
  const since = Date.parse(told?.metadata.annotations?.[sinceMark] ?? "")
  return {
    ...{ members, checkpoints: ofRole("checkpoint"), holding },
    seats: readSeats(told?.metadata.annotations?.[seatsMark]),
    since: Number.isFinite(since) ? since : undefined,
  }
}

export const memberOf = ({ metadata }: ApiObject): number =>
  Number(metadata.labels?.[memberLabel] ?? -1)

/** For whom it was made: a workload of the same name may be another one. */
export const workloadUidOf = ({ metadata }: ApiObject): string | undefined =>
  metadata.annotations?.[uidMark]

export const wantedState = ({ spec }: ApiObject): Json | undefined =>
  isObject(spec) ? spec.state : undefined

/** What the kind Process says of it. */
export function outputOf({ status }: ApiObject, name: string): Json | undefined {
  const outputs = isObject(status) ? status.outputs : undefined
  return isObject(outputs) ? outputs[name] : undefined
}

/** It is known to have stopped, as declared now. Anything less is no proof. */
export function isEnded(object: ApiObject): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false
  if (wantedState(object) !== "Stopped") return false
  if (!protects("freed-gpus-are-proven")) return true
  return isReady(object) && outputOf(object, "phase") === "Stopped"
}

/** It ended by itself, and stays so. `from` tells this run from an earlier one. */
export function isFinished(object: ApiObject, from: number): boolean {
  const { metadata, status } = object
  const phase = outputOf(object, "phase")
  const started = Date.parse(String(outputOf(object, "startedAt") ?? ""))
  const current = isObject(status) && status.observedGeneration === metadata.generation
  const ended = phase === "Completed" || phase === "Failed"
  return current && ended && started >= Math.floor(from / 1000) * 1000
}

function isReady({ metadata, status }: ApiObject): boolean {
  if (!isObject(status) || status.observedGeneration !== metadata.generation) return false
  const conditions = isArray(status.conditions) ? status.conditions.filter(isObject) : []
  return conditions.some((one) => one.type === "Ready" && one.status === "True")
}
