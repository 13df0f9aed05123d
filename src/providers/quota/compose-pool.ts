// A GpuPool as a pure function: from the objects to the processes that should run now and to what
// tenants, nodes and workloads are told. An eviction goes in steps, each written down before the
// next: it is decided (phase Preempting), the work is saved, the processes are stopped, and only
// when they are known to have ended are their GPUs given to somebody else.

import type { Composition, NoComposition, RefusedChild } from "../../contract/composite.ts"
import type { ApiObject, ObjectMeta } from "../../object/object.ts"
import { planQuota } from "./plan-quota.ts"
import { newsIn, runningMax, withinBounds } from "./pool-bounds.ts"
import { poolStatus, type Told, workloadReport } from "./pool-reports.ts"
import { nodeReports, tenantReports } from "./pool-usage.ts"
import type { PoolSpec, TenantSpec } from "./quota-spec.ts"
import { invalidReason, type PoolView, type PoolWorkload, readPool } from "./read-pool.ts"
import type { QuotaPlan } from "./snapshot.ts"
import {
  type ChildWish,
  checkpointChildren,
  halted,
  isFinished,
  memberChildren,
  outputOf,
  type Seated,
  wantedState,
} from "./workload-children.ts"

export interface PoolParent {
  readonly metadata: ObjectMeta
  readonly spec: PoolSpec
}

export interface ComposePoolInput {
  readonly parent: PoolParent
  readonly children: readonly ApiObject[]
  readonly related: readonly ApiObject[]
  readonly now: number
  readonly refused?: readonly RefusedChild[]
}

export function composePool(input: ComposePoolInput): Composition | NoComposition {
  const { parent, children, related, now, refused = [] } = input
  const { name } = parent.metadata
  const view = readPool({ name, spec: parent.spec, children, related, now, refused })
  const [lost] = view.unreadable
  if (lost !== undefined) {
    return { stalled: `where ${lost} runs can't be read, so no GPU is given or taken` }
  }
  const plan = planQuota(view.snapshot)
  const index = indexOf(plan)
  const steps = limited(view.workloads.map((workload) => step(workload, index, view, now)))
  const wishes = [plan.againAt, view.silentAt, ...steps.map((one) => one.againAt)]
  const times = wishes.filter((time) => time !== undefined)
  const told = steps.map(({ workload, told: what }) => workloadReport(workload, what))
  const { news, more } = newsIn([...told, ...tenantReports(view, plan), ...nodeReports(view)])
  const soon = more || steps.some((one) => one.soon)
  // What is refused stays as it is; it is no reason to ask for nothing else.
  const left = new Set(refused.map(({ object }) => object.metadata.name))
  const wanted = withinBounds(steps.map(boundedStep))
  return {
    children: wanted.filter(({ metadata }) => !left.has(metadata.name)),
    tries: steps.flatMap(triedOf).slice(0, triesMax),
    status: poolStatus(view, plan),
    reports: news,
    ...(soon ? { againMs: 1 } : {}),
    ...(soon || times.length === 0 ? {} : { againMs: Math.max(1, Math.min(...times) - now) }),
  }
}

const triesMax = 200

/**
 * Nobody is evicted for work that could not start; and what was refused before is asked about,
 * also while there is no room for it.
 */
function triedOf({ workload, told }: Step): readonly ApiObject[] {
  if (told.phase !== "Waiting" || workload.refusal !== undefined) return []
  const { spec, wasRefused } = workload
  const devices = Array.from({ length: spec.gpus }, (_, index) => index)
  const anywhere = Array.from({ length: spec.members }, () => ({ node: "any", devices }))
  const seats = told.reserved ?? (wasRefused ? anywhere : [])
  return memberChildren({ ...base(workload), seats }, runs(workload))
}

interface PlanIndex {
  readonly admitted: ReadonlyMap<string, QuotaPlan["admitted"][number]>
  readonly waiting: ReadonlyMap<string, QuotaPlan["waiting"][number]>
  readonly victims: ReadonlyMap<string, QuotaPlan["victims"][number]>
}

function indexOf({ admitted, waiting, victims }: QuotaPlan): PlanIndex {
  const byUid = <T extends { readonly workload: { readonly uid: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.workload.uid, one]))
  return { admitted: byUid(admitted), waiting: byUid(waiting), victims: byUid(victims) }
}

interface Step {
  readonly workload: PoolWorkload
  readonly children: readonly ApiObject[]
  readonly told: Told
  /** The next step comes at once. */
  readonly soon?: boolean
  readonly againAt?: number
}

const isLive = ({ told }: Step): boolean => told.phase === "Running" || told.phase === "Preempting"

const boundedStep = (one: Step) => ({
  children: one.children,
  isLive: isLive(one),
  made: one.workload.object.metadata.creationTimestamp ?? "",
})

/** Who would be one too many waits, however many GPUs are free. */
function limited(steps: readonly Step[]): readonly Step[] {
  const isNew = (one: Step) => isLive(one) && one.workload.processes.holding.length === 0
  const members = ({ workload }: Step) => workload.spec.members
  let count = steps
    .filter((one) => isLive(one) && !isNew(one))
    .reduce((sum, one) => sum + members(one), 0)
  return steps.map((one) => {
    if (!isNew(one)) return one
    count += members(one)
    if (count <= runningMax) return one
    count -= members(one)
    const message = `a pool runs at most ${runningMax} processes`
    const told = { phase: "Waiting", reason: "PoolFull", message } as const
    return { workload: one.workload, children: stopped(one.workload), told }
  })
}

function step(workload: PoolWorkload, plan: PlanIndex, view: PoolView, now: number): Step {
  const { object, phase, finished, processes } = workload
  const { uid = "" } = object.metadata
  if (phase === "Done") {
    const children = stopped({ ...workload, eviction: undefined })
    return { workload, children, told: { phase: "Done" } }
  }
  if (finished) {
    const failed = processes.members.filter((one) => outputOf(one, "phase") === "Failed").length
    const children = running(workload)
    return { workload, children, told: { phase: "Done", failed }, soon: true }
  }
  if (workload.refusal !== undefined && processes.holding.length === 0) {
    const waits = { reason: invalidReason, message: workload.refusal }
    return waiting(workload, waits, now)
  }
  const admitted = plan.admitted.get(uid)
  if (admitted !== undefined) {
    const { seats } = admitted
    const children = memberChildren({ ...base(workload), seats, since: now }, runs(workload))
    const told = { phase: "Running", seats } as const
    return { workload, children: [...children, ...oldCheckpoints(workload)], told }
  }
  const waits = plan.waiting.get(uid)
  if (waits !== undefined) return waiting(workload, waits, now)
  const victim = plan.victims.get(uid)
  if (victim !== undefined) {
    const { reason, message } = victim
    const eviction = { reason, message, at: new Date(now).toISOString() }
    const told = { phase: "Preempting", eviction, step: "decided" } as const
    return { workload, children: running(workload), told, soon: true }
  }
  if (workload.facts?.state.kind === "leaving") return leave(workload, view, now)
  const seats = processes.seats ?? []
  const children = [...running(workload), ...oldCheckpoints(workload)]
  return { workload, children, told: { phase: "Running", seats } }
}

function waiting(
  workload: PoolWorkload,
  {
    reason,
    message,
    reserved,
  }: Pick<Extract<Told, { phase: "Waiting" }>, "reason" | "message" | "reserved">,
  now: number,
): Step {
  const isNew = workload.phase === "Preempting"
  const ended = isNew ? { endedAt: new Date(now).toISOString() } : {}
  const told = { phase: "Waiting", reason, message, reserved, ...ended } as const
  return { workload, children: stopped(workload), told, soon: isNew }
}

/** Decided already: the work is saved, as long as that may take, and then it is stopped. */
function leave(given: PoolWorkload, view: PoolView, now: number): Step {
  // Somebody else stopped it: then an eviction of long ago is not why.
  const eviction = given.phase === "Preempting" ? given.eviction : undefined
  const workload = { ...given, eviction }
  const { spec, processes } = workload
  const at = eviction?.at ?? new Date(now).toISOString()
  const from = Date.parse(at)
  const told = (what: string): Told => ({ phase: "Preempting", eviction, step: what })
  const until = from + graceOf(workload, view)
  const saved = processes.checkpoints.filter((one) => isFinished(one, from)).length
  const saves = spec.checkpoint !== undefined && !Number.isNaN(from) && eviction !== undefined
  // Once one is told to stop there is no way back to saving.
  const isStopping = processes.members.some((one) => wantedState(one) === "Stopped")
  if (!saves || isStopping || saved === spec.members || now >= until) {
    return { workload, children: stopped(workload), told: told("stopping") }
  }
  const wish = { state: "Running", why: `saves its work: ${eviction?.message ?? ""}` } as const
  const pids = processes.members.map((one) => {
    const pid = outputOf(one, "pid")
    return typeof pid === "number" ? pid : undefined
  })
  const checkpoints = checkpointChildren(base(workload), wish, at, knownPids(workload, pids))
  const children = [...running(workload), ...checkpoints]
  return { workload, children, told: told("saving its work"), againAt: until }
}

/** What a checkpoint was first told stays, or it would be started anew. */
function knownPids(
  { processes, eviction }: PoolWorkload,
  pids: readonly (number | undefined)[],
): readonly (number | undefined)[] {
  return pids.map((pid, member) => {
    const env = processes.checkpoints[member]?.spec?.env as Record<string, string> | undefined
    if (env?.SETPOINT_EVICTED_AT !== eviction?.at) return pid
    return env?.SETPOINT_PID === undefined ? undefined : Number(env.SETPOINT_PID)
  })
}

function graceOf({ spec }: PoolWorkload, { tenants }: PoolView): number {
  const tenant = tenants.find(({ metadata }) => metadata.name === spec.tenant)
  const most = tenant === undefined ? 60 : (tenant.spec as object as TenantSpec).reclaimGraceSeconds
  return 1000 * Math.min(spec.checkpoint?.graceSeconds ?? 0, most)
}

const base = ({ object, spec, processes }: PoolWorkload): Seated => ({
  ...{ object, spec },
  seats: processes.seats ?? [],
  since: processes.since ?? 0,
})

const runs = ({ spec, object }: PoolWorkload): ChildWish => ({
  state: "Running",
  why: `${object.metadata.name} of tenant ${spec.tenant} may run`,
})

const running = (workload: PoolWorkload): readonly ApiObject[] =>
  memberChildren(base(workload), runs(workload))

/** Its objects stay as they were, with their logs; what they are told last is why they stopped. */
function stopped({ processes, eviction }: PoolWorkload): readonly ApiObject[] {
  const { reason = "Ended", message = "it ended, or somebody else stopped it" } = eviction ?? {}
  const why = `${reason}: ${message}`
  return [
    ...processes.members.map((one) => halted(one, why)),
    ...processes.checkpoints.map((one) => halted(one, "its checkpoint is over")),
  ]
}

const oldCheckpoints = ({ processes }: PoolWorkload): readonly ApiObject[] =>
  processes.checkpoints.map((one) => halted(one, "its checkpoint is over"))
