// From the objects of a pool to the snapshot that the planner is given. What an object does not
// say, or says in a way that can't be, becomes a doubt; it is never filled in by a guess.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { RefusedChild } from "../../contract/composite.ts"
import type { ApiObject } from "../../object/object.ts"
import type { NodeSpec, PoolSpec, TenantSpec, WorkloadSpec } from "./quota-spec.ts"
import type { NodeFacts, Seat, Snapshot, TenantFacts, WorkloadFacts } from "./snapshot.ts"
import {
  isFinished,
  markOf,
  memberOf,
  type Processes,
  readProcesses,
  readSeats,
  wantedState,
  workloadMark,
  workloadUidOf,
} from "./workload-children.ts"

export type Phase = "Waiting" | "Running" | "Preempting" | "Done"

export interface Eviction {
  readonly reason: string
  readonly message: string
  /** When it was decided, and when its GPUs were free; RFC 3339. */
  readonly at: string
  readonly endedAt?: string
}

/** A workload of the pool with everything that is known of it. */
export interface PoolWorkload {
  readonly object: ApiObject
  readonly spec: WorkloadSpec
  readonly processes: Processes
  readonly phase: Phase | undefined
  readonly eviction: Eviction | undefined
  /** All its processes ended by themselves. */
  readonly finished: boolean
  /** Why its processes can't be as it declares them: it never starts, or goes on as it was. */
  readonly refusal: string | undefined
  /** The same was so when it was last told. */
  readonly wasRefused: boolean
  /** Missing for one that is done, or never starts. */
  readonly facts: WorkloadFacts | undefined
}

export interface PoolView {
  readonly snapshot: Snapshot
  readonly workloads: readonly PoolWorkload[]
  /** Processes whose workload is gone. */
  readonly strays: readonly ApiObject[]
  readonly tenants: readonly ApiObject[]
  readonly nodes: readonly ApiObject[]
  /** When the first node becomes silent unless it is heard. */
  readonly silentAt: number | undefined
  /** Processes of which it is not known where they run: then nothing can be given away. */
  readonly unreadable: readonly string[]
}

export interface PoolInput {
  readonly name: string
  readonly spec: PoolSpec
  readonly children: readonly ApiObject[]
  readonly related: readonly ApiObject[]
  readonly now: number
  readonly refused: readonly RefusedChild[]
}

export function readPool({ name, spec, children, related, now, refused }: PoolInput): PoolView {
  const own = related.filter((object) => isObject(object.spec) && object.spec.pool === name)
  const heartbeats = readHeartbeats(related)
  const ofKind = (kind: string) => own.filter((object) => object.kind === kind)
  const [tenants, nodes] = [ofKind("Tenant"), ofKind("GpuNode")]
  const refusals = refusalsOf(refused)
  const unreadable: string[] = []
  const claimed = new Set<ApiObject>()
  const byMark = Map.groupBy(children, markOf)
  const workloads = ofKind("Workload").map((object) => {
    const mine = (byMark.get(workloadMark(object.metadata.name)) ?? []).filter((child) => {
      const uid = workloadUidOf(child)
      return uid === undefined || uid === object.metadata.uid
    })
    for (const child of mine) claimed.add(child)
    const refusal = refusals.get(object.metadata.uid ?? "")
    return { ...workloadOf(object, mine, { spec, now, refusal }, unreadable), refusal }
  })
  const strays = children.filter((child) => !claimed.has(child))
  const guests = guestsOf(name, related)
  const places = nodes.map((node) => {
    const guest = guests.get(node.metadata.name)
    return nodeFacts(node, silenceOf(node, heartbeats, spec, now) ?? guest)
  })
  const snapshot: Snapshot = {
    ...{ now, doubts: [], nodes: places },
    tenants: tenants.map(tenantFacts),
    workloads: [
      ...workloads.flatMap(({ facts }) => facts ?? []),
      ...strays.flatMap((child) => strayFacts(child, places, unreadable)),
    ],
  }
  const heard = nodes.flatMap((node) => nextSilence(node, heartbeats, spec, now))
  const silentAt = heard.length === 0 ? undefined : Math.min(...heard)
  return { snapshot, workloads, strays, tenants, nodes, silentAt, unreadable }
}

type Heartbeats = ReadonlyMap<string, number>

/** A node is heard by a Lease with its name behind this, as kubelets are. */
export const leasePrefix = "gpunode-"

function readHeartbeats(related: readonly ApiObject[]): Heartbeats {
  const leases = related.filter(({ kind }) => kind === "Lease")
  const times = leases.map(({ metadata, spec }) => {
    const renewed = Date.parse(typeof spec?.renewTime === "string" ? spec.renewTime : "")
    return [metadata.name, renewed] as const
  })
  return new Map(times.filter(([, time]) => Number.isFinite(time)))
}

function nextSilence(
  { metadata, spec }: ApiObject,
  heartbeats: Heartbeats,
  { heartbeatSeconds }: PoolSpec,
  now: number,
): readonly number[] {
  const { simulated } = spec as object as NodeSpec
  const heard = simulated ? undefined : heartbeats.get(`${leasePrefix}${metadata.name}`)
  const silent = (heard ?? 0) + heartbeatSeconds * 1000 + 1
  return heard !== undefined && silent > now ? [silent] : []
}

function tenantFacts({ metadata, spec }: ApiObject): TenantFacts {
  const { quota, minRuntimeSeconds } = spec as object as TenantSpec
  return {
    name: metadata.name,
    quota: new Map(Object.entries(quota)),
    minRuntimeMs: minRuntimeSeconds * 1000,
  }
}

/** By node: what another pool still runs there, since the node was made anew in this one. */
function guestsOf(pool: string, related: readonly ApiObject[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { kind, metadata, spec, status } of related) {
    if (kind !== "Workload" || spec?.pool === pool) continue
    for (const { node } of readSeats(status?.seats) ?? []) {
      found.set(node, `${metadata.name} of pool ${String(spec?.pool)} still runs there`)
    }
  }
  return found
}

function nodeFacts({ metadata, spec }: ApiObject, doubt: string | undefined): NodeFacts {
  const { flavor, gpus, cordoned, outOfService } = spec as object as NodeSpec
  return {
    ...{ name: metadata.name, flavor, gpus, outOfService },
    cordoned: cordoned || metadata.deletionTimestamp !== undefined,
    ...(doubt === undefined ? {} : { doubt }),
  }
}

function silenceOf(
  { metadata, spec }: ApiObject,
  heartbeats: Heartbeats,
  { heartbeatSeconds }: PoolSpec,
  now: number,
): string | undefined {
  const { simulated } = spec as object as NodeSpec
  if (simulated) return undefined
  const lease = `${leasePrefix}${metadata.name}`
  const heard = heartbeats.get(lease)
  if (heard === undefined) return `there is no Lease ${lease}, its heartbeat`
  if (heard - now > heartbeatSeconds * 1000) return "its heartbeat is of the future: see its clock"
  if (now - heard <= heartbeatSeconds * 1000) return undefined
  return `no heartbeat since ${new Date(heard).toISOString()}`
}

/** By UID of the workload; the first one tells enough. */
function refusalsOf(refused: readonly RefusedChild[]): ReadonlyMap<string, string> {
  const last = refused.toReversed()
  return new Map(last.map(({ object, message }) => [workloadUidOf(object) ?? "", message]))
}

interface Circumstances {
  readonly spec: PoolSpec
  readonly now: number
  readonly refusal: string | undefined
}

function workloadOf(
  object: ApiObject,
  children: readonly ApiObject[],
  { spec: pool, now, refusal }: Circumstances,
  unreadable: string[],
): Omit<PoolWorkload, "refusal"> {
  const spec = object.spec as object as WorkloadSpec
  const processes = readProcesses(children)
  const { phase, eviction, reserved } = readStatus(object.status)
  const { holding, seats, since } = processes
  const finished =
    phase !== "Preempting" &&
    processes.members.length === spec.members &&
    processes.members.every((member) => isFinished(member, since ?? 0))
  const wasRefused = readyReason(object) === invalidReason
  const known = { object, spec, processes, phase, eviction, finished, wasRefused }
  if (phase === "Done") return { ...known, facts: undefined }
  const facts = {
    ...{ uid: object.metadata.uid ?? "", name: object.metadata.name },
    ...{ tenant: spec.tenant, flavor: spec.flavor, priority: spec.priority },
    ...{ gpus: spec.gpus, members: spec.members, preemptible: spec.preemptible },
    created: Date.parse(object.metadata.creationTimestamp ?? "") || 0,
  }
  if (holding.length === 0) {
    if (refusal !== undefined) return { ...known, facts: undefined }
    const rest = notBefore(phase, eviction, pool, now)
    const state = {
      kind: "waiting",
      ...rest,
      ...(reserved === undefined ? {} : { reserved }),
    } as const
    return { ...known, facts: { ...facts, state } }
  }
  if (seats === undefined || since === undefined) {
    unreadable.push(holding[0]?.metadata.name ?? facts.name)
    return { ...known, facts: undefined }
  }
  const shape = { gpus: seats[0]?.devices.length ?? spec.gpus, members: seats.length }
  const stays = phase !== "Preempting" && holding.every(isWanted)
  const state = stays
    ? ({ kind: "running", since, seats } as const)
    : ({ kind: "leaving", seats } as const)
  return { ...known, facts: { ...facts, ...shape, state } }
}

/** What a workload is told whose processes the API does not take. */
export const invalidReason = "Invalid"

function readyReason({ status }: ApiObject): Json | undefined {
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  return conditions.find(({ type }) => type === "Ready")?.reason
}

const isWanted = (child: ApiObject): boolean =>
  wantedState(child) === "Running" && child.metadata.deletionTimestamp === undefined

function notBefore(
  phase: Phase | undefined,
  eviction: Eviction | undefined,
  { cooldownSeconds }: PoolSpec,
  now: number,
): { readonly notBefore?: number } {
  if (eviction === undefined) return {}
  const ended = Date.parse(eviction.endedAt ?? "")
  // That it has ended is only said in this pass.
  const from = phase === "Preempting" || !Number.isFinite(ended) ? now : ended
  return { notBefore: from + cooldownSeconds * 1000 }
}

/** A process that outlives its workload holds its GPUs until it has ended. */
function strayFacts(
  child: ApiObject,
  nodes: readonly NodeFacts[],
  unreadable: string[],
): readonly WorkloadFacts[] {
  const { holding, seats } = readProcesses([child])
  if (holding.length === 0) return []
  const { name, uid = "" } = child.metadata
  const seat = seats?.[memberOf(child)]
  if (seat === undefined) {
    unreadable.push(name)
    return []
  }
  const flavor = nodes.find((node) => node.name === seat.node)?.flavor
  if (flavor === undefined) return [] // Its node is gone, and nothing of it is given away.
  const shape = { gpus: seat.devices.length, members: 1, preemptible: false }
  const state = { kind: "leaving", seats: [seat] } as const
  return [{ uid, name, tenant: "", flavor, priority: 0, ...shape, created: 0, state }]
}

interface ReadStatus {
  readonly phase: Phase | undefined
  readonly eviction: Eviction | undefined
  readonly reserved: readonly Seat[] | undefined
}

const phases: readonly Phase[] = ["Waiting", "Running", "Preempting", "Done"]

function readStatus(status: JsonObject | undefined): ReadStatus {
  const phase = phases.find((one) => one === status?.phase)
  const found = isObject(status?.eviction) ? status.eviction : undefined
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "")
  const eviction =
    found === undefined
      ? undefined
      : {
          ...{ reason: text(found.reason), message: text(found.message), at: text(found.at) },
          ...(typeof found.endedAt === "string" ? { endedAt: found.endedAt } : {}),
        }
  return { phase, eviction, reserved: readSeats(status?.reserved) }
}
