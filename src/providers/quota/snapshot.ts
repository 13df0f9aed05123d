// What the planner of GPU quotas is given and what it answers: plain values. Times are wall clock
// milliseconds. Whatever the facts leave open is said in `doubts`; nobody is evicted on doubt.

export interface Quota {
  /** What the tenant may use at any time. */
  readonly nominal: number
  /** The part of it that nobody else may borrow, even while it is idle. */
  readonly guaranteed: number
  /** How much more it may use while others leave theirs idle. */
  readonly borrowLimit: number
  /** Shares what can be borrowed: twice the weight, twice as much. */
  readonly weight: number
}

export interface TenantFacts {
  readonly name: string
  readonly quota: ReadonlyMap<string, Quota>
  /** A workload that runs for less than this is not taken away for somebody else. */
  readonly minRuntimeMs: number
}

export interface NodeFacts {
  readonly name: string
  readonly flavor: string
  readonly gpus: number
  /** Why it is not known that the node is well; missing when it is. */
  readonly doubt?: string
  /** Nothing new is put there. */
  readonly cordoned: boolean
  /** A person said that it is gone: what runs there has to go elsewhere. */
  readonly outOfService: boolean
}

/** Where one member of a workload sits. */
export interface Seat {
  readonly node: string
  readonly devices: readonly number[]
}

export type WorkloadState =
  | {
      readonly kind: "waiting"
      /** It was evicted a moment ago and does not come back before this. */
      readonly notBefore?: number
      /** The seats it was promised while others still leave them. */
      readonly reserved?: readonly Seat[]
    }
  | { readonly kind: "running"; readonly since: number; readonly seats: readonly Seat[] }
  /** Told to end; it keeps its devices until it has. */
  | { readonly kind: "leaving"; readonly seats: readonly Seat[] }

export interface WorkloadFacts {
  readonly uid: string
  readonly name: string
  readonly tenant: string
  readonly flavor: string
  readonly priority: number
  /** Of each member, all on one node. */
  readonly gpus: number
  /** All of them run, or none. */
  readonly members: number
  readonly preemptible: boolean
  readonly created: number
  readonly state: WorkloadState
}

export interface Snapshot {
  readonly now: number
  readonly tenants: readonly TenantFacts[]
  readonly nodes: readonly NodeFacts[]
  readonly workloads: readonly WorkloadFacts[]
  /** What the reader of the facts already found missing. */
  readonly doubts: readonly string[]
}

export type WaitReason =
  | "TenantNotFound"
  | "NoQuota"
  | "QuotaExceeded"
  | "CoolingDown"
  | "Guaranteed"
  | "NoCapacity"
  | "Freeing"
  | "Reclaiming"

export type VictimReason = "OverQuota" | "Reclaimed" | "NodeOutOfService"

export interface Admitted {
  readonly workload: WorkloadFacts
  readonly seats: readonly Seat[]
  /** Above the tenant's own quota, so that it may be asked back. */
  readonly borrowed: boolean
}

export interface Waiting {
  readonly workload: WorkloadFacts
  readonly reason: WaitReason
  readonly message: string
  readonly reserved?: readonly Seat[]
}

export interface Victim {
  readonly workload: WorkloadFacts
  readonly reason: VictimReason
  readonly message: string
}

export interface Usage {
  readonly tenant: string
  readonly flavor: string
  readonly nominal: number
  readonly cap: number
  /** Held by workloads that stay: without those that are leaving or were picked now. */
  readonly used: number
  readonly leaving: number
  readonly waiting: number
}

export interface QuotaPlan {
  readonly admitted: readonly Admitted[]
  readonly waiting: readonly Waiting[]
  readonly victims: readonly Victim[]
  readonly usage: readonly Usage[]
  /** Why nothing may be evicted at the moment. */
  readonly doubts: readonly string[]
  /** What is wrong and can't be put right by evicting anybody. */
  readonly complaints: readonly string[]
  /** When something will change without any event. */
  readonly againAt?: number
}

export const sizeOf = ({ gpus, members }: Pick<WorkloadFacts, "gpus" | "members">): number =>
  gpus * members

export const seatsOf = ({ state }: WorkloadFacts): readonly Seat[] =>
  state.kind === "waiting" ? [] : state.seats
