// One leader among many, by a Lease object, with the rules of Kubernetes' own clients: times of
// other hosts are never compared, only how long ago, by our own clock, their record last
// changed. A leader that could not renew in time stops being one before anybody else may become
// it. The number of terms (leaseTransitions) fences: whoever writes under an older one is late.

import { withDeadline } from "../base/async.ts"
import { type Clock, sleep } from "../base/clock.ts"
import { assert, isFault } from "../base/faults.ts"
import { at } from "../base/json.ts"
import type { Random } from "../base/random.ts"
import type { Client } from "../contract/client.ts"
import type { ApiObject } from "../object/object.ts"

export interface LeaderElectionOptions {
  readonly client: Pick<Client, "get" | "create" | "update">
  readonly clock: Clock
  readonly random: Random
  readonly namespace: string
  readonly name: string
  /** Who we are; different for every process. */
  readonly identity: string
  /** How long others wait after the last renewal they saw. */
  readonly leaseMs?: number
  /** How long a leader goes on without a renewal; less than the lease. */
  readonly renewMs?: number
  readonly retryMs?: number
}

/** The time as leader. */
export interface Term {
  /** Aborts when leadership is lost. */
  readonly signal: AbortSignal
  /** Grows with every change of leader. */
  readonly fence: number
  /** By the clock, not by what was last heard: ask before each step that must not be done twice. */
  isLeading(): boolean
}

const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" } as const
const jitter = 1.2

/**
 * Waits until it leads, then runs the work. Ends when the work does, with "done" and the lease
 * given back; when leadership was lost and the work has ended, with "lost"; with "stopped" when the
 * signal aborts while it waits.
 */
export async function leadOnce(
  options: LeaderElectionOptions,
  work: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<"done" | "lost" | "stopped"> {
  const election = new Election(options)
  if (!(await election.acquire(signal))) return "stopped"
  const ends = new AbortController()
  const onStop = () => ends.abort()
  signal.addEventListener("abort", onStop, { once: true })
  if (signal.aborted) ends.abort()
  const { fence } = election
  const term: Term = { signal: ends.signal, fence, isLeading: () => election.isLeading() }
  const over = new AbortController()
  const renewing = election.renewUntil(over.signal).then((kept) => {
    if (!kept) ends.abort()
    return kept
  })
  try {
    await work(term)
  } finally {
    over.abort()
    signal.removeEventListener("abort", onStop)
    if (await renewing) await election.release()
  }
  return (await renewing) ? "done" : "lost"
}

interface Seen {
  readonly lease: ApiObject
  /** By our own clock, when the record was first seen as it is. */
  readonly since: number
}

class Election {
  readonly #options: Required<LeaderElectionOptions>
  #seen: Seen | undefined
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: LeaderElectionOptions) {
    const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2000 } = options
    assert(
      leaseMs > renewMs && renewMs > retryMs * jitter,
      "lease > renewal > retry of an election",
    )
    this.#options = { ...options, leaseMs, renewMs, retryMs }
  }

  get fence(): number {
    return numberAt(this.#seen?.lease, "leaseTransitions")
  }

  isLeading(): boolean {
    return this.#left() > 0
  }

  /** How long we may still call ourselves leader. */
  #left(): number {
    return this.#renewedAt + this.#options.renewMs - this.#options.clock.monotonic()
  }

  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, retryMs, renewMs } = this.#options
    while (!signal.aborted) {
      if (await this.#tryFor(renewMs)) return true
      await sleep(clock, retryMs * (1 + random.next() * (jitter - 1)), signal)
    }
    return false
  }

  /** False when it was lost; true when the signal ended it. */
  async renewUntil(signal: AbortSignal): Promise<boolean> {
    const { clock, retryMs } = this.#options
    while (!signal.aborted) {
      await sleep(clock, Math.max(0, Math.min(retryMs, this.#left())), signal)
      if (signal.aborted) break
      if (this.#left() <= 0) return false
      await this.#tryFor(this.#left())
    }
    return this.isLeading()
  }

  /** Nobody has to wait for us. What can't be given back ends by itself. */
  async release(): Promise<void> {
    const { client } = this.#options
    const lease = this.#seen?.lease
    this.#renewedAt = Number.NEGATIVE_INFINITY
    if (lease === undefined) return
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 }
    await client.update(leases, { ...lease, spec }).catch(() => {})
  }

  async #tryFor(limitMs: number): Promise<boolean> {
    const { clock } = this.#options
    const asked = clock.monotonic()
    try {
      const tried = await withDeadline(clock, limitMs, () => this.#try())
      if (tried.kind === "timeout" || !tried.value) return false
    } catch (error) {
      if (isFault(error)) return false // Somebody was faster, or nobody answers: asked again soon.
      throw error
    }
    // From when it was asked: the answer may have been long on its way.
    this.#renewedAt = asked
    return true
  }

  async #try(): Promise<boolean> {
    const { client, clock, namespace, name, identity } = this.#options
    const found = await client.get({ ...leases, namespace, name })
    if (found === undefined) {
      this.#see(await client.create(leases, this.#record(undefined)))
      return true
    }
    const seen = this.#see(found)
    const holder = at(found.spec, "holderIdentity") ?? ""
    const lastsMs = numberAt(found, "leaseDurationSeconds") * 1000
    const isHeld = holder !== "" && holder !== identity && clock.monotonic() < seen.since + lastsMs
    if (isHeld) return false
    this.#see(await client.update(leases, this.#record(found)))
    return true
  }

  #see(lease: ApiObject): Seen {
    const known = this.#seen
    const isSame = known?.lease.metadata.resourceVersion === lease.metadata.resourceVersion
    if (known !== undefined && isSame) return known
    const seen = { lease, since: this.#options.clock.monotonic() }
    this.#seen = seen
    return seen
  }

  #record(before: ApiObject | undefined): ApiObject {
    const { clock, namespace, name, identity, leaseMs } = this.#options
    const now = microTime(clock.now())
    const isOurs = at(before?.spec, "holderIdentity") === identity
    const terms = numberAt(before, "leaseTransitions")
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: before?.metadata ?? { namespace, name },
      spec: {
        ...before?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseMs / 1000),
        acquireTime: (isOurs ? at(before?.spec, "acquireTime") : undefined) ?? now,
        renewTime: now,
        leaseTransitions: before === undefined ? 0 : isOurs ? terms : terms + 1,
      },
    }
  }
}

function numberAt(lease: ApiObject | undefined, member: string): number {
  const value = at(lease?.spec, member)
  return typeof value === "number" ? value : 0
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z")
